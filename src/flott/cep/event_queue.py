"""Events that wait for the watermark: sorted runs in memory, and in the store what outlives an epoch."""

from __future__ import annotations

import pickle
import struct
from bisect import bisect_right
from operator import le
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.many_keys import loaded_keys
from flott.runtime.state.address_layout import group_bytes
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.timer_queue import NEVER

if TYPE_CHECKING:
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges

__all__ = ["EventQueue", "Events", "in_order", "joined"]

Events = tuple[list[int], list[Any], list[Any]]
"""Times, keys and events, side by side."""

MANY_CHUNKS = 64
"""With more sorted runs than this, they are merged into one."""


class Chunk:
    """A sorted run of events, taken from the front."""

    __slots__ = ("at", "events", "stored", "times")

    def __init__(self, events: Events, *, stored: bool) -> None:
        self.events = events
        self.times = events[0]
        self.at = 0
        self.stored = stored

    def take(self, until: int) -> Events:
        """Take out what is due."""
        start, self.at = self.at, bisect_right(self.times, until, self.at)
        times, keys, values = self.events
        if start == 0 and self.at == len(times):
            return self.events
        return times[start : self.at], keys[start : self.at], values[start : self.at]

    def rest(self) -> Events:
        """Return what is left."""
        times, keys, values = self.events
        return (times[self.at :], keys[self.at :], values[self.at :]) if self.at else self.events


class EventQueue(KeyedPart):
    """The events of one subtask in the order of their time; of one time, in the order of their arrival.

    What waits when an epoch ends is written once, by key group, under
    ``key group (2 bytes) | column (4) | number (8)``. Nothing is rewritten when a part of it is used up: an entry
    without a number says up to which time the key group's events are done.
    """

    def __init__(self, backend: KeyedBackend, name: str) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self.forget()

    def forget(self) -> None:
        """Drop all from memory; the store is the truth."""
        self._arrived: Events = ([], [], [])
        self._chunks: list[Chunk] = []
        self._done = MIN_TIMESTAMP
        self._files: dict[bytes, dict[int, int]] = {}
        """By key group: the stored entries and the latest time in each."""
        self._marks: dict[bytes, int] = {}
        """By key group: the stored time up to which all is done."""
        self._loaded = False

    def restore(self) -> None:
        """Start an epoch: read what is stored, unless it is in memory already."""
        if self._loaded:
            return
        self._loaded = True
        for group in self._backend.groups:
            head = group_bytes(group)
            prefix = head + self._column
            done = MIN_TIMESTAMP
            for address, data in self._backend.scan(prefix):
                if len(address) == len(prefix):
                    done = self._marks[head] = pickle.loads(data)
                    continue
                (number,) = struct.unpack(">Q", address[len(prefix) :])
                times, keys, values = pickle.loads(data)
                events = times, loaded_keys(keys), values
                self._files.setdefault(head, {})[number] = events[0][-1]
                chunk = Chunk(events, stored=True)
                chunk.take(done)
                self._chunks.append(chunk)
        self._merge()

    # In and out

    def add_all(self, times: list[int], keys: list[Any], values: list[Any]) -> None:
        """Put events in."""
        arrived = self._arrived
        arrived[0].extend(times)
        arrived[1].extend(keys)
        arrived[2].extend(values)

    def due(self, until: int) -> Events:
        """Take out the events up to a time."""
        self._settle()
        self._done = max(self._done, until)
        parts = [
            chunk.take(until)
            for chunk in self._chunks
            if chunk.at < len(chunk.times) and chunk.times[chunk.at] <= until
        ]
        self._chunks = [chunk for chunk in self._chunks if chunk.at < len(chunk.times)]
        return parts[0] if len(parts) == 1 else in_order(joined(parts))

    def earliest(self) -> int:
        """Return the time of the first event; NEVER if there is none."""
        self._settle()
        return min((chunk.times[chunk.at] for chunk in self._chunks), default=NEVER)

    def __len__(self) -> int:
        return len(self._arrived[0]) + sum(len(chunk.times) - chunk.at for chunk in self._chunks)

    def _settle(self) -> None:
        """Sort what arrived."""
        if self._arrived[0]:
            self._chunks.append(Chunk(in_order(self._arrived), stored=False))
            self._arrived = ([], [], [])
            if len(self._chunks) > MANY_CHUNKS:
                self._merge()

    def _merge(self) -> None:
        """Make one run of the stored ones, and one of the others."""
        merged = []
        for stored in (True, False):
            events = in_order(joined([chunk.rest() for chunk in self._chunks if chunk.stored is stored]))
            if events[0]:
                merged.append(Chunk(events, stored=stored))
        self._chunks = merged

    # The store

    def flush(self, changes: EpochChanges) -> None:
        """Write what arrived and still waits; remove what is used up."""
        into = changes.entries
        self._settle()
        self._remove_done(into)
        for head, events in self._by_group().items():
            files = self._files.setdefault(head, {})
            number = max(files, default=-1) + 1
            files[number] = events[0][-1]
            into[head + self._column + struct.pack(">Q", number)] = pickle.dumps(events, 5)
        for chunk in self._chunks:
            chunk.stored = True

    def _remove_done(self, changes: Changes) -> None:
        for head, files in list(self._files.items()):
            prefix = head + self._column
            for number in [number for number, last in files.items() if last <= self._done]:
                changes[prefix + struct.pack(">Q", number)] = None
                del files[number]
            if not files:
                del self._files[head]
                if self._marks.pop(head, None) is not None:
                    changes[prefix] = None
            elif self._done > self._marks.get(head, MIN_TIMESTAMP):
                changes[prefix] = pickle.dumps(self._done, 5)
                self._marks[head] = self._done

    def _by_group(self) -> dict[bytes, Events]:
        groups: dict[bytes, Events] = {}
        heads = self._backend.heads
        for chunk in self._chunks:
            if chunk.stored:
                continue
            for time, key, value in zip(*chunk.rest(), strict=True):
                head = heads[key][0]
                events = groups.get(head)
                if events is None:
                    events = groups[head] = ([], [], [])
                events[0].append(time)
                events[1].append(key)
                events[2].append(value)
        return {head: in_order(events) for head, events in groups.items()}

    def live_entries(self) -> int:
        """Report nothing: what waits has to be in memory anyway, so that dropping it would not help."""
        return 0


def joined(parts: list[Events]) -> Events:
    """Put events one behind the other."""
    times: list[int] = []
    keys: list[Any] = []
    values: list[Any] = []
    for part in parts:
        times += part[0]
        keys += part[1]
        values += part[2]
    return times, keys, values


def in_order(events: Events) -> Events:
    """Sort events by time; those of one time stay in their order."""
    times, keys, values = events
    if all(map(le, times, times[1:])):
        return events
    order = sorted(range(len(times)), key=times.__getitem__)
    return [times[i] for i in order], [keys[i] for i in order], [values[i] for i in order]
