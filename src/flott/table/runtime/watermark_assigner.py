"""Event time of a table: what WATERMARK FOR says of its rows, in each split of a source or behind it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.common.time import Duration
from flott.common.watermark_strategy import WatermarkStrategy
from flott.runtime.watermark_run import BatchWatermarkGenerator
from flott.runtime.watermarks import TimestampsAndWatermarks
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session
from flott.table.runtime.changes import unpack

if TYPE_CHECKING:
    from flott.common.watermark_generators import WatermarkOutput
    from flott.runtime.batch import Batch
    from flott.table.expr import Expr

MILLI = 1000


class ExpressionWatermarks(BatchWatermarkGenerator):
    """Computes the watermark of each row, and hands on the largest of a batch behind it, if event time moved.

    A row whose watermark is NULL says nothing.
    """

    def __init__(self, expr: Expr, zone: str) -> None:
        self.expr = expr
        self.zone = zone
        self.highest: int | None = None
        self.now = 0
        """The time of day, for expressions that ask for it."""
        self._compiled: Any = None

    def on_batch(self, batch: Batch, output: WatermarkOutput) -> None:
        if self._compiled is None:
            self._compiled = ArrowCompiler().compile(self.expr)
        columns, _ = unpack(batch)
        marks = column_of(self._compiled(columns, len(batch), Session(self.zone, self.now)), len(batch))
        highest = pc.max(marks.cast(pa.int64())).as_py()
        if highest is not None and (self.highest is None or highest // MILLI > self.highest):
            self.highest = highest // MILLI
            output.emit_watermark(self.highest)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Say it again: of splits that were idle it may not have been heard."""
        if self.highest is not None:
            output.emit_watermark(self.highest)

    def __getstate__(self) -> Any:
        return self.expr, self.zone, self.highest

    def __setstate__(self, state: Any) -> None:
        self.expr, self.zone, self.highest = state
        self.now, self._compiled = 0, None


def watermark_strategy(expr: Expr, zone: str, idle_timeout: int) -> WatermarkStrategy:
    """Return what WATERMARK FOR says as a strategy; a source that is silent for longer counts as idle, unless 0."""
    strategy = WatermarkStrategy.for_generator(partial(ExpressionWatermarks, expr, zone))
    return strategy.with_idleness(Duration.of_millis(idle_timeout)) if idle_timeout else strategy


class WatermarkAssigner(TimestampsAndWatermarks):
    """Makes the watermarks of a table behind its source. What upstream said about time ends here, but its end."""

    def process(self, batch: Batch) -> None:
        now = self.context.clock.now()
        self._run.generator.now = now  # type: ignore[attr-defined]
        self._run.process(batch)
        self.process_time(now)

    def on_status(self, active: bool) -> bool | None:
        """Hand it on: an input that is idle has no rows that event time could wait for."""
        if active:
            self._emitter.mark_active()
        else:
            self._emitter.mark_idle()
        return None
