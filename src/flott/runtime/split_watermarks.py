"""Event time inside a source: one generator per split, the slowest active split counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.combined_watermark import CombinedWatermark
from flott.runtime.watermark_run import GeneratorRun, Stamper, WatermarkEmitter

if TYPE_CHECKING:
    from collections.abc import Hashable

    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.runtime.batch import Batch
    from flott.runtime.context import OperatorContext
    from flott.runtime.operator import Output


class SplitWatermarks:
    """Stamps the records of a source's splits and tells how far event time has come over all of them.

    A source without splits is idle after the idle timeout, if the strategy has one, as a silent split is.
    """

    def __init__(self, strategy: WatermarkStrategy, context: OperatorContext, output: Output) -> None:
        self._strategy = strategy
        self._context = context
        self._output = output
        self._stamper = Stamper(strategy, context.title)
        self._emitter = WatermarkEmitter(output)
        self._combined = CombinedWatermark()
        self._deferred = False
        self._runs: dict[Hashable, GeneratorRun] = {}
        self._without_splits = GeneratorRun(strategy, self._emitter, output.emit)

    def add_split(self, split: Hashable) -> None:
        """Let a split count from now on; one that is known already stays as it is."""
        if split not in self._runs:
            self._combined.add(split)
            self._runs[split] = GeneratorRun(self._strategy, _SplitOutput(self, split), self._output.emit)

    def remove_split(self, split: Hashable) -> None:
        """Let a split that has ended count no more."""
        if self._runs.pop(split, None) is not None:
            self._combined.remove(split)

    def process(self, split: Hashable, batch: Batch) -> None:
        """Stamp a batch of a split, hand it on, and the watermarks that its records bring about."""
        self.add_split(split)
        self._runs[split].process(self._stamper.stamp(batch))
        self.process_time(self._context.clock.now())

    def process_time(self, now: int) -> None:
        """Ask every split for a watermark, or for idleness, and hand on what all of them allow."""
        if self._context.auto_watermark_interval <= 0:
            return
        if not self._runs:
            self._without_splits.emit_periodically(now)
        # One split after the other would look idle, or behind, while the next has not spoken yet.
        self._deferred = True
        for run in self._runs.values():
            run.emit_periodically(now)
        self._deferred = False
        self.combine()

    def finish(self) -> None:
        """The source has ended: every generator says its last word."""
        self._deferred = True
        for run in self._runs.values():
            run.generator.on_periodic_emit(run)
        self._deferred = False
        self.combine()

    def end_of_time(self, timestamp: int) -> None:
        """Hand on the last watermark of a bounded source."""
        self._emitter.emit_watermark(timestamp)

    def combine(self) -> None:
        """Hand on the new minimum over the active splits, or that all are idle."""
        if self._deferred:
            return
        advanced = self._combined.combine()
        if advanced is not None:
            self._emitter.emit_watermark(advanced)
        elif self._combined.idle and self._runs:
            self._emitter.mark_idle()

    def hold(self, split: Hashable) -> None:
        """A split waits for slower ones: it does not become idle meanwhile."""
        self.add_split(split)
        self._runs[split].hold()

    def hold_all(self) -> None:
        """The source waits for another: none of its splits becomes idle meanwhile."""
        for run in (self._without_splits, *self._runs.values()):
            run.hold()

    def active_watermarks(self) -> dict[Hashable, int]:
        """Return how far each active split has come: what the alignment of splits and sources goes by."""
        return {split: mark for split, (mark, active) in self._combined.snapshot()[0].items() if active}

    def next_wakeup(self) -> int | None:
        """Return when the next split will count as idle if nothing comes."""
        runs = list(self._runs.values()) or [self._without_splits]
        times = [time for run in runs if (time := run.next_wakeup()) is not None]
        return min(times, default=None) if self._context.auto_watermark_interval > 0 else None

    def snapshot(self) -> Any:
        """Return what all generators know, for the next epoch."""
        runs = {split: run.snapshot() for split, run in self._runs.items()}
        alone = self._without_splits.snapshot()
        return runs, alone, self._combined.snapshot(), self._emitter.last, self._emitter.idle

    def restore(self, carried: Any) -> None:
        """Start an epoch with what ``snapshot`` returned, or anew."""
        self.__init__(self._strategy, self._context, self._output)  # type: ignore[misc]
        if carried is None:
            return
        runs, alone, combined, self._emitter.last, self._emitter.idle = carried
        for split, state in runs.items():
            self.add_split(split)
            self._runs[split].restore(state)
        self._without_splits.restore(alone)
        self._combined.restore(combined)

    def note(self, split: Hashable, timestamp: int) -> None:
        """Take a split's watermark; it is looked at together with the others."""
        self._combined.note(split, timestamp)

    def note_status(self, split: Hashable, active: bool) -> None:
        """Take a split's status; it is looked at together with the others."""
        self._combined.note_status(split, active)


class _SplitOutput:
    """Where the generator of one split puts its watermarks."""

    __slots__ = ("_owner", "_split")

    def __init__(self, owner: SplitWatermarks, split: Hashable) -> None:
        self._owner = owner
        self._split = split

    def emit_watermark(self, timestamp: int) -> None:
        self._owner.note(self._split, timestamp)
        self._owner.combine()

    def mark_idle(self) -> None:
        self._owner.note_status(self._split, active=False)
        self._owner.combine()

    def mark_active(self) -> None:
        self._owner.note_status(self._split, active=True)
        self._owner.combine()
