"""A process function over two connected keyed streams: both share the state and the timers of each key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.operators.calls import call_for_each_keyed
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.operators.timed import TimedOperator

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.batch import Batch


class KeyedCoProcess(CombinedInputs, TimedOperator):
    """Calls ``process_element1`` or ``process_element2`` with the record's key set, and ``on_timer``."""

    def __init__(self, function: Any, key_selector1: Callable[[Any], Any], key_selector2: Callable[[Any], Any]) -> None:
        super().__init__(function)
        self.key_selectors = key_selector1, key_selector2

    def process_input(self, index: int, batch: Batch) -> None:
        call = self.function.process_element2 if index else self.function.process_element1
        call_for_each_keyed(self, batch, self.key_selectors[index], call, self.ctx)
