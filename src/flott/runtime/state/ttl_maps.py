"""Map state with a time to live: each entry expires on its own."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.runtime.canonical_keys import PLAIN
from flott.runtime.state.maps import REMOVED, MapState
from flott.runtime.state.ttl import moments_of, with_moments
from flott.runtime.state.ttl_sweep import Sweep, keep_or_drop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import EpochChanges
    from flott.runtime.state.ttl import Lifetime


class ExpiringMapState(MapState):
    """A map per key; in memory, of pairs of a value and the moment it was last touched."""

    __slots__ = ("_lifetime", "_now", "_uses", "sweep")

    def __init__(self, backend: KeyedBackend, name: str, lifetime: Lifetime, clock: Clock) -> None:
        super().__init__(backend, name)
        self._lifetime = lifetime
        self._now = clock.now
        self._uses = 0
        self.sweep = Sweep(backend, self._column, lifetime, keep_or_drop)

    # What is seen

    def get(self, key: Any) -> Any:
        """Return the value under a map key, or None."""
        value = self._seen(key, self._lookup(key), self._now())
        return None if value is REMOVED else value

    def contains(self, key: Any) -> bool:
        """Say whether there is an entry under a map key."""
        return self._seen(key, self._lookup(key), self._now()) is not REMOVED

    def put(self, key: Any, value: Any) -> None:
        """Set the value under a map key."""
        self._uses += 1
        super().put(key, (value, self._now()))

    def remove(self, key: Any) -> None:
        """Remove the entry under a map key, if there is one."""
        self._write(key, REMOVED)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Go over the entries that live; what expired is removed."""
        now = self._now()
        seen = ((key, self._seen(key, pair, now)) for key, pair in list(super().items()))
        return iter([(key, value) for key, value in seen if value is not REMOVED])

    def _seen(self, key: Any, pair: Any, now: int) -> Any:
        """Return the value that may be seen, renew its life or end it as the rules say."""
        self._uses += 1
        if pair is REMOVED:
            return REMOVED
        value, moment = pair
        lifetime = self._lifetime
        if lifetime.over(moment, now):
            self._write(key, REMOVED)
            return value if lifetime.expired_is_visible else REMOVED
        if lifetime.renewed_by_reading and moment != now:
            self._write(key, (value, now))
        return value

    def _write(self, key: Any, pair: Any) -> None:
        """Write an entry that is there under its key, which comes back as it was put in."""
        self._written.setdefault(self._scope.key, {})[key if type(key) in PLAIN else self._found_by(key)] = pair

    # The store

    def _lookup(self, key: Any) -> Any:
        at = self._scope.key
        if type(key) not in PLAIN:
            key = self._found_by(key)
        written = self._written.get(at)
        if written is not None and key in written:
            return written[key]
        read = self._read.setdefault(at, {})
        if key in read:
            value = read[key]
            return value if self._handed is None else self._hand_out(at, key, value)
        if at in self._complete or at in self._cleared:
            return REMOVED
        address = self._address(at, key)
        data = self._stored(address)
        if data is None:
            read[key] = REMOVED
            return REMOVED
        pair = self._take_in(at, read, address, data)
        return pair if self._handed is None else self._hand_out(at, key, pair)

    def _differs(self, at: Any, key: Any, value: Any) -> bool:
        stored = self._stored(self._address(at, key))
        return stored != self._data(at, key, value)

    def _data(self, at: Any, key: Any, pair: Any) -> bytes:
        return with_moments(pickle.dumps((self._shown.of(at, key), pair[0]), 5), pair[1:])

    def _load(self, at: Any) -> dict[Any, Any]:
        read = self._read.setdefault(at, {})
        if at not in self._complete and at not in self._cleared:
            for address, data in self._backend.scan(self._backend.address(self._column, at)):
                self._take_in(at, read, address, data)
            self._complete.add(at)
        return read

    def _take_in(self, at: Any, read: dict[Any, Any], address: bytes, data: bytes) -> Any:
        key, value = self._entry(at, address, data)
        if key in read:
            return read[key]  # it may have been changed in place since
        moments = moments_of(data)
        if moments is not None:
            pair = read[key] = (value, moments[0])
            return pair
        # Written before the state had a time to live: its life begins when it is first seen.
        return self._written.setdefault(at, {}).setdefault(key, (value, self._now()))

    def flush(self, changes: EpochChanges) -> None:
        into = changes.entries
        self._keep_changed()
        for at in self._cleared:
            for address, _ in self._backend.scan(self._backend.address(self._column, at)):
                into[address] = None
        for at, written in self._written.items():
            read = self._read.setdefault(at, {})
            for key, pair in written.items():
                address = self._address(at, key)
                into[address] = None if pair is REMOVED else self._data(at, key, pair)
                read[key] = pair
        self._complete |= self._cleared
        self._written = {}
        self._cleared = set()
        self.put_moved(into)
        if self.sweep.run(into, self._uses, self._now()):
            self.forget()
        self._uses = 0
