"""Partials in keyed state: by pane, in chunks of a key group each, so that none is looked up by its key.

An entry's address is ``key group (2 bytes) | column (4) | pane (8) | sequence (4)``, its value the partials of that
key group as one Arrow record batch. An epoch adds a chunk per pane; a chunk that is not much larger than the new one
is merged into it, so that there are few, and each partial is written again only a few times.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.column_keys import key_groups
from flott.runtime.state.address_layout import chunk_bytes, chunk_in, group_bytes, time_bytes
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.windowing.vectorised.partials import Partials, concatenated, merged

if TYPE_CHECKING:
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

ROWS_PER_ENTRY = 8
"""A row in columns takes about as much memory as this part of a Python object."""

ChunkIndex: TypeAlias = "tuple[dict[int, list[tuple[int, int]]], int, int]"


@dataclass(slots=True)
class Chunk:
    """What one epoch added to a pane: how many rows, and the rows and where they are stored, once they were read."""

    sequence: int
    rows: int
    partials: Partials | None = None
    addresses: list[bytes] = field(default_factory=list)


class PaneChunks(KeyedPart):
    """The partials of all open panes of a subtask."""

    def __init__(self, backend: KeyedBackend, plan: AggregatePlan, length: int) -> None:
        self._backend = backend
        self._column = backend.column("window-panes")
        self._fired_column = backend.column("window-panes-fired")
        self._schema = plan.stored()
        self._parts = plan.parts()
        self._length = length
        self._groups = {group: group_bytes(group) for group in backend.groups}
        self._sequence = 0
        self._fired_written = MIN_TIMESTAMP
        self.forget()

    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""
        self._stored: dict[int, list[Chunk]] = {}
        self._written: dict[int, list[Partials]] = {}
        self._changes: Changes = {}

    def live_entries(self) -> int:
        """Say how much is in memory, in Python objects."""
        rows = sum(chunk.rows for chunks in self._stored.values() for chunk in chunks if chunk.partials is not None)
        return rows // ROWS_PER_ENTRY

    # Panes

    def panes(self) -> list[int]:
        """Return the panes that hold something, in the order of time."""
        return sorted(self._stored.keys() | self._written.keys())

    def holds(self, pane: int) -> bool:
        """Say whether a pane holds something."""
        return pane in self._stored or pane in self._written

    def add(self, pane: int, partials: Partials) -> None:
        """Add partials to a pane."""
        self._written.setdefault(pane, []).append(partials)

    def load(self, pane: int) -> list[Partials]:
        """Return what a pane holds, in the order of arrival."""
        chunks = self._stored.get(pane, [])
        if any(chunk.partials is None for chunk in chunks):
            self._read(pane, chunks)
        read = [chunk.partials for chunk in chunks if chunk.partials is not None]
        return [*read, *self._written.get(pane, ())]

    def drop(self, pane: int) -> None:
        """Forget a pane for good."""
        self._written.pop(pane, None)
        chunks = self._stored.pop(pane, [])
        if any(not chunk.addresses for chunk in chunks):
            self._read(pane, chunks)
        for chunk in chunks:
            self._changes.update(dict.fromkeys(chunk.addresses))

    def _read(self, pane: int, chunks: list[Chunk]) -> None:
        unread = {chunk.sequence: chunk for chunk in chunks if chunk.partials is None}
        pieces: dict[int, list[Partials]] = {sequence: [] for sequence in unread}
        tail = self._column + time_bytes(pane)
        for group in self._groups.values():
            for address, value in self._backend.scan(group + tail):
                _, sequence = chunk_in(address)
                # The store still has chunks that were merged into others in this epoch.
                if sequence in unread:
                    unread[sequence].addresses.append(address)
                    pieces[sequence].append(self._decoded(pane, value))
        for sequence, chunk in unread.items():
            chunk.partials = concatenated(pieces[sequence])

    def _decoded(self, pane: int, value: bytes) -> Partials:
        keys, *columns = pa.ipc.read_record_batch(pa.py_buffer(value), self._schema).columns
        found = {
            part: column if part[0] == "first" else column.to_numpy()
            for part, column in zip(self._parts, columns, strict=True)
        }
        return Partials(keys, np.full(len(keys), pane, np.int64), found)

    # Between epochs

    def snapshot(self, fired: int | None) -> ChunkIndex:
        """Prepare what the store gets, and return which chunks there are then.

        ``fired`` is the last moment up to which windows fired of which some panes are still held; None if no such
        pane is. After a rescaling, when event time starts anew, it keeps these windows from firing twice.
        """
        for pane, pieces in self._written.items():
            self._write(pane, merged(pieces, self._length) if len(pieces) > 1 else pieces[0])
        self._written = {}
        mark = MIN_TIMESTAMP if fired is None else fired
        if mark != self._fired_written:
            value = None if fired is None else struct.pack(">q", fired)
            self._changes.update({group + self._fired_column: value for group in self._groups.values()})
            self._fired_written = mark
        index = {pane: [(chunk.sequence, chunk.rows) for chunk in chunks] for pane, chunks in self._stored.items()}
        return index, self._sequence, mark

    def _write(self, pane: int, new: Partials) -> None:
        chunks = self._stored.setdefault(pane, [])
        while chunks and chunks[-1].rows <= 2 * len(new):
            if chunks[-1].partials is None:
                self._read(pane, chunks)
            last = chunks.pop()
            self._changes.update(dict.fromkeys(last.addresses))
            new = merged([last.partials, new], self._length)  # type: ignore[list-item]
        groups = key_groups(new.keys, self._backend.max_parallelism)
        order = np.argsort(groups, kind="stable")
        new, groups = new.take(order), groups[order]
        arrays = [new.keys, *(pa.array(new.columns[part]) for part in self._parts)]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        cuts = [0, *(np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist(), len(groups)]
        tail = self._column + chunk_bytes(pane, self._sequence)
        addresses = []
        for start, stop in pairwise(cuts):
            address = self._groups[int(groups[start])] + tail
            addresses.append(address)
            self._changes[address] = batch.slice(start, stop - start).serialize().to_pybytes()
        chunks.append(Chunk(self._sequence, len(new), new, addresses))
        self._sequence += 1

    def flush(self, changes: EpochChanges) -> None:
        """Add what ``snapshot`` prepared."""
        changes.entries.update(self._changes)
        self._changes = {}

    def restore(self, index: ChunkIndex | None) -> dict[int, int]:
        """Start an epoch with what ``snapshot`` returned.

        Without it, look into the store, and return up to where windows of each key group have fired already.
        """
        if index is None:
            return self._look()
        known = {(pane, chunk.sequence): chunk for pane, chunks in self._stored.items() for chunk in chunks}
        panes, self._sequence, self._fired_written = index
        self._stored = {
            pane: [known.get((pane, sequence)) or Chunk(sequence, rows) for sequence, rows in chunks]
            for pane, chunks in panes.items()
        }
        self._written, self._changes = {}, {}
        return {}

    def _look(self) -> dict[int, int]:
        rows: dict[int, dict[int, int]] = {}
        fired: dict[int, int] = {}
        for number, group in self._groups.items():
            for address, value in self._backend.scan(group + self._column):
                time, sequence = chunk_in(address)
                size = pa.ipc.read_record_batch(pa.py_buffer(value), self._schema).num_rows
                chunks = rows.setdefault(time, {})
                chunks[sequence] = chunks.get(sequence, 0) + size
            mark = self._backend.get(group + self._fired_column)
            if mark is not None:
                (fired[number],) = struct.unpack(">q", mark)
        self._stored = {pane: [Chunk(*one) for one in sorted(chunks.items())] for pane, chunks in rows.items()}
        self._sequence = 1 + max((sequence for chunks in rows.values() for sequence in chunks), default=-1)
        # Whatever the marks say, they are written anew when they are next known.
        self._fired_written = MIN_TIMESTAMP if not fired else MIN_TIMESTAMP - 1
        self._written, self._changes = {}, {}
        return fired
