"""A queue of timers of which many wait for the same moment, as those of tumbling and sliding windows do."""

from __future__ import annotations

import pickle
import struct
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, TypeAlias

from flott.runtime.canonical_keys import loaded_key
from flott.runtime.many_keys import loaded_keys
from flott.runtime.state.address_layout import chunk_bytes, chunk_in, group_bytes, time_bytes
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.timer_queue import DIGEST, NEVER, Owners

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.timer_queue import OwnerCodec

MomentIndex: TypeAlias = "tuple[dict[int, list[tuple[int, int]]], int]"
"""Per moment, what was stored when and how many timers each time; and the next sequence number."""


class MomentQueue(KeyedPart):
    """Timers in the order of their time, all that an epoch adds to a moment stored together.

    An entry's address is ``key group (2 bytes) | column (4) | time (8) | sequence (4)``, its value the owners, so that
    hundreds of thousands of windows that end together are a few entries. None is looked up by its owner; taking a
    single one back costs as much as reading its moment.
    """

    withdrawn: Owners

    def __init__(self, backend: KeyedBackend, name: str, codec: OwnerCodec) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._codec = codec
        self._groups = [group_bytes(group) for group in backend.groups]
        self._sequence = 0
        self.forget()

    def forget(self) -> None:
        """Drop all from memory; the store is the truth."""
        self._new: dict[int, Owners] = {}
        self._stored: dict[int, list[tuple[int, int]]] = {}
        self._times: list[int] = []
        """Heap of the moments in either; a moment may be gone from both."""
        self._changes: Changes = {}
        self._firing: int | None = None
        self.withdrawn = {}

    def live_entries(self) -> int:
        """Say how many timers are in memory between epochs: none."""
        return 0

    # Registering and firing

    def add(self, owner: Any, time: int) -> None:
        """Register a timer; a second one for the same owner and moment is the same timer."""
        new = self._new.get(time)
        if new is None:
            new = self._new[time] = {}
            if time not in self._stored:
                heappush(self._times, time)
        new[owner] = None

    def remove(self, owner: Any, time: int) -> None:
        """Delete a timer; nothing happens if there is none."""
        if time in self._stored:
            self._new[time] = {**self._take_stored(time), **self._new.get(time, {})}
        self._new.get(time, {}).pop(owner, None)
        if time == self._firing:
            self.withdrawn[owner] = None

    def due(self, until: int) -> Iterator[tuple[int, list[Any]]]:
        """Take out what is due at ``until``, moment by moment; sees what is registered meanwhile."""
        while self._times and self._times[0] <= until:
            time = heappop(self._times)
            owners = {**self._take_stored(time), **self._new.pop(time, {})}
            if owners:
                self._firing = time
                yield time, list(owners)
                self._firing = None
                self.withdrawn.clear()

    def earliest(self) -> int:
        """Return the moment of the first timer, or NEVER."""
        return min((*self._stored, *(time for time, owners in self._new.items() if owners)), default=NEVER)

    def all(self) -> list[tuple[int, Any]]:
        """Return every timer, by reading all of them: for tests and for looking into a savepoint."""
        return [
            (time, owner)
            for time in sorted({*self._new, *self._stored})
            for owner in {**self._read(time)[0], **self._new.get(time, {})}
        ]

    # The store

    def _read(self, time: int) -> tuple[Owners, list[bytes]]:
        """Return who is stored for a moment, and at which addresses."""
        owners: Owners = {}
        addresses = []
        prefix = self._column + time_bytes(time)
        for sequence, _ in self._stored.get(time, ()):
            tail = prefix + struct.pack(">I", sequence)
            for group in self._groups:
                data = self._backend.get(group + tail)
                if data is not None:
                    addresses.append(group + tail)
                    owners.update(dict.fromkeys(self._owners(pickle.loads(data))))
        return owners, addresses

    def _owners(self, entry: dict[bytes, list[Any]]) -> Iterable[Any]:
        owner = self._codec.owner
        for namespace, keys in entry.items():
            if namespace[:1] == DIGEST:
                yield from [(loaded_key(key), window) for key, window in keys]
            elif keys:
                _, window = owner(keys[0], namespace)
                yield from [(key, window) for key in loaded_keys(keys)]

    def _take_stored(self, time: int) -> Owners:
        if time not in self._stored:
            return {}
        owners, addresses = self._read(time)
        del self._stored[time]
        self._changes.update(dict.fromkeys(addresses))
        return owners

    # Between epochs

    def snapshot(self) -> MomentIndex:
        """Prepare what the store gets, and return where what is then."""
        for time, owners in self._new.items():
            if owners:
                self._write(time, owners)
        self._new = {}
        return {time: list(chunks) for time, chunks in self._stored.items()}, self._sequence

    def _write(self, time: int, owners: Owners) -> None:
        stored = self._stored.get(time, [])
        kept, size = len(stored), len(owners)
        while kept and stored[kept - 1][1] <= size:
            kept -= 1
            size += stored[kept][1]
        if kept < len(stored):
            # So there are few entries, and each timer is written again only a few times.
            self._stored[time] = stored[kept:]
            owners = {**self._take_stored(time), **owners}
            stored = stored[:kept]
        self._stored[time] = [*stored, (self._sequence, len(owners))]
        prefix = self._column + chunk_bytes(time, self._sequence)
        for group, entry in self._by_group(owners).items():
            self._changes[group + prefix] = pickle.dumps(entry, 5)
        self._sequence += 1

    def _by_group(self, owners: Owners) -> dict[bytes, dict[bytes, list[Any]]]:
        heads, namespace_bytes = self._backend.heads, self._codec.namespace_bytes
        found: dict[bytes, dict[bytes, list[Any]]] = {}
        for owner in owners:
            key = owner[0]
            group = heads[key][0]
            namespace = namespace_bytes(owner)
            entry = found.get(group)
            if entry is None:
                entry = found[group] = {}
            keys = entry.get(namespace)
            if keys is None:
                keys = entry[namespace] = []
            keys.append(owner if namespace[:1] == DIGEST else key)
        return found

    def flush(self, changes: EpochChanges) -> None:
        """Add what ``snapshot`` prepared."""
        changes.entries.update(self._changes)
        self._changes = {}

    def restore(self, index: MomentIndex | None) -> None:
        """Start an epoch with what ``snapshot`` returned; without it, look into the store."""
        self.forget()
        self._stored, self._sequence = self._look() if index is None else (dict(index[0]), index[1])
        self._times = sorted(self._stored)

    def _look(self) -> MomentIndex:
        sizes: dict[int, dict[int, int]] = {}
        for group in self._groups:
            for address, value in self._backend.scan(group + self._column):
                time, sequence = chunk_in(address)
                chunks = sizes.setdefault(time, {})
                chunks[sequence] = chunks.get(sequence, 0) + sum(map(len, pickle.loads(value).values()))
        last = max((sequence for chunks in sizes.values() for sequence in chunks), default=-1)
        return {time: sorted(chunks.items()) for time, chunks in sizes.items()}, last + 1
