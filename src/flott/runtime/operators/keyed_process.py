"""A process function on a keyed stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.operators.calls import call_for_each_keyed
from flott.runtime.operators.timed import TimedOperator

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.batch import Batch


class KeyedProcess(TimedOperator):
    """Calls ``process_element`` for each record, with the record's key set, and ``on_timer`` when a timer is due."""

    def __init__(self, function: Any, key_selector: Callable[[Any], Any]) -> None:
        super().__init__(function)
        self.key_selector = key_selector

    def process(self, batch: Batch) -> None:
        call_for_each_keyed(self, batch, self.key_selector, self.function.process_element, self.ctx)
