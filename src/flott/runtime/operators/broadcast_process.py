"""A process function over a stream that is not keyed, next to a broadcast one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.operators.calls import call_for_each
from flott.runtime.operators.co_process import UnkeyedProcessing
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.operators.process import ProcessContext
from flott.runtime.state.declared_broadcast import BroadcastStates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.batch import Batch
    from flott.runtime.operators.process import TimeOnlyService
    from flott.runtime.operators.results import Results


BROADCAST = 1
"""The input that all subtasks get."""


class BroadcastContext(ProcessContext):
    """What a call knows besides the record; ``get_broadcast_state`` gives what that side may do."""

    __slots__ = ("current_processing_time", "current_watermark", "get_broadcast_state")

    def __init__(self, timers: TimeOnlyService, results: Results, get_broadcast_state: Callable[[Any], Any]) -> None:
        super().__init__(timers, results)
        self.get_broadcast_state = get_broadcast_state
        self.current_processing_time = timers.current_processing_time
        self.current_watermark = timers.current_watermark


class BroadcastProcess(CombinedInputs, UnkeyedProcessing):
    """Calls ``process_element`` for the first input and ``process_broadcast_element`` for the broadcast one."""

    states: BroadcastStates
    ctx: BroadcastContext
    broadcast_ctx: BroadcastContext

    def __init__(self, function: Any, state_names: Iterable[str]) -> None:
        super().__init__(function)
        self.state_names = state_names

    def open(self) -> None:
        super().open()
        self.states = BroadcastStates(self.state_names, self.context.title)
        self.ctx = BroadcastContext(self.timers, self.results, self.states.read_only)
        self.broadcast_ctx = BroadcastContext(self.timers, self.results, self.states.writable)

    def restore(self, carried: Any) -> None:
        super().restore(self.states.restore(carried))

    def snapshot(self) -> Any:
        return self.states.snapshot(super().snapshot())

    def process_input(self, index: int, batch: Batch) -> None:
        if index == BROADCAST:
            call_for_each(self, batch, self.function.process_broadcast_element, self.broadcast_ctx, self.results)
        else:
            call_for_each(self, batch, self.function.process_element, self.ctx, self.results)
