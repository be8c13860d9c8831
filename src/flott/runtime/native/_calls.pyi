from collections.abc import Callable, Iterator
from typing import Any

from flott.runtime.state.key_scope import KeyScope

class LiveValues:
    _read: dict[Any, Any]
    _written: dict[Any, Any]

    def __init__(self, scope: KeyScope) -> None: ...
    @property
    def _scope(self) -> KeyScope: ...
    def current(self) -> Any: ...
    def replace(self, value: Any) -> None: ...

def call_for_each(
    records: Iterator[Any],
    keys: list[Any] | None,
    times: list[int | None] | None,
    call: Callable[[Any, Any], Any],
    ctx: Any,
    scope: KeyScope | None,
    values: list[Any],
    stamps: list[int | None] | None,
    take: Callable[[list[Any], Any], None],
    copies: bool,
) -> None: ...
