"""Which events of a batch can start a match: asked for the whole batch before any of them is looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.checks import compile_test, start_condition
from flott.cep.conditions import Always

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.cep.nfa import Nfa

__all__ = ["StartFilter"]


class StartFilter:
    """Asks the conditions of the first stage, as far as they depend on the event alone."""

    def __init__(self, nfa: Nfa) -> None:
        self.condition = condition = start_condition(nfa)
        self._test: Callable[[Any], Any] | None = None if isinstance(condition, Always) else compile_test(condition)

    def apply(self, records: Iterator[Any], count: int) -> list[Any]:
        """Say for each event whether it can start a match; any true value says yes."""
        return [True] * count if self._test is None else list(map(self._test, records))
