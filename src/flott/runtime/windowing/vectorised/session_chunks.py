"""Open sessions in keyed state, in columns: chunks that never change, of which the newest that has a key counts.

An entry's address is ``key group (2 bytes) | column (4) | sequence (4)``, its value the sessions of that key group
that one epoch wrote, as an Arrow record batch. An epoch writes all sessions of each key that it touched; where none is
left of a key, a row without records says so. A chunk that is not much larger than the new one is merged into it, so
that there are few, and each session is written again only a few times, however many others there are.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.column_keys import key_groups
from flott.runtime.state.address_layout import group_bytes
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.windowing.vectorised.key_marks import distinct, key_marks
from flott.runtime.windowing.vectorised.pane_chunks import ROWS_PER_ENTRY
from flott.runtime.windowing.vectorised.partials import PANE, ROWS, Partials, concatenated
from flott.runtime.windowing.vectorised.session_parts import END, FIRED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

ChunkIndex: TypeAlias = "tuple[list[int], int]"


@dataclass(slots=True)
class Chunk:
    """What one epoch wrote, in the order of marks; the rows once they were read."""

    sequence: int
    sessions: Partials | None = None
    marks: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    counts: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    """Which rows count: those of keys that no newer chunk has."""
    addresses: list[bytes] = field(default_factory=list)


class SessionChunks(KeyedPart):
    """The open sessions of all keys of a subtask."""

    def __init__(self, backend: KeyedBackend, plan: AggregatePlan) -> None:
        self._backend = backend
        self._lateness = plan.lateness
        self._column = backend.column("window-sessions")
        self._parts = (END, FIRED, *plan.parts())
        key, *columns = plan.stored(self._parts)
        self._schema = pa.schema([key, pa.field(PANE, pa.int64()), *columns])
        self._groups = {group: group_bytes(group) for group in backend.groups}
        self._sequence = 0
        self.forget()

    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""
        self._chunks: list[Chunk] = []
        self._clear()

    def _clear(self) -> None:
        self._fresh: list[tuple[NDArray[np.int64], Partials]] = []
        self._taken: list[tuple[NDArray[np.int64], Partials]] = []
        """Rows of chunks that count no more since this epoch."""
        self._changes: Changes = {}

    def live_entries(self) -> int:
        """Say how much is in memory, in Python objects."""
        return sum(len(chunk.marks) for chunk in self._chunks) // ROWS_PER_ENTRY

    # Sessions

    def take(self, marks: NDArray[np.int64]) -> list[Partials]:
        """Remove and return the sessions of all keys with one of these marks, which are in order and each once."""
        pieces = []
        for chunk, sessions in self._loaded():
            rows = _matching(chunk.marks, marks)
            rows = rows[chunk.counts[rows]]
            if len(rows):
                chunk.counts[rows] = False
                found = sessions.take(rows)
                self._taken.append((chunk.marks[rows], found))
                pieces.append(found)
        kept = []
        for known, sessions in self._fresh:
            chosen = _among(known, marks)
            if chosen.any():
                pieces.append(sessions.take(np.flatnonzero(chosen)))
                known, sessions = known[~chosen], sessions.take(np.flatnonzero(~chosen))  # noqa: PLW2901
            if len(known):
                kept.append((known, sessions))
        self._fresh = kept
        return [piece.take(np.flatnonzero(piece.columns[ROWS])) for piece in pieces]

    def put(self, sessions: Partials) -> None:
        """Add sessions of keys that have none, or none any more since they were taken."""
        if len(sessions):
            self._fresh.append((key_marks(sessions.keys), sessions))

    def due(self, watermark: int) -> NDArray[np.int64]:
        """Return the marks of keys of which a session fires or goes at a watermark."""
        found = [marks[self._moments(sessions) <= watermark] for marks, sessions in self._counting()]
        return distinct(np.concatenate(found)) if found else np.empty(0, np.int64)

    def next_due(self) -> int:
        """Return when the next session fires or goes."""
        moments = (self._moments(sessions) for _, sessions in self._counting())
        return min((int(some.min()) for some in moments if len(some)), default=MAX_WATERMARK + 1)

    def _moments(self, sessions: Partials) -> NDArray[np.int64]:
        """Return when each session fires, or if it has, when it goes."""
        last = sessions.columns[END] - 1
        late = np.minimum(last, MAX_WATERMARK - self._lateness) + self._lateness
        moments: NDArray[np.int64] = np.where(sessions.columns[FIRED] == 0, last, late)
        return moments

    def _counting(self) -> list[tuple[NDArray[np.int64], Partials]]:
        """Return the sessions that count, with their marks."""
        found = []
        for chunk, sessions in self._loaded():
            rows = np.flatnonzero(chunk.counts & (sessions.columns[ROWS] != 0))
            found.append((chunk.marks[rows], sessions.take(rows)))
        return [*found, *self._fresh]

    # Reading

    def _loaded(self) -> list[tuple[Chunk, Partials]]:
        if any(chunk.sessions is None for chunk in self._chunks):
            newer = np.empty(0, np.int64)
            for chunk in reversed(self._chunks):
                if chunk.sessions is None:
                    self._read(chunk)
                chunk.counts = ~_among(chunk.marks, newer)
                newer = distinct(np.concatenate([newer, chunk.marks]))
        return [(chunk, chunk.sessions) for chunk in self._chunks if chunk.sessions is not None]

    def _read(self, chunk: Chunk) -> None:
        tail = self._column + struct.pack(">I", chunk.sequence)
        pieces = []
        chunk.addresses = []
        for group in self._groups.values():
            value = self._backend.get(group + tail)
            if value is not None:
                chunk.addresses.append(group + tail)
                keys, starts, *columns = pa.ipc.read_record_batch(pa.py_buffer(value), self._schema).columns
                found = {
                    part: column if part[0] == "first" else column.to_numpy()
                    for part, column in zip(self._parts, columns, strict=True)
                }
                pieces.append(Partials(keys, starts.to_numpy(), found))
        _sort(chunk, concatenated(pieces))

    # Between epochs

    def snapshot(self) -> ChunkIndex:
        """Prepare what the store gets, and return which chunks there are then."""
        if self._fresh or self._taken:
            self._write()
        return [chunk.sequence for chunk in self._chunks], self._sequence

    def _write(self) -> None:
        pieces = [sessions for _, sessions in self._fresh]
        present = distinct(np.concatenate([marks for marks, _ in self._fresh] or [np.empty(0, np.int64)]))
        for marks, sessions in self._taken:
            gone = sessions.take(np.flatnonzero(~_among(marks, present)))
            pieces.append(Partials(gone.keys, gone.panes, {**gone.columns, ROWS: np.zeros(len(gone), np.int64)}))
        chunks = self._chunks
        size = sum(len(piece) for piece in pieces)
        while chunks and int(chunks[-1].counts.sum()) <= 2 * size:
            last = chunks.pop()
            counting = last.sessions.take(np.flatnonzero(last.counts))  # type: ignore[union-attr]
            size += len(counting)
            pieces.append(counting)
            self._changes.update(dict.fromkeys(last.addresses))
        new = concatenated(pieces)
        if not chunks:
            # No older chunk has sessions that this one would have to say are gone.
            new = new.take(np.flatnonzero(new.columns[ROWS]))
        if len(new):
            self._add(new)
        self._fresh, self._taken = [], []

    def _add(self, new: Partials) -> None:
        groups = key_groups(new.keys, self._backend.max_parallelism)
        order = np.argsort(groups, kind="stable")
        new, groups = new.take(order), groups[order]
        arrays = [new.keys, pa.array(new.panes), *(pa.array(new.columns[part]) for part in self._parts)]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        cuts = [0, *(np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist(), len(groups)]
        tail = self._column + struct.pack(">I", self._sequence)
        chunk = Chunk(self._sequence)
        for start, stop in pairwise(cuts):
            address = self._groups[int(groups[start])] + tail
            chunk.addresses.append(address)
            self._changes[address] = batch.slice(start, stop - start).serialize().to_pybytes()
        _sort(chunk, new)
        self._chunks.append(chunk)
        self._sequence += 1

    def flush(self, changes: EpochChanges) -> None:
        """Add what ``snapshot`` prepared."""
        changes.entries.update(self._changes)
        self._changes = {}

    def restore(self, index: ChunkIndex | None) -> None:
        """Start an epoch with what ``snapshot`` returned; without it, look into the store."""
        known = {chunk.sequence: chunk for chunk in self._chunks}
        sequences, self._sequence = self._look() if index is None else index
        self._chunks = [known.get(sequence) or Chunk(sequence) for sequence in sequences]
        self._clear()

    def _look(self) -> ChunkIndex:
        prefixes = [group + self._column for group in self._groups.values()]
        found = {struct.unpack(">I", address[-4:])[0] for one in prefixes for address, _ in self._backend.scan(one)}
        return sorted(found), max(found, default=-1) + 1


def _sort(chunk: Chunk, sessions: Partials) -> None:
    marks = key_marks(sessions.keys)
    order = np.argsort(marks)
    chunk.marks, chunk.sessions = marks[order], sessions.take(order)
    chunk.counts = np.ones(len(marks), np.bool_)


def _among(values: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say of each value whether it is among others, which are in order."""
    if not len(wanted):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    found: NDArray[np.bool_] = wanted[places] == values
    return found


def _matching(values: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[Any]:
    """Return where values, which are in order, are among others, which are in order too."""
    if 8 * len(wanted) > len(values):
        return np.flatnonzero(_among(values, wanted))
    first = np.searchsorted(values, wanted, "left")
    counts = np.searchsorted(values, wanted, "right") - first
    places: NDArray[Any] = np.repeat(first, counts) + _counting_up(counts)
    return places


def _counting_up(counts: NDArray[Any]) -> NDArray[Any]:
    """Return 0, 1, 2 and so on, anew for each count."""
    numbers: NDArray[Any] = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return numbers
