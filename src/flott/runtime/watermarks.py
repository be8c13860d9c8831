"""Timestamps and watermarks behind any operator: ``assign_timestamps_and_watermarks``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.operator import Operator
from flott.runtime.watermark_run import GeneratorRun, Stamper, WatermarkEmitter

if TYPE_CHECKING:
    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.runtime.batch import Batch


class TimestampsAndWatermarks(Operator):
    """Stamps records and generates watermarks. What upstream said about time ends here, all but the end of time."""

    def __init__(self, strategy: WatermarkStrategy) -> None:
        self.strategy = strategy
        self.makes_watermarks = strategy.makes_watermarks

    def open(self) -> None:
        self._stamper = Stamper(self.strategy, self.context.title)
        self._start()

    def _start(self) -> None:
        self._emitter = WatermarkEmitter(self.output)
        self._run = GeneratorRun(self.strategy, self._emitter, self.output.emit)

    def restore(self, carried: Any) -> None:
        self._start()
        if carried is not None:
            run, self._emitter.last, self._emitter.idle = carried
            self._run.restore(run)

    def snapshot(self) -> Any:
        return self._run.snapshot(), self._emitter.last, self._emitter.idle

    def process(self, batch: Batch) -> None:
        try:
            self._run.process(self._stamper.stamp(batch))
        except USER_CODE_RAISES as error:  # whatever a user's assigner or generator raises
            if self._run.seen:
                raise self.failure(error, batch.values[self._run.seen - 1]) from None
            raise self.failed(error, self._stamper.records, batch.values) from None
        self.process_time(self.context.clock.now())

    def on_watermark(self, timestamp: int) -> int | None:
        """Ignore it, unless it is the last of all."""
        if timestamp == MAX_WATERMARK:
            self._emitter.emit_watermark(timestamp)
        return None

    def on_status(self, active: bool) -> bool | None:
        """Ignore it: this operator judges by the records it sees."""
        return None

    def process_time(self, now: int) -> None:
        if self.context.auto_watermark_interval > 0:
            self._run.emit_periodically(now)

    def finish(self) -> None:
        self._run.generator.on_periodic_emit(self._run)

    def next_wakeup(self) -> int | None:
        return self._run.next_wakeup() if self.context.auto_watermark_interval > 0 else None
