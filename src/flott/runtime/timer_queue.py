"""A queue of timers: in memory what is new and what is due soon, in the store all the rest."""

from __future__ import annotations

import pickle
from contextlib import suppress
from heapq import heappop, heappush, heapreplace
from itertools import chain
from operator import index
from typing import TYPE_CHECKING, Any, Protocol

from flott.errors import StateAccessError
from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.canonical_keys import loaded_key
from flott.runtime.keys import decode_key
from flott.runtime.state.address_layout import PREFIX, TIMED, group_bytes, key_end, key_in, time_bytes, time_in
from flott.runtime.state.addresses import LONG_KEY
from flott.runtime.state.keyed_part import KeyedPart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import EpochChanges

NEVER = 2**63
"""Later than every timer."""

CHUNK = 128
"""How many timers of a key group are read from the store at once."""

KEPT_IN_MEMORY = 200_000
"""With more timers than this after an epoch, all are dropped from memory and read when they are due."""

DIGEST = b"D"
"""First byte of a namespace that was too long for an address; the entry then holds the whole owner."""

PLAIN = frozenset({str, int, bytes, type(None)})
"""Keys of these types come back from their bytes exactly as they were."""

Owners = dict[Any, None]
"""Who waits for a moment, in the order of registration. A dict, because a set keeps no order."""


class OwnerCodec(Protocol):
    """How the owner of a timer is made of a key and of what else tells its timers apart."""

    def key_of(self, owner: Any, /) -> Any:
        """Return the owner's key."""

    def namespace_bytes(self, owner: Any, /) -> bytes:
        """Write what else there is to the owner: at most 17 bytes; a digest of it starts with DIGEST."""

    def owner(self, key: Any, namespace: bytes, /) -> Any:
        """Put an owner together again; not asked when the bytes are a digest."""


class KeyOwner:
    """The owner is the key, and nothing else: the timers of process functions."""

    def key_of(self, owner: Any) -> Any:
        """Return the owner's key."""
        return owner

    def namespace_bytes(self, owner: Any) -> bytes:
        """Write nothing."""
        return b""

    def owner(self, key: Any, namespace: bytes) -> Any:
        """Return the key."""
        return key


class TimerQueue(KeyedPart):
    """Timers in the order of their time, at most one for each owner and moment.

    A timer's address is ``key group (2 bytes) | column (4) | time (8) | key length (2) | key | namespace``, so
    each key group is in order in the store. It is read from the earliest timer on, a chunk at a time, and never
    further than what is due asks for.
    """

    def __init__(self, backend: KeyedBackend, name: str, codec: OwnerCodec) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._codec = codec
        self.forget()

    def forget(self) -> None:
        """Drop all from memory; the store is the truth."""
        self._new: dict[int, Owners] = {}
        """Registered in this epoch."""
        self._known: dict[int, dict[Any, bytes]] = {}
        """In the store, by owner with the address there; all that is earlier than ``_unread``, and perhaps more."""
        self._removed: list[bytes] = []
        """Addresses of timers that fired or were deleted in this epoch."""
        self._gone: dict[int, Owners] = {}
        """Fired or deleted in this epoch, and perhaps in the store: not read yet."""
        self._times: list[int] = []
        """Heap of the moments in ``_new`` and ``_known``."""
        self._kept = 0
        self._firing: int | None = None
        self.withdrawn: Owners = {}
        """Of the timers that ``due`` gave out last, those that were deleted since."""
        self._seek(MIN_TIMESTAMP)

    def _seek(self, earliest: int) -> None:
        """Nothing of the store is in memory; nothing in it is before ``earliest``."""
        self._ahead: list[tuple[int, bytes]] = []
        """Heap with the key groups that are not read to their end: the next timer's time, and its address."""
        if earliest != NEVER:
            column = self._column + time_bytes(earliest)
            self._ahead = [(earliest, group_bytes(group) + column) for group in self._backend.groups]
        self._unread = earliest if self._ahead else NEVER

    # Registering

    def add(self, owner: Any, time: int) -> None:
        """Register a timer; a second one for the same owner and moment is the same timer."""
        known = self._known.get(time)
        if known is not None and owner in known:
            return
        new = self._new.get(time)
        if new is not None:
            new[owner] = None
            return
        if type(time) is not int or not MIN_TIMESTAMP <= time < NEVER:
            time = self._checked(time)
        self._new[time] = {owner: None}
        if known is None:
            heappush(self._times, time)

    def remove(self, owner: Any, time: int) -> None:
        """Delete a timer; nothing happens if there is none."""
        new = self._new.get(time)
        if new is not None:
            new.pop(owner, None)
        known = self._known.get(time)
        if known is not None and owner in known:
            self._removed.append(known.pop(owner))
            self._kept -= 1
        if time >= self._unread:
            self._gone.setdefault(time, {})[owner] = None
        if time == self._firing:
            self.withdrawn[owner] = None

    def _checked(self, time: Any) -> int:
        with suppress(TypeError):
            whole = index(time)
            if MIN_TIMESTAMP <= whole < NEVER:
                return whole
        message = (
            f"{self._backend.title}: a timer was registered for {time!r} ({type(time).__name__}). "
            f"A timer's time is a whole number of milliseconds that fits 64 bits: int(...)."
        )
        raise StateAccessError(message)

    # Firing

    def due(self, until: int) -> Iterator[tuple[int, list[Any]]]:
        """Take out what is due at ``until``, moment by moment; sees what is registered meanwhile."""
        while True:
            time = self._times[0] if self._times else NEVER
            if self._unread <= until and self._unread < time:
                self._read_on()
                continue
            if time > until:
                return
            heappop(self._times)
            owners = self._take_out(time)
            if owners:
                self._firing = time
                yield time, owners
                self._firing = None
                self.withdrawn.clear()

    def _take_out(self, time: int) -> list[Any]:
        known = self._known.pop(time, None)
        new = self._new.pop(time, None)
        owners = list(known or ())
        if known:
            self._kept -= len(known)
            self._removed.extend(known.values())
        if new:
            owners.extend([owner for owner in new if owner not in known] if known else new)
        if self._unread <= time:
            # They may yet be read: again, or for the first time.
            self._gone.setdefault(time, {}).update(dict.fromkeys(owners))
        return owners

    def earliest(self) -> int:
        """Return the moment of the first timer, or NEVER."""
        while self._unread < (bound := self._earliest_in_memory()):
            self._read_on()
        return bound

    def _earliest_in_memory(self) -> int:
        times = self._times
        while times and not self._known.get(times[0]) and not self._new.get(times[0]):
            self._known.pop(times[0], None)
            self._new.pop(times[0], None)
            heappop(times)
        return times[0] if times else NEVER

    # The store

    def _read_on(self) -> None:
        """Read the next timers of the key group that is furthest behind."""
        start = self._ahead[0][1]
        take_in, owner_of = self._take_in, self._owner
        left = CHUNK
        # No address of this queue in this key group is as high: a key's length is below 0xff00.
        for address, value in self._backend.scan_from(start, start[PREFIX] + b"\xff" * 9):
            time = time_in(address)
            if not left:
                heapreplace(self._ahead, (time, address))
                break
            take_in(time, owner_of(address, value), address)
            left -= 1
        else:
            heappop(self._ahead)
        self._unread = self._ahead[0][0] if self._ahead else NEVER

    def _take_in(self, time: int, owner: Any, address: bytes) -> None:
        gone = self._gone.get(time)
        if gone is not None and owner in gone:
            return
        known = self._known.get(time)
        if known is None:
            if time not in self._new:
                heappush(self._times, time)
            known = self._known[time] = {}
        if owner not in known:
            known[owner] = address
            self._kept += 1

    def _owner(self, address: bytes, value: bytes) -> Any:
        if value[:1] == b"o":
            key, *rest = pickle.loads(value[1:])
            return (loaded_key(key), *rest)
        key = loaded_key(pickle.loads(value[1:])) if value else decode_key(key_in(address, TIMED))
        return self._codec.owner(key, address[key_end(address, TIMED) :])

    def _address_and_value(self, prefix: bytes, owner: Any) -> tuple[bytes, bytes]:
        codec = self._codec
        key = codec.key_of(owner)
        group, tail = self._backend.heads[key]
        namespace = codec.namespace_bytes(owner)
        address = group + prefix + tail + namespace
        if namespace[:1] == DIGEST:
            return address, b"o" + pickle.dumps(owner, 5)
        kind = type(key)
        plain = kind in PLAIN or (kind is tuple and all(type(item) in PLAIN for item in key))
        if plain and len(tail) < LONG_KEY:
            return address, b""
        return address, b"k" + pickle.dumps(key, 5)

    def flush(self, changes: EpochChanges) -> None:
        """Add what was registered, fired and deleted in this epoch, as store entries."""
        into = changes.entries
        for address in self._removed:
            into[address] = None
        self._write_down_keys()
        for time, owners in self._gone.items():
            prefix = self._column + time_bytes(time)
            for owner in owners:
                into[self._address_and_value(prefix, owner)[0]] = None
        for time, owners in self._new.items():
            prefix = self._column + time_bytes(time)
            known = self._known.setdefault(time, {})
            before = len(known)
            for owner in owners:
                address, value = self._address_and_value(prefix, owner)
                into[address] = value
                known[owner] = address
            self._kept += len(known) - before
        self._new = {}
        self._gone = {}
        self._removed = []
        if self._kept > min(KEPT_IN_MEMORY, self._backend.cache.entries // 2):
            earliest = self.snapshot()
            self.forget()
            self._seek(earliest)

    def _write_down_keys(self) -> None:
        """Encode the keys that are to be written all at once."""
        key_of, heads = self._codec.key_of, self._backend.heads
        waiting = chain(self._gone.values(), self._new.values())
        heads.fill([key for owners in waiting for key in map(key_of, owners) if key not in heads])

    def live_entries(self) -> int:
        """Say how many timers are in memory."""
        return self._kept

    # Between epochs

    def snapshot(self) -> int:
        """Return before which moment nothing is in the store, so that the next epoch need not look."""
        return min(self._earliest_in_memory(), self._unread)

    def restore(self, earliest: int | None) -> None:
        """Start an epoch; after ``forget``, reading begins where the snapshot said."""
        if earliest is not None and not self._times and self._unread < earliest:
            self._seek(earliest)

    def all(self) -> list[tuple[int, Any]]:
        """Return every timer, by reading all of them: for tests and for looking into a savepoint."""
        while self._ahead:
            self._read_on()
        return [
            (time, owner)
            for time in sorted({*self._known, *self._new})
            for owner in {**self._known.get(time, {}), **self._new.get(time, {})}
        ]
