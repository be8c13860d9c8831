"""Input that waits in keyed state until it has ended: per key group, in chunks as it came."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any, TypeAlias

from flott.runtime.state.address_layout import group_bytes
from flott.runtime.state.keyed_part import KeyedPart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges

CHUNK = 50_000
"""So many records are held as Python objects, before they are packed."""

Record: TypeAlias = "tuple[int, Any, Any, int | None]"
"""The number of the input, the key, the record and its timestamp."""


class GatheredInput(KeyedPart):
    """Records by key group. An entry's address is ``key group (2 bytes) | column (4) | sequence (4)``."""

    def __init__(self, backend: KeyedBackend, name: str) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self.sequence = 0
        """The next sequence number; whoever uses this carries it from epoch to epoch."""
        self.forget()

    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""
        self._records: dict[bytes, list[Record]] = {}
        self._count = 0
        self._changes: Changes = {}

    def live_entries(self) -> int:
        """Say how many records are in memory between epochs: none."""
        return 0

    def add(self, number: int, keys: list[Any], values: list[Any], stamps: list[int | None]) -> None:
        """Add records of an input."""
        heads, records = self._backend.heads, self._records
        for key, value, stamp in zip(keys, values, stamps, strict=True):
            group = heads[key][0]
            waiting = records.get(group)
            if waiting is None:
                waiting = records[group] = []
            waiting.append((number, key, value, stamp))
        self._count += len(keys)
        if self._count >= CHUNK:
            self.pack()

    def pack(self) -> None:
        """Pack the records that came since the last time."""
        tail = self._column + struct.pack(">I", self.sequence)
        for group, waiting in self._records.items():
            self._changes[group + tail] = pickle.dumps(waiting, 5)
        self.sequence += bool(self._records)
        self._records, self._count = {}, 0
        if len(self._backend.heads) > self._backend.cache.entries:
            self._backend.heads.clear()

    def take(self) -> Iterator[list[Record]]:
        """Remove and give all records, a key group at a time, in the order of arrival."""
        self.pack()
        for number in self._backend.groups:
            prefix = group_bytes(number) + self._column
            stored = list(self._backend.scan(prefix))
            fresh = sorted(address for address in self._changes if address.startswith(prefix))
            found = [record for _, data in stored for record in pickle.loads(data)]
            for address in fresh:
                found += pickle.loads(self._changes.pop(address) or b"")
            self._changes.update({address: None for address, _ in stored})
            if found:
                yield found

    def flush(self, changes: EpochChanges) -> None:
        """Add what came in this epoch, as store entries."""
        self.pack()
        changes.entries.update(self._changes)
        self._changes = {}
