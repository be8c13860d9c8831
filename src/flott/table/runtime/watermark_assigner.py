"""Event time of a table: a column of timestamps, and how far it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.operator import Operator
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session
from flott.table.runtime.changes import unpack

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.expr import Expr

MILLI = 1000


class WatermarkAssigner(Operator):
    """Computes the watermark of each row, and hands on the largest of a batch behind it, if event time moved.

    A row whose watermark is NULL says nothing. What upstream said about time ends here, all but the end of time.
    """

    makes_watermarks = True

    def __init__(self, expr: Expr, zone: str) -> None:
        self.expr = expr
        self.zone = zone

    def open(self) -> None:
        self._expr = ArrowCompiler().compile(self.expr)

    def restore(self, carried: Any) -> None:
        self._last = MIN_TIMESTAMP if carried is None else carried

    def snapshot(self) -> Any:
        return self._last

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        self.output.emit(batch)
        session = Session(self.zone, self.context.clock.now())
        marks = column_of(self._expr(columns, len(batch), session), len(batch))
        highest = pc.max(marks.cast(pa.int64())).as_py()
        if highest is not None and highest // MILLI > self._last:
            self._last = highest // MILLI
            self.output.emit_watermark(self._last)

    def process_watermark(self, timestamp: int) -> None:
        if timestamp == MAX_WATERMARK and self._last < MAX_WATERMARK:
            self._last = MAX_WATERMARK
            self.output.emit_watermark(timestamp)

    def process_status(self, active: bool) -> None:
        """Hand it on: an input that is idle has no rows that event time could wait for."""
        self.output.emit_status(active)
