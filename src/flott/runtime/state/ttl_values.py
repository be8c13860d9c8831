"""Value, reducing and aggregating state with a time to live: the whole value expires."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar

from flott.runtime.state.ttl import moments_of, with_moments
from flott.runtime.state.ttl_sweep import Sweep, keep_or_drop
from flott.runtime.state.values import SingleValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import EpochChanges
    from flott.runtime.state.ttl import Lifetime
    from flott.runtime.state.values import Aggregate


class ExpiringValue(SingleValue):
    """One value per key; in memory, a pair of the value and the moment it was last touched."""

    __slots__ = ("_lifetime", "_now", "_uses", "sweep")
    is_looked_up: ClassVar[bool] = False
    """Those that expired are found by walking over all of them."""

    def __init__(self, backend: KeyedBackend, name: str, lifetime: Lifetime, clock: Clock) -> None:
        super().__init__(backend, name)
        self._lifetime = lifetime
        self._now = clock.now
        self._uses = 0
        self.sweep = Sweep(backend, self._column, lifetime, keep_or_drop)

    def _current(self) -> Any:
        """Return the value that may be seen, renew its life or end it as the rules say."""
        self._uses += 1
        pair = self.raw()
        if pair is None:
            return None
        lifetime, now = self._lifetime, self._now()
        if lifetime.over(pair[1], now):
            self._written[self._scope.key] = None
            return pair[0] if lifetime.expired_is_visible else None
        if lifetime.renewed_by_reading and pair[1] != now:
            self._written[self._scope.key] = (pair[0], now)
        return pair[0]

    def _to_add_to(self) -> Any:
        """Return the value that an added one joins; None if there is none, or none any more."""
        self._uses += 1
        pair = self.raw()
        lifetime = self._lifetime
        if pair is None or (not lifetime.expired_is_visible and lifetime.over(pair[1], self._now())):
            return None
        return pair[0]

    def accumulated(self) -> Any:
        """Return what lives of the current key's value, to be merged into that of another."""
        return self._to_add_to()

    def _set(self, value: Any) -> None:
        self._uses += 1
        self._written[self._scope.key] = None if value is None else (value, self._now())

    def _fetch(self, key: Any) -> Any:
        read = self._read
        if key in read:
            return read[key]
        address = self._backend.address(self._column, key)
        data = self._backend.get(address)
        if data is None:
            read[key] = None
            return None
        value = pickle.loads(data)
        if self.convert is not None:
            value = self.convert(address, value)
        moments = moments_of(data)
        if moments is None:
            # Written before the state had a time to live: its life begins when it is first seen.
            pair = self._written[key] = (value, self._now())
            return pair
        pair = read[key] = (value, moments[0])
        return pair

    def _differs(self, value: Any, stored: bytes | None) -> bool:
        return stored != with_moments(pickle.dumps(value[0], 5), value[1:])

    def flush(self, changes: EpochChanges) -> None:
        into = changes.entries
        self._keep_changed()
        for key, pair in self._written.items():
            address = self._backend.address(self._column, key)
            into[address] = None if pair is None else with_moments(pickle.dumps(pair[0], 5), pair[1:])
        self._read.update(self._written)
        self._written = {}
        if self.sweep.run(into, self._uses, self._now()):
            self.forget()
        self._uses = 0


class ExpiringValueState(ExpiringValue):
    """One value per key, for a time."""

    __slots__ = ()

    def value(self) -> Any:
        """Return the value of the current key, or None."""
        return self._current()

    def update(self, value: Any) -> None:
        """Set the value of the current key; None removes it."""
        self._set(value)

    def values_of(self, keys: list[Any]) -> list[Any]:
        """Return the values of several keys, None where there is none."""
        found = []
        for self._scope.key in keys:
            found.append(self._current())
        self._scope.unset()
        return found

    def update_all(self, keys: Iterable[Any], values: Iterable[Any]) -> None:
        """Set the values of several keys; None removes one."""
        for self._scope.key, value in zip(keys, values, strict=True):
            self._set(value)
        self._scope.unset()


class ExpiringReducingState(ExpiringValue):
    """One value per key, into which added ones are reduced, for a time after the last was."""

    __slots__ = ("_reduce",)

    def __init__(
        self, backend: KeyedBackend, name: str, lifetime: Lifetime, clock: Clock, reduce: Callable[[Any, Any], Any]
    ) -> None:
        super().__init__(backend, name, lifetime, clock)
        self._reduce = reduce

    def get(self) -> Any:
        """Return what was added so far, reduced; None when nothing was."""
        return self._current()

    def add(self, value: Any) -> None:
        """Reduce a value into the current key's; None clears it."""
        before = None if value is None else self._to_add_to()
        self._set(value if before is None else self._reduce(before, value))


class ExpiringAggregatingState(ExpiringValue):
    """One accumulator per key, into which values are added, for a time after the last was."""

    __slots__ = ("_aggregate",)

    def __init__(
        self, backend: KeyedBackend, name: str, lifetime: Lifetime, clock: Clock, aggregate: Aggregate
    ) -> None:
        super().__init__(backend, name, lifetime, clock)
        self._aggregate = aggregate

    def get(self) -> Any:
        """Return the result of what was added so far; None when nothing was."""
        accumulator = self._current()
        return None if accumulator is None else self._aggregate.get_result(accumulator)

    def add(self, value: Any) -> None:
        """Add a value to the current key's accumulator; None clears it."""
        if value is None:
            self._set(None)
            return
        accumulator = self._to_add_to()
        if accumulator is None:
            accumulator = self._aggregate.create_accumulator()
        self._set(self._aggregate.add(value, accumulator))

    def merge_in(self, accumulator: Any) -> None:
        """Merge another key's accumulator into the current key's."""
        if accumulator is not None:
            before = self._to_add_to()
            self._set(accumulator if before is None else self._aggregate.merge(before, accumulator))
