"""What travels between subtasks: blocks of stream elements, and the barrier that closes a channel's epoch."""

from __future__ import annotations

import marshal
import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from flott.errors import USER_CODE_RAISES, ExchangeError, FlottError
from flott.runtime.plain_data import is_plain
from flott.runtime.record_columns import from_columns, to_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.batch import Batch

BLOCK_RECORDS = 4_096
"""A block is closed when it holds this many records: whoever reads it has them all in the processor's cache."""

REPORT_CHANNEL = -1
"""Rows on this channel are reports of tasks on their way to the driver."""


class BlockRow(NamedTuple):
    """A row of an exchange."""

    target: int
    """Spark partition of the next level."""
    channel: int
    final: int
    """Spark partition of the level where the channel ends, which may be further down."""
    sequence: int
    data: Any
    """Bytes, or a buffer over them."""


class Segment(NamedTuple):
    """Records, then what followed them: a watermark, a change of status, or (at a block's end) nothing yet."""

    values: list[Any] | Batch
    """The records; or the whole batch, if it is one of columns."""
    stamps: list[int | None] | None
    watermark: int | None = None
    active: bool | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """Closes a channel's epoch, and proves that nothing of it is missing."""

    epoch: int
    token: str
    """The attempt of the upstream subtask that wrote the channel."""
    blocks: int
    """How many blocks the channel has in this epoch, this one included."""
    ended: bool = False
    """The channel's input has ended for good: this is its last word in every epoch from now on."""
    failed: bool = False
    """The upstream subtask, or one above it, failed in the user's code: the epoch's data is void."""


PICKLED, COLUMNS = b"P", b"C"
"""How a block begins. Then comes the length of its barrier, the barrier, and its segments.

One that begins with C is marshalled, and values and timestamps are columns where they can be.
"""
LENGTH = struct.Struct("<H")
HEAD = 1 + LENGTH.size


def encode_block(
    segments: list[Segment], barrier: Barrier | None, unpicklable: Callable[[BaseException], FlottError]
) -> bytes:
    """Write a block: numbers and strings as columns, other plain Python data marshalled, anything else pickled.

    Each is two to four times faster than the next. A batch of columns pickles itself as Arrow IPC.
    """
    closing = b""
    if barrier is not None:
        closing = marshal.dumps((barrier.epoch, barrier.token, barrier.blocks, barrier.ended, barrier.failed))
    head = LENGTH.pack(len(closing)) + closing
    try:
        if all(type(segment.values) is list for segment in segments):
            packed = list(map(_packed, segments))
            if is_plain(packed):
                return b"".join((COLUMNS, head, marshal.dumps(packed)))
    except ValueError:  # nested too deep for marshal
        pass
    try:
        return b"".join((PICKLED, head, pickle.dumps([tuple(segment) for segment in segments], protocol=5)))
    except USER_CODE_RAISES as error:  # whatever a user's __reduce__ raises
        raise unpicklable(error) from None


def _packed(segment: Segment) -> tuple[Any, ...]:
    values, stamps, *rest = segment
    return to_columns(values), None if stamps is None else to_columns(stamps), *rest  # type: ignore[arg-type]


def _unpacked(values: Any, stamps: Any, *rest: Any) -> Segment:
    return Segment(from_columns(values), None if stamps is None else from_columns(stamps), *rest)


# What is read comes from a task of this job, through Spark's own authenticated shuffle.


def decode_barrier(data: Any) -> Barrier | None:
    """Read only the barrier of a block, if it has one."""
    (length,) = LENGTH.unpack_from(data, 1)
    return Barrier(*marshal.loads(memoryview(data)[HEAD : HEAD + length])) if length else None  # noqa: S302


def decode_block(data: Any) -> list[Segment]:
    """Read the segments of a block back."""
    view = memoryview(data)
    kind = bytes(view[:1])
    (length,) = LENGTH.unpack_from(view, 1)
    content = view[HEAD + length :]
    if kind == COLUMNS:
        return [_unpacked(*segment) for segment in marshal.loads(content)]  # noqa: S302
    if kind == PICKLED:
        return [Segment(*segment) for segment in pickle.loads(content)]
    message = f"a block begins with {kind!r}; this version writes and reads {COLUMNS!r} and {PICKLED!r}"
    raise ExchangeError(message)


class ChannelWriter:
    """Gathers the elements of one channel for one downstream subtask and closes blocks."""

    __slots__ = ("_blocks", "_emit", "_owned", "_records", "_segments", "_stamps", "_unpicklable", "_values")

    def __init__(self, emit: Callable[[int, bytes], None], unpicklable: Callable[[BaseException], FlottError]) -> None:
        self._emit = emit
        self._unpicklable = unpicklable
        self._segments: list[Segment] = []
        self._values: list[Any] = []
        self._stamps: list[int | None] | None = None
        self._owned = False
        self._records = 0
        self._blocks = 0

    def add(self, batch: Batch) -> None:
        """Take records."""
        if batch.columnar:
            self._add_columns(batch)
            return
        values, stamps = batch.values, batch.stamps
        if not values:
            return
        if self._values and (stamps is None) is not (self._stamps is None):
            self._cut(None, None)
        if not self._values:
            self._values = values
            self._stamps = stamps
            self._owned = False
        else:
            if not self._owned:
                # A batch may go to several channels: never extend a list that others hold.
                self._values = self._values.copy()
                self._stamps = None if self._stamps is None else self._stamps.copy()
                self._owned = True
            self._values.extend(values)
            if stamps is not None and self._stamps is not None:
                self._stamps.extend(stamps)
        self._records += len(values)
        if self._records >= BLOCK_RECORDS:
            self._cut(None, None)
            self._flush(None)

    def _add_columns(self, batch: Batch) -> None:
        if len(batch):
            self._cut(None, None)
            self._segments.append(Segment(batch, None))
            self._records += len(batch)
            if self._records >= BLOCK_RECORDS:
                self._flush(None)

    def watermark(self, timestamp: int) -> None:
        """Take a watermark."""
        self._cut(timestamp, None)

    def status(self, active: bool) -> None:
        """Take a change of status."""
        self._cut(None, active)

    def _cut(self, watermark: int | None, active: bool | None) -> None:
        if self._values or watermark is not None or active is not None:
            self._segments.append(Segment(self._values, self._stamps, watermark, active))
            self._values = []
            self._stamps = None

    def _flush(self, barrier: Barrier | None) -> None:
        data = encode_block(self._segments, barrier, self._unpicklable)
        self._emit(self._blocks, data)
        self._blocks += 1
        self._segments = []
        self._records = 0

    def close(self, epoch: int, token: str, *, ended: bool = False, failed: bool = False) -> None:
        """End the channel's epoch with its barrier; after a failure nothing but the barrier counts."""
        if failed:
            self._segments = []
            self._values = []
            self._stamps = None
        self._cut(None, None)
        self._flush(Barrier(epoch, token, self._blocks + 1, ended, failed))


class ChannelReader:
    """The blocks of one channel in one epoch: checked to be complete, then read in order.

    Each is read when its turn comes: then its records are in the processor's cache, and not all of them in memory.
    """

    __slots__ = ("_blocks", "barrier", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._blocks: dict[int, Any] = {}
        self.barrier: Barrier | None = None

    def add(self, sequence: int, data: Any) -> None:
        """Take a block, in whatever order Spark delivers."""
        barrier = decode_barrier(data)
        if sequence in self._blocks:
            message = f"{self.name}: block {sequence} arrived twice"
            raise ExchangeError(message)
        if barrier is not None:
            if self.barrier is not None:
                message = f"{self.name}: two barriers in one epoch"
                raise ExchangeError(message)
            self.barrier = barrier
        self._blocks[sequence] = data

    def complete(self, epoch: int) -> Barrier:
        """Check that the channel is whole and return its barrier."""
        barrier = self.barrier
        if barrier is None:
            message = f"{self.name}: no barrier for epoch {epoch} after {len(self._blocks)} blocks; data is missing"
            raise ExchangeError(message)
        if barrier.epoch != epoch:
            message = f"{self.name}: barrier of epoch {barrier.epoch} in epoch {epoch}"
            raise ExchangeError(message)
        if not barrier.failed and sorted(self._blocks) != list(range(barrier.blocks)):
            message = f"{self.name}: blocks {sorted(self._blocks)} arrived, {barrier.blocks} were sent; data is missing"
            raise ExchangeError(message)
        return barrier

    def segments(self) -> Iterator[Segment]:
        """Go over the channel's elements of this epoch, in order; once."""
        for sequence in sorted(self._blocks):
            yield from decode_block(self._blocks.pop(sequence))
