"""The key that state belongs to at the moment."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from flott.errors import StateAccessError


class KeyScope:
    """The key that state is read and written for. Unset outside of process_element and on_timer."""

    __slots__ = ("key", "operator")

    key: Any

    def __init__(self, operator: str) -> None:
        self.operator = operator

    def __getattr__(self, name: str) -> Any:
        # Reached only while `key` is unset, so that the hot path pays nothing for the check.
        if name != "key":
            raise AttributeError(name)
        message = (
            f"{self.operator}: state was used where no key is set. Read and write it in process_element or on_timer; "
            f"in open(), only create the handle: runtime_context.get_state(...)."
        )
        raise StateAccessError(message)

    def unset(self) -> None:
        """Leave the key context: state access is an error until a key is set again."""
        with suppress(AttributeError):
            del self.key
