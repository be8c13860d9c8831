"""Records of each key by their time, in order, so that those between two moments are found without looking at all."""

from __future__ import annotations

import pickle
from bisect import bisect_left, bisect_right, insort
from itertools import chain
from typing import TYPE_CHECKING, Any

from flott.runtime.state.address_layout import time_bytes, time_in
from flott.runtime.state.keyed_part import KeyedPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import EpochChanges


class TimeBuffer(KeyedPart):
    """Per key, buckets of values by moment; a bucket is one entry of the store."""

    __slots__ = ("_backend", "_buckets", "_can_change", "_changed", "_column", "_scope", "_times", "may_change")

    def __init__(self, backend: KeyedBackend, name: str, can_change: Callable[[Any], bool] | None = None) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._scope = backend.scope
        self._buckets: dict[Any, dict[int, list[Any]]] = {}
        self._times: dict[Any, list[int]] = {}
        """The moments of each key that is in memory, in order."""
        self._changed: dict[Any, set[int]] = {}
        self._can_change = can_change
        self.may_change = False
        """Whether there are values, of those that were read or announced, that a function can change in place."""

    def add(self, time: int, value: Any) -> None:
        """Put a value of the current key at a moment."""
        key = self._scope.key
        buckets = self._of(key)
        bucket = buckets.get(time)
        if bucket is None:
            buckets[time] = [value]
            times = self._times[key]
            # Most come in order.
            if not times or time > times[-1]:
                times.append(time)
            else:
                insort(times, time)
        else:
            bucket.append(value)
        self.touch(time)

    def touch(self, time: int) -> None:
        """Note that the bucket of a moment was changed in place."""
        key = self._scope.key
        changed = self._changed.get(key)
        if changed is None:
            self._changed[key] = {time}
        else:
            changed.add(time)

    def between(self, low: int, high: int) -> list[tuple[int, list[Any]]]:
        """Return the buckets of the current key from ``low`` to ``high``, both included, in order."""
        key = self._scope.key
        buckets = self._of(key)
        times = self._times[key]
        if not times or times[-1] < low or times[0] > high:
            return []
        return [(time, buckets[time]) for time in times[bisect_left(times, low) : bisect_right(times, high)]]

    def remove(self, time: int) -> list[Any]:
        """Take out the bucket of a moment; empty when there is none."""
        key = self._scope.key
        bucket = self._of(key).pop(time, None)
        if bucket is None:
            return []
        times = self._times[key]
        del times[bisect_left(times, time)]
        self.touch(time)
        return bucket

    def _of(self, key: Any) -> dict[int, list[Any]]:
        buckets = self._buckets.get(key)
        if buckets is None:
            # In the store, too, the moments of a key are in order.
            buckets = self._buckets[key] = dict(self._stored(key))
            if self._can_change is not None and not self.may_change:
                self.may_change = any(map(self._can_change, chain.from_iterable(buckets.values())))
            self._times[key] = list(buckets)
        return buckets

    def _stored(self, key: Any) -> Iterator[tuple[int, list[Any]]]:
        prefix = self._backend.address(self._column, key)
        for address, data in self._backend.scan(prefix):
            yield time_in(address, len(prefix)), pickle.loads(data)

    # Write-back

    def flush(self, changes: EpochChanges) -> None:
        into = changes.entries
        for key, times in self._changed.items():
            prefix = self._backend.address(self._column, key)
            buckets = self._buckets[key]
            for time in times:
                bucket = buckets.get(time)
                into[prefix + time_bytes(time)] = None if bucket is None else pickle.dumps(bucket, 5)
        for key in self._changed:
            if not self._buckets[key]:
                del self._buckets[key], self._times[key]
        self._changed = {}

    def forget(self) -> None:
        self._buckets = {}
        self._times = {}
        self._changed = {}

    def live_entries(self) -> int:
        return len(self._buckets) + sum(map(len, self._times.values()))
