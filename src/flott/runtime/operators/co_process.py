"""A process function over two connected streams that are not keyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.operators.calls import call_for_each
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.operators.process import ProcessContext, TimeOnlyService
from flott.runtime.operators.results import Results
from flott.runtime.operators.user_function import UserFunctionOperator

if TYPE_CHECKING:
    from flott.runtime.batch import Batch


class UnkeyedProcessing(UserFunctionOperator):
    """What process functions without a key have in common: they know event time, and have no state of keys."""

    timers: TimeOnlyService
    results: Results

    def open(self) -> None:
        self.results = Results(self.context.emission)
        self.timers = TimeOnlyService(self.context.clock, self.context.title)
        # One side may come by key and the other not: there is still no key to keep state for.
        self.context.backend = None
        super().open()

    def restore(self, carried: Any) -> None:
        self.timers.watermark = MIN_TIMESTAMP if carried is None else carried

    def snapshot(self) -> Any:
        return self.timers.watermark

    def on_watermark(self, timestamp: int) -> int | None:
        self.timers.watermark = timestamp
        return timestamp


class CoProcess(CombinedInputs, UnkeyedProcessing):
    """Calls ``process_element1`` or ``process_element2`` for each record."""

    ctx: ProcessContext

    def open(self) -> None:
        super().open()
        self.ctx = ProcessContext(self.timers, self.results)

    def process_input(self, index: int, batch: Batch) -> None:
        call = self.function.process_element2 if index else self.function.process_element1
        call_for_each(self, batch, call, self.ctx, self.results)
