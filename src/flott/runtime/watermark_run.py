"""One watermark generator at work: records pass, it watches, and its watermarks come out between the right ones."""

from __future__ import annotations

from abc import abstractmethod
from itertools import repeat
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import cloudpickle

from flott.common.watermark_generators import (
    AscendingTimestampsWatermarks,
    BoundedOutOfOrdernessWatermarks,
    NoWatermarksGenerator,
    WatermarkGenerator,
)
from flott.common.watermark_strategy import FieldTimestampAssigner, RecordTimestampAssigner
from flott.errors import FlottError
from flott.runtime.batch import MIN_TIMESTAMP, Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.common.fields import Field
    from flott.common.watermark_generators import WatermarkOutput
    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.runtime.columns import ColumnBatch
    from flott.runtime.operator import Output

RunState: TypeAlias = tuple["bytes | int | None", int, "int | None", bool]

FOLLOWS_MAXIMUM = (BoundedOutOfOrdernessWatermarks, AscendingTimestampsWatermarks)
"""Generators that look at nothing but the largest timestamp: a batch is one step for them."""


class BatchWatermarkGenerator(WatermarkGenerator):
    """A generator that looks at a batch of columns as a whole, after it was handed on."""

    @abstractmethod
    def on_batch(self, batch: Batch, output: WatermarkOutput) -> None:
        """Called for every batch that has records."""

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Records are not looked at one by one."""
        raise NotImplementedError


class WatermarkEmitter:
    """Hands watermarks on, only upwards, and changes of idleness, each once."""

    __slots__ = ("_output", "idle", "last")

    def __init__(self, output: Output) -> None:
        self._output = output
        self.last = MIN_TIMESTAMP
        self.idle = False

    def emit_watermark(self, timestamp: int) -> None:
        """Hand a watermark on if it is above the last; the stream is then active."""
        if timestamp <= self.last:
            return
        self.last = timestamp
        self.mark_active()
        self._output.emit_watermark(timestamp)

    def mark_idle(self) -> None:
        """Say that nothing is coming for now."""
        if not self.idle:
            self.idle = True
            self._output.emit_status(False)

    def mark_active(self) -> None:
        """Say that records are coming again."""
        if self.idle:
            self.idle = False
            self._output.emit_status(True)


class Stamper:
    """Gives the records of a batch their timestamps."""

    def __init__(self, strategy: WatermarkStrategy, title: str) -> None:
        assigner = strategy.create_timestamp_assigner()
        self._keeps = isinstance(assigner, RecordTimestampAssigner)
        self._extract = assigner.extract_timestamp
        self._field = assigner.field if isinstance(assigner, FieldTimestampAssigner) else None
        self._title = title
        self.records: Iterator[Any] = iter(())
        """The records still to be stamped: tells which one the user's assigner failed on."""

    def stamp(self, batch: Batch) -> Batch:
        """Return the batch with timestamps; the user's assigner sees the old ones."""
        if self._keeps:
            return batch
        if batch.columnar and self._field is not None:
            stamped = stamped_by_field(batch, self._field)  # type: ignore[arg-type]
            if stamped is not None:
                return stamped
        before = batch.stamps
        self.records = records = iter(batch.values)
        if before is None:
            stamps: list[Any] = list(map(self._extract, records, repeat(MIN_TIMESTAMP)))
        else:
            known = (MIN_TIMESTAMP if stamp is None else stamp for stamp in before)
            stamps = list(map(self._extract, records, known))
        if set(map(type, stamps)) - {int}:
            stamps = self._whole_numbers(batch.values, stamps)
        return Batch(batch.values, stamps)

    def _whole_numbers(self, values: list[Any], stamps: list[Any]) -> list[int]:
        for value, stamp in zip(values, stamps, strict=True):
            if not hasattr(stamp, "__index__"):
                message = (
                    f"{self._title}: the timestamp assigner returned {stamp!r} ({type(stamp).__name__}) for record "
                    f"{value!r:.200}. A timestamp is a whole number of milliseconds since 1970-01-01 UTC: "
                    f"for a datetime, int(time.timestamp() * 1000)."
                )
                raise FlottError(message)
        return list(map(index, stamps))


class GeneratorRun:
    """A generator, the records that pass it, and how long it has been silent."""

    def __init__(self, strategy: WatermarkStrategy, target: WatermarkOutput, emit: Callable[[Batch], None]) -> None:
        self._target = target
        self._emit = emit
        self.generator: WatermarkGenerator = strategy.create_watermark_generator()
        self._idle_timeout = strategy.idle_timeout
        self._highest = MIN_TIMESTAMP
        self._batch = Batch([])
        self._passed = 0
        self.seen = 0
        """How many records of the batch the generator has seen."""
        self._active = False
        self._silent_since: int | None = None
        self._idle = False

    def process(self, batch: Batch) -> None:
        """Let stamped records pass, each before the watermark that it brings about."""
        generator = self.generator
        self._active = True
        self._idle = False
        if type(generator) in FOLLOWS_MAXIMUM:
            highest: int | None = batch.highest() if batch.columnar else _highest(batch.stamps)  # type: ignore[attr-defined]
            if highest is not None:
                generator.on_event(None, highest, self)
            self._emit(batch)
        elif type(generator) is NoWatermarksGenerator:
            self._emit(batch)
        elif isinstance(generator, BatchWatermarkGenerator):
            self._emit(batch)
            if len(batch):
                generator.on_batch(batch, self)
        else:
            self._watch(batch)

    def _watch(self, batch: Batch) -> None:
        on_event = self.generator.on_event
        self._batch, self._passed, self.seen = batch, 0, 0
        for value, stamp in batch:
            self.seen += 1
            on_event(value, MIN_TIMESTAMP if stamp is None else stamp, self)
        self._pass_records()
        self._batch, self._passed, self.seen = Batch([]), 0, 0

    def _pass_records(self) -> None:
        """Hand on the records that the generator has seen and that did not pass yet."""
        start, end, batch = self._passed, self.seen, self._batch
        if end > start:
            self._passed = end
            stamps = batch.stamps
            whole = start == 0 and end == len(batch.values)
            self._emit(batch if whole else Batch(batch.values[start:end], stamps and stamps[start:end]))

    # What the generator sees: a WatermarkOutput

    def emit_watermark(self, timestamp: int) -> None:
        """Hand a watermark on, behind the record that brought it about."""
        if timestamp > self._highest:
            self._highest = timestamp
            self._pass_records()
        self._target.emit_watermark(timestamp)

    def mark_idle(self) -> None:
        """Hand on that nothing is coming for now."""
        self._pass_records()
        self._target.mark_idle()

    def mark_active(self) -> None:
        """Hand on that records are coming again."""
        self._pass_records()
        self._target.mark_active()

    # Time of day

    def hold(self) -> None:
        """Nothing comes because somebody lets the stream wait: that does not count as silence."""
        self._active = True

    def emit_periodically(self, now: int) -> None:
        """Ask for a watermark; or mark the stream idle, if nothing came for longer than the idle timeout."""
        if self._idle_timeout is not None and self._is_silent(now):
            if not self._idle:
                self._idle = True
                self._target.mark_idle()
        else:
            self.generator.on_periodic_emit(self)

    def _is_silent(self, now: int) -> bool:
        if self._active or self._silent_since is None or now < self._silent_since:
            # The last: somebody has set the clock back, or this worker's is behind that of the one before.
            self._active = False
            self._silent_since = now
        return now - self._silent_since > (self._idle_timeout or 0)

    def next_wakeup(self) -> int | None:
        """Return when the stream will count as idle if nothing comes; None if it already does, or never will."""
        if self._idle_timeout is None or self._idle or self._silent_since is None:
            return None
        return self._silent_since + self._idle_timeout + 1

    # Between epochs

    def snapshot(self) -> RunState:
        """Return what the generator knows; a user's generator as a whole."""
        generator = self.generator
        if type(generator) in FOLLOWS_MAXIMUM:
            known: bytes | int | None = generator.max_timestamp  # type: ignore[attr-defined]
        elif type(generator) is NoWatermarksGenerator:
            known = None
        else:
            known = cloudpickle.dumps(generator)
        return known, self._highest, self._silent_since, self._idle

    def restore(self, state: RunState) -> None:
        """Go on where ``snapshot`` left off."""
        known, self._highest, self._silent_since, self._idle = state
        self._active = False
        if isinstance(known, bytes):
            self.generator = cloudpickle.loads(known)
        elif known is not None:
            self.generator.max_timestamp = known  # type: ignore[attr-defined]


def stamped_by_field(batch: ColumnBatch, field: Field) -> ColumnBatch | None:
    """Return a batch of columns with its timestamps from one of them; None if that has to be done one by one."""
    position = field.name if isinstance(field.name, int) else batch.shape.names.index(field.name)
    column = batch.arrays[position]
    whole = column.null_count == 0 and str(column.type) == "int64"
    return batch.stamped(column.to_numpy()) if whole else None


def _highest(stamps: list[int | None] | None) -> int | None:
    if stamps is None:
        return None
    try:
        return max(stamps)  # type: ignore[type-var]
    except TypeError:
        return max(stamp for stamp in stamps if stamp is not None)
