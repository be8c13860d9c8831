"""The runs of all keys: live objects over the store, written back once per epoch."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any

from flott.cep.run import Run
from flott.runtime.state.keyed_part import KeyedPart

if TYPE_CHECKING:
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges

__all__ = ["UNKNOWN", "RunStore"]

UNKNOWN: Any = object()
"""Stands for a key that was not looked up yet."""

FEW_EVENTS = 16
"""Up to so many events, a run is one entry of the store; beyond, each event has its own, written when it changes."""


class RunStore(KeyedPart):
    """Key → run. ``live`` may be read from outside; None there means that nothing has started for the key."""

    def __init__(self, backend: KeyedBackend, name: str) -> None:
        self._backend = backend
        self._heads_column = backend.column(name)
        self._events_column = backend.column(f"{name}/events")
        self.live: dict[Any, Run | None] = {}
        self._changed: dict[Any, None] = {}
        self._stored: dict[Any, set[int]] = {}
        """Keys that have a run in the store, with the events that have an entry of their own."""

    def fetch(self, key: Any) -> Run | None:
        """Read the run of a key that is not live."""
        backend = self._backend
        data = backend.get(backend.address(self._heads_column, key))
        if data is None:
            self.live[key] = None
            return None
        partials, completed, next_event, timer, entries = pickle.loads(data)
        apart: set[int] = set()
        if entries is None:
            prefix = backend.address(self._events_column, key)
            entries = {}
            for address, entry in backend.scan(prefix):
                (number,) = struct.unpack(">Q", address[len(prefix) :])
                entries[number] = pickle.loads(entry)
            apart = set(entries)
        self._stored[key] = apart
        run = self.live[key] = Run(partials, completed, next_event, entries, timer)
        return run

    def keep(self, key: Any, run: Run) -> None:
        """Note that a run is new or has changed."""
        self.live[key] = run
        self._changed[key] = None

    def drop(self, key: Any) -> None:
        """Note that nothing is left of a run."""
        self.live[key] = None
        if key in self._stored:
            self._changed[key] = None
        else:
            self._changed.pop(key, None)

    # Write-back

    def flush(self, changes: EpochChanges) -> None:
        """Write the runs that changed."""
        into = changes.entries
        heads, column = self._backend.heads, self._heads_column
        for key in self._changed:
            group, tail = heads[key]
            run = self.live[key]
            apart = self._stored.pop(key, set())
            if run is None:
                into[group + column + tail] = None
                self._write_apart(into, key, apart, {}, apart)
                continue
            entries = run.buffer.entries
            inline = len(entries) <= FEW_EVENTS
            kept = (run.partials, run.completed, run.next_event, run.timer, entries if inline else None)
            into[group + column + tail] = pickle.dumps(kept, 5)
            if inline:
                self._write_apart(into, key, apart, {}, apart)
                self._stored[key] = set()
            else:
                touched = run.buffer.touched if apart else set(entries)
                self._write_apart(into, key, touched, entries, apart)
                self._stored[key] = set(entries)
            run.buffer.touched = set()
        self._changed = {}

    def _write_apart(
        self, changes: Changes, key: Any, touched: set[int], entries: dict[int, list[Any]], apart: set[int]
    ) -> None:
        """Write those of the touched events that there still are, remove those that are stored and gone."""
        if not touched:
            return
        prefix = self._backend.address(self._events_column, key)
        for number in touched:
            entry = entries.get(number)
            if entry is not None:
                changes[prefix + struct.pack(">Q", number)] = pickle.dumps(entry, 5)
            elif number in apart:
                changes[prefix + struct.pack(">Q", number)] = None

    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""
        self.live.clear()
        self._changed = {}
        self._stored = {}

    def live_entries(self) -> int:
        """Say how many live objects are held."""
        return len(self.live) + sum(len(run.buffer.entries) for run in self.live.values() if run is not None)
