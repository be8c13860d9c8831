"""Map state: stored entry by entry, so that a large map is never read or written whole."""

from __future__ import annotations

import pickle
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from flott.runtime.canonical_keys import MAY_HOLD_NAN, PLAIN, with_one_nan
from flott.runtime.keys import encode_key
from flott.runtime.state.changed_in_place import UNCHANGING, may_change
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.live_values import differs
from flott.runtime.state.map_keys import ShownKeys, found_by, in_order, is_plain
from flott.runtime.state.ttl import with_moments
from flott.runtime.state.ttl_sweep import Sweep, keep_or_drop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.state.schemas import ConvertEntry
    from flott.runtime.state.ttl import Expiry

LONG_USER_KEY = 120
"""With a cut key (at most 360 bytes) and the rest of an address, this still fits LMDB's 511 bytes."""

REMOVED: Any = object()


def entry_address(encoded: bytes) -> bytes:
    """Return what stands for a map's key behind the address of its map."""
    return encoded if len(encoded) <= LONG_USER_KEY else b"#" + blake2b(encoded, digest_size=32).digest()


class MapState(KeyedPart):
    """A map per key. Values are read entry by entry; going over a map merges the store with this epoch's writes.

    Keys of users' maps are in their canonical form here. Those of the engine's own maps are rows of typed columns, of
    which equal ones are equal to Python.
    """

    __slots__ = (
        "_backend",
        "_cleared",
        "_column",
        "_complete",
        "_expiry",
        "_handed",
        "_read",
        "_scope",
        "_shown",
        "_sweep",
        "_written",
        "convert",
        "moved",
    )  # fmt: skip

    def __init__(
        self, backend: KeyedBackend, name: str, scope: KeyScope | None = None, expiry: Expiry | None = None
    ) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._scope = scope or backend.scope
        self._written: dict[Any, dict[Any, Any]] = {}
        self._read: dict[Any, dict[Any, Any]] = {}
        self._complete: set[Any] = set()
        """Keys whose map is all in ``_read``."""
        self._cleared: set[Any] = set()
        """Keys whose stored entries must go."""
        self._handed: dict[tuple[Any, Any], Any] | None = None
        """What was handed out of ``_read`` in this epoch and can change in place; None if nobody changes it there."""
        self._shown = ShownKeys()
        self.convert: ConvertEntry | None = None
        """How entries are read that were stored under another schema."""
        self.moved: dict[bytes, bytes] = {}
        """Of entries that a former version stored, where they are looked for and where they still are."""
        self._expiry = expiry
        """When each entry expires; values in memory are pairs with the moment they were last touched then."""
        self._sweep = None if expiry is None else Sweep(backend, self._column, expiry.lifetime, keep_or_drop)

    # Single entries

    def get(self, key: Any) -> Any:
        """Return the value under a map key, or None."""
        value = self._lookup(key)
        if self._expiry is not None:
            value = self._living(key, value, self._expiry, self._expiry.now())
        return None if value is REMOVED else value

    def contains(self, key: Any) -> bool:
        """Say whether there is an entry under a map key."""
        value = self._lookup(key)
        if self._expiry is not None:
            value = self._living(key, value, self._expiry, self._expiry.now())
        return value is not REMOVED

    def put(self, key: Any, value: Any) -> None:
        """Set the value under a map key."""
        if self._expiry is not None:
            value = self._expiry.entry(value)
        at = self._scope.key
        written = self._written.get(at)
        if written is None:
            written = self._written[at] = {}
        if (type(key) not in PLAIN and not is_plain(key)) or self._shown.by_map:
            key = self._put_as(at, key)
        written[key] = value

    def put_all(self, dict_value: Mapping[Any, Any]) -> None:
        """Set several values."""
        for key, value in dict_value.items():
            self.put(key, value)

    def remove(self, key: Any) -> None:
        """Remove the entry under a map key, if there is one."""
        self._written.setdefault(self._scope.key, {})[self._found_by(key)] = REMOVED

    def _living(self, key: Any, pair: Any, expiry: Expiry, now: int) -> Any:
        """Return what may be seen of an entry that can expire, renew its life or end it as the rules say."""
        expiry.uses += 1
        if pair is REMOVED:
            return REMOVED
        value, kept = expiry.living(pair, now, REMOVED)
        if kept is not pair:
            # Under its own key: that comes back as it was put in.
            found_by = key if type(key) in PLAIN else self._found_by(key)
            self._written.setdefault(self._scope.key, {})[found_by] = kept
        return value

    def _put_as(self, at: Any, key: Any) -> Any:
        """Return what a key that is put is found by, and note how it comes back."""
        if self._handed is not None:
            return self._shown.put(at, key)
        return with_one_nan(key) if type(key) in MAY_HOLD_NAN else key

    def _found_by(self, key: Any) -> Any:
        if self._handed is not None:
            return found_by(key)
        return with_one_nan(key) if type(key) in MAY_HOLD_NAN else key

    def _lookup(self, key: Any) -> Any:
        at = self._scope.key
        if type(key) not in PLAIN and not is_plain(key):
            key = self._found_by(key)
        written = self._written.get(at)
        if written is not None and key in written:
            return written[key]
        read = self._read.get(at)
        if read is None:
            read = self._read[at] = {}
        if key in read:
            value = read[key]
            if self._handed is not None and type(value) not in UNCHANGING and value is not REMOVED:
                self._handed[at, key] = value
            return value
        if at in self._complete or at in self._cleared:
            return REMOVED
        address = self._address(at, key)
        data = self._backend.get(address)
        if data is None and self.moved:
            data = self._stored(address)
        if data is None:
            read[key] = REMOVED
            return REMOVED
        value = read[key] = self._entry(at, address, data)[1]
        return value if self._handed is None else self._hand_out(at, key, value)

    # Changes in place

    def watch(self) -> None:
        """From now on, keep what a user's function changes in place."""
        if self._handed is None:
            self._handed = {}

    def _hand_out(self, at: Any, key: Any, value: Any) -> Any:
        if type(value) not in UNCHANGING:
            self._handed[at, key] = value  # type: ignore[index]
        return value

    def _keep_changed(self) -> None:
        """Take what was changed in place as written."""
        if not self._handed:
            return
        handed, self._handed = self._handed, {}
        for (at, key), value in handed.items():
            if value is REMOVED or at in self._cleared or key in self._written.get(at, ()) or not may_change(value):
                continue
            if self._differs(at, key, value):
                self._written.setdefault(at, {})[key] = value

    def _differs(self, at: Any, key: Any, value: Any) -> bool:
        stored = self._stored(self._address(at, key))
        if self._expiry is None:
            return differs((self._shown.of(at, key), value), stored)
        return self._entry_of(at, key, value) != stored

    def _entry_of(self, at: Any, key: Any, value: Any) -> bytes:
        """Return the entry of a value that can expire."""
        return with_moments(pickle.dumps((self._shown.of(at, key), value[0]), 5), value[1:])

    def _stored(self, address: bytes) -> bytes | None:
        data = self._backend.get(address)
        return self._backend.get(self.moved[address]) if data is None and address in self.moved else data

    def _entry(self, at: Any, address: bytes, data: bytes) -> tuple[Any, Any]:
        """Read a stored entry: what its key is found by, and its value."""
        entry = pickle.loads(data)
        key, value = entry if self.convert is None else self.convert(address, entry)
        if type(key) not in PLAIN:
            key = self._put_as(at, key)
        if self._expiry is None:
            return key, value
        moment = self._expiry.moment(data)
        if moment is not None:
            return key, (value, moment)
        # Written before the state had a time to live: its life begins when it is first seen.
        return key, self._written.setdefault(at, {}).setdefault(key, (value, self._expiry.now()))

    # The whole map

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Go over the entries."""
        if self._expiry is None:
            return self._entries()
        now = self._expiry.now()
        seen = [(key, self._living(key, pair, self._expiry, now)) for key, pair in list(self._entries())]
        return iter([(key, value) for key, value in seen if value is not REMOVED])

    def _entries(self) -> Iterator[tuple[Any, Any]]:
        at = self._scope.key
        entries, written = self._load(at), self._written.get(at)
        if written:
            entries = {**entries, **written}
        if self._handed is None:
            return iter([(key, value) for key, value in entries.items() if value is not REMOVED])
        found = [(key, value) for key in in_order(entries) if (value := entries[key]) is not REMOVED]
        if not UNCHANGING.issuperset(map(type, entries.values())):
            for key, value in found:
                self._hand_out(at, key, value)
        if self._shown.by_map:
            found = [(self._shown.of(at, key), value) for key, value in found]
        return iter(found)

    def keys(self) -> Iterator[Any]:
        """Go over the map keys."""
        return (key for key, _ in self.items())

    def values(self) -> Iterator[Any]:
        """Go over the values."""
        return (value for _, value in self.items())

    def is_empty(self) -> bool:
        """Say whether there is no entry."""
        return next(self.items(), None) is None

    def clear(self) -> None:
        """Remove all entries of the current key."""
        at = self._scope.key
        self._written.pop(at, None)
        self._read[at] = {}
        self._shown.forget(at)
        self._cleared.add(at)

    def _load(self, at: Any) -> dict[Any, Any]:
        read = self._read.setdefault(at, {})
        if at not in self._complete and at not in self._cleared:
            for address, data in self._backend.scan(self._backend.address(self._column, at)):
                key, value = self._entry(at, address, data)
                # What was read before may have been changed in place since.
                read.setdefault(key, value)
            self._complete.add(at)
        return read

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.put(key, value)

    def __delitem__(self, key: Any) -> None:
        self.remove(key)

    def __contains__(self, key: Any) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[Any]:
        return self.keys()

    # Write-back

    def _address(self, at: Any, key: Any) -> bytes:
        return self._backend.address(self._column, at) + entry_address(encode_key(key))

    def flush(self, changes: EpochChanges) -> None:
        into = changes.entries
        self._keep_changed()
        for at in self._cleared:
            for address, _ in self._backend.scan(self._backend.address(self._column, at)):
                into[address] = None
        for at, written in self._written.items():
            read = self._read.setdefault(at, {})
            shown = self._shown.by_map.get(at)
            for key, value in written.items():
                if value is REMOVED:
                    into[self._address(at, key)] = None
                elif self._expiry is None:
                    entry = (key if shown is None else shown.get(key, key), value)
                    into[self._address(at, key)] = pickle.dumps(entry, 5)
                else:
                    into[self._address(at, key)] = self._entry_of(at, key, value)
                read[key] = value
        self._complete |= self._cleared
        self._written = {}
        self._cleared = set()
        self.put_moved(into)
        expiry = self._expiry
        if self._sweep is not None and expiry is not None:
            if self._sweep.run(into, expiry.uses, expiry.now()):
                self.forget()
            expiry.uses = 0

    def put_moved(self, changes: Changes) -> None:
        """Store entries of a former version where they are looked for, unless they were changed or removed."""
        for address, before in self.moved.items():
            if before not in changes:
                changes.setdefault(address, self._backend.get(before))
                changes[before] = None
        self.moved = {}

    @property
    def sweep(self) -> Sweep | None:
        return self._sweep

    def convert_with(self, convert: ConvertEntry | None) -> None:
        self.convert = convert

    def forget(self) -> None:
        self._written = {}
        self._read = {}
        self._shown.clear()
        self._handed = None if self._handed is None else {}
        self._complete = set()
        self._cleared = set()

    def live_entries(self) -> int:
        return sum(map(len, self._read.values())) + len(self._read)
