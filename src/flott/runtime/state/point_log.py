"""Entries in a log on disk, found through a table of slots: the part of a working store that is only looked up."""

from __future__ import annotations

import mmap
import os
import struct
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from flott.runtime.keys import SPREAD
from flott.runtime.native import entries
from flott.runtime.state.address_layout import COLUMN
from flott.runtime.state.batch_parts import chosen, cut, gathered
from flott.runtime.state.points import GONE, HEADER, PointBatch, batch_of
from flott.runtime.state.slot_table import FULL, PLACE, PLACE_BITS, TAG, LogView, bits_for, find, insert

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from flott.runtime.native._entries import Drafts

BEGIN = b"FLOTTPT1"
FRAME = struct.Struct("<QQ")
"""Before a batch: its entries, and the bytes of its data; the starts of the entries come between."""
LITTLE_WASTE = 16 * 2**20
"""So many bytes of replaced entries are borne; then a log is written anew when they are more than half of it."""
CHUNK_ENTRIES = 65_536
"""So many entries at a time are gathered, or go over to a larger table."""
LARGE_FRAME = 1_024
"""With so many entries or more, on the average, frames are taken as they are: a small one costs as much as a large."""
CHUNK_SIZE = 16 * 2**20
"""About so many bytes are taken out of a log at once."""
ROOM = 2**20
"""The least size of a log's file."""
HEAD = struct.Struct("<QQQQB")
HEADER_SIZE, header_at = HEADER.size, HEADER.unpack_from


class LogHead(NamedTuple):
    """All that must be known of a log besides its files. A log changes in place: only up to here does it count."""

    generation: int = 0
    """Counts how often the log was begun anew."""
    end: int = 0
    """The bytes of the log that count; 0 when there are no files yet."""
    entries: int = 0
    """How many slots are taken."""
    waste: int = 0
    """Bytes of entries that were replaced."""
    bits: int = 0
    """The table has 2 to the power of so many slots."""

    def pack(self) -> bytes:
        """Write it down."""
        return HEAD.pack(*self)


def unpack_head(data: bytes | memoryview | None) -> LogHead:
    """Read a head back; without one, there is no log yet."""
    return LogHead() if data is None else LogHead(*HEAD.unpack(data))


class PointLog:
    """A log that is mapped into memory, and its table of slots.

    Whoever changes it holds the lock of the store it belongs to, and says before that it will and afterwards that it
    has (the head); in between the table counts for nothing, and is made again from the log after a crash.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.head = LogHead()
        self._left: list[Path] = []
        self._close()

    def _close(self) -> None:
        # Mapped pages go when the last who looks at them is gone.
        self._data: Any = b""
        self._slots: Any = [0, 0]
        self._table: NDArray[np.uint64] = np.zeros(2, np.uint64)
        self._mask, self._shift = 1, 31
        self._size = 0

    def _log_file(self, generation: int) -> Path:
        return self.directory / f"points-{generation}.log"

    def _table_file(self, generation: int, bits: int) -> Path:
        return self.directory / f"points-{generation}-{bits}.slots"

    def _files(self) -> list[Path]:
        return [self._log_file(self.head.generation), self._table_file(self.head.generation, self.head.bits)]

    # Life

    def open(self, head: LogHead) -> None:
        """Look at the log as it is at a head."""
        before, self.head = self.head, head
        if not head.end:
            self._close()
            return
        if (before.generation, before.bits) != (head.generation, head.bits) or not before.end:
            self._map_table()
        if before.generation != head.generation or head.end > self._size:
            self._map_log()

    def forget(self) -> None:
        """Look at nothing until the log is opened again."""
        self.head, self._left = LogHead(), []
        self._close()

    def _map_log(self) -> None:
        with self._log_file(self.head.generation).open("r+b") as file:
            self._size = os.fstat(file.fileno()).st_size
            self._data = mmap.mmap(file.fileno(), self._size)

    def _map_table(self) -> None:
        with self._table_file(self.head.generation, self.head.bits).open("r+b") as file:
            mapped = mmap.mmap(file.fileno(), 8 << self.head.bits)
        self._slots = memoryview(mapped).cast("Q")
        self._table = np.frombuffer(mapped, np.uint64)
        self._mask, self._shift = (1 << self.head.bits) - 1, 32 - self.head.bits

    # Reading

    def get(self, address: bytes) -> bytes | None:
        """Return the value at an address, or None."""
        mark = crc32(address)
        slot = (mark * SPREAD & 0xFFFFFFFF) >> self._shift
        tag = mark & TAG
        slots = self._slots
        while word := slots[slot]:
            if word >> PLACE_BITS == tag:
                place = word & PLACE
                data = self._data
                end = place + HEADER_SIZE + len(address)
                if data[place + HEADER_SIZE : end] == address:
                    size, _, length = header_at(data, place)
                    if length == len(address):
                        value: bytes | None = None if size == GONE else data[end : end + size]
                        return value
            slot = slot + 1 & self._mask
        return None

    def get_many(self, addresses: list[bytes]) -> list[bytes | None]:
        """Return the values at addresses, or None: at once, which costs a fraction of one after the other."""
        if not self.head.end or not addresses:
            return [None] * len(addresses)
        if entries is not None:
            return entries.get_many(self._table, self._data, addresses)  # type: ignore[no-any-return]
        view = LogView(self._data, self._size)
        places = find(self._table, view, addresses)
        sizes, _ = view.values_and_marks(places)
        starts = places + view.lengths(places) + np.uint64(HEADER.size)
        ends = np.where((places == 0) | (sizes == GONE), 0, starts + sizes)
        data = self._data
        return [data[start:end] if end else None for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]

    def fetch(
        self,
        column: bytes,
        keys: list[Any],
        max_parallelism: int,
        read: dict[Any, Any],
        written: dict[Any, Any],
        drafts: Drafts | None = None,
    ) -> list[Any]:
        """Put the values of keys into ``read``, if they are in neither; return the keys for which that was not done.

        Of an entry that is among the drafts too, those have what counts.
        """
        if entries is None:
            return keys
        left: list[Any] = entries.fetch(self._table, self._data, keys, column, max_parallelism, read, written, drafts)
        return left

    def batches(self) -> Iterator[PointBatch]:
        """Go over all entries that count, in the order of the log, in parts of bounded size.

        What they show changes with the log: whoever wants to keep it copies it.
        """
        frames = [] if self.head.waste else [batch for _, batch in self._frames()]
        if frames and self.head.entries >= LARGE_FRAME * len(frames):
            for batch in frames:
                yield from cut(batch, CHUNK_SIZE)
            return
        places = np.sort(self._table[self._table != 0] & np.uint64(PLACE))
        for begin in range(0, len(places), CHUNK_ENTRIES):
            yield from self._batches(places[begin : begin + CHUNK_ENTRIES])

    def _batches(self, places: NDArray[np.uint64]) -> Iterator[PointBatch]:
        view = LogView(self._data, self._size)
        sizes, _ = view.values_and_marks(places)
        kept = sizes != GONE
        places = places[kept]
        widths = sizes[kept].astype(np.uint64) + view.lengths(places) + np.uint64(HEADER.size)
        parts = (np.cumsum(widths) - widths) // np.uint64(CHUNK_SIZE)
        for part in np.unique(parts).tolist():
            yield gathered(self._data, places[parts == part], widths[parts == part])

    def _frames(self) -> Iterator[tuple[int, PointBatch]]:
        """Go over the batches as they were written, and where the entries of each begin."""
        view = memoryview(self._data)
        place = len(BEGIN)
        while place < self.head.end:
            count, size = FRAME.unpack_from(self._data, place)
            starts = np.frombuffer(self._data, np.uint64, count, place + FRAME.size)
            place += FRAME.size + 8 * count
            yield place, PointBatch(starts, view[place : place + size])
            place += size

    def entries(self) -> Iterator[tuple[bytes, bytes]]:
        """Go over all entries that count, in no particular order."""
        for batch in self.batches():
            # What was removed is not among them.
            yield from batch.entries()  # type: ignore[misc]

    # Writing

    def append(self, batch: PointBatch) -> None:
        """Add entries, or put them in the place of those with the same address."""
        batch = self._overwritten(batch)
        count = len(batch.starts)
        if not count:
            return
        if not self.head.end:
            self._begin(bits_for(count))
        elif self.head.entries + count > FULL * (1 << self.head.bits):
            self._make_room(count)
        places = self._write(batch)
        replaced = insert(self._table, LogView(self._data, self._size), places)
        self._count(places, replaced)
        if self.head.waste > max(LITTLE_WASTE, self.head.end // 2):
            self.write_anew()

    def _overwritten(self, batch: PointBatch) -> PointBatch:
        """Change values in their place where they keep their size; return the other entries.

        That may stop half-way like everything else here: whoever goes on writes all of these values again.
        """
        count = len(batch.starts)
        if entries is None or not self.head.end or not count:
            return batch
        left = np.empty(count, np.uint64)
        left = left[: entries.overwrite(self._table, self._data, batch.data, batch.starts, left)]
        return chosen(batch, left)

    def _count(self, added: NDArray[np.uint64], replaced: NDArray[np.uint64]) -> None:
        """Take account of new entries: those that they replace are waste, and so is what only says that one is gone."""
        view = LogView(self._data, self._size)
        new, old = view.values_and_marks(added)[0], view.values_and_marks(replaced)[0]
        live = replaced[old != GONE]
        waste = int(old[old != GONE].sum(dtype=np.int64))
        for places in (live, added[new == GONE]):
            waste += int(view.lengths(places).sum(dtype=np.int64)) + HEADER.size * len(places)
        entries = self.head.entries + len(added) - len(replaced)
        self.head = self.head._replace(entries=entries, waste=self.head.waste + waste)

    def _begin(self, bits: int) -> None:
        """Begin a log, in the next generation."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._remove_orphans()
        self.head = LogHead(self.head.generation + 1, len(BEGIN), 0, 0, bits)
        path = self._log_file(self.head.generation)
        with path.open("xb") as file:
            file.write(BEGIN)
            file.truncate(ROOM)
        self._make_table()
        self._map_log()

    def _remove_orphans(self) -> None:
        """Remove what processes left that died: files of neither this head nor one since the last that counted."""
        known = {*self._files(), *self._left}
        for path in self.directory.glob("points-*"):
            if path not in known:
                path.unlink(missing_ok=True)

    def _make_table(self) -> None:
        path = self._table_file(self.head.generation, self.head.bits)
        path.unlink(missing_ok=True)
        with path.open("xb") as file:
            # Room that is not there must show here, not when a mapped page is touched.
            reserve(file.fileno(), 8 << self.head.bits)
        self._map_table()

    def _make_room(self, count: int) -> None:
        """See that the table has room for more entries."""
        if 4 * self.head.waste > self.head.end:
            # Perhaps many slots are taken by entries that are gone.
            self.write_anew()
        if self.head.entries + count > FULL * (1 << self.head.bits):
            self._grow(bits_for(self.head.entries + count))

    def _grow(self, bits: int) -> None:
        """Go over to a larger table."""
        places = self._table[self._table != 0] & np.uint64(PLACE)
        self._left.append(self._table_file(self.head.generation, self.head.bits))
        self.head = self.head._replace(bits=bits)
        self._make_table()
        view = LogView(self._data, self._size)
        for begin in range(0, len(places), CHUNK_ENTRIES):
            insert(self._table, view, places[begin : begin + CHUNK_ENTRIES])

    def _write(self, batch: PointBatch) -> NDArray[np.uint64]:
        """Write a batch behind the end; return where its entries are."""
        buffers = [FRAME.pack(len(batch.starts), len(batch.data)), batch.starts.tobytes(), batch.data]
        size = sum(map(len, buffers))
        end = self.head.end
        with self._log_file(self.head.generation).open("r+b", buffering=0) as file:
            if end + size > self._size:
                # A file with a hole at its end: mapped anew, all its pages would have to be found again.
                file.truncate(max(ROOM, 2 * (end + size)))
            file.seek(end)
            for buffer in buffers:
                write_whole(file, buffer)
        self.head = self.head._replace(end=end + size)
        if self.head.end > self._size:
            self._map_log()
        places: NDArray[np.uint64] = batch.starts + np.uint64(end + FRAME.size + 8 * len(batch.starts))
        return places

    def write_anew(self, without: Collection[bytes] = ()) -> None:
        """Write what counts into a log of its own, and forget the rest; some columns do not count any longer."""
        old = PointLog(self.directory)
        old.open(self.head)
        self._left += self._files()
        self._close()
        self._begin(bits_for(old.head.entries))
        for batch in old.batches():
            places = self._write(without_columns(batch, without) if without else batch)
            insert(self._table, LogView(self._data, self._size), places)
            self.head = self.head._replace(entries=self.head.entries + len(places))

    def clear(self, head: LogHead) -> None:
        """Forget all entries of the log at a head, whether or not it could be opened."""
        self.head = head
        if head.end:
            self._left += self._files()
        self.head = LogHead(head.generation)
        self._close()

    def mend(self) -> None:
        """Make the table again from the log up to its head: whoever changed it last did not come to an end."""
        if not self.head.end:
            return
        self._table[:] = 0
        view = LogView(self._data, self._size)
        for place, batch in self._frames():
            insert(self._table, view, batch.starts + np.uint64(place))

    def tidy(self) -> None:
        """Remove the files that are no longer needed, once everybody can know."""
        for path in self._left:
            path.unlink(missing_ok=True)
        self._left = []


def without_columns(batch: PointBatch, columns: Collection[bytes]) -> PointBatch:
    """Return the entries of other columns."""
    kept = [entry for entry in batch.entries() if entry[0][COLUMN] not in columns]
    return batch_of([address for address, _ in kept], [value for _, value in kept])


def reserve(file: int, size: int) -> None:
    """Give a new file its size, and the room for it on disk where the system can promise that."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)


def write_whole(file: Any, buffer: Any) -> None:
    """Write all of a buffer: a file that is written without a buffer of its own may take a part only."""
    rest = memoryview(buffer)
    while rest:
        rest = rest[file.write(rest) :]
