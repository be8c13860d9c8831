"""Values that keys have had before, asked for and added many at a time."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.runtime.many_keys import encode_keys
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.maps import entry_address

if TYPE_CHECKING:
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import EpochChanges

ENTRY = 1
"""What stands under a value, as in a map that counts."""


class SeenValues(KeyedPart):
    """A set per key, whose values are only looked up and never gone over: stored as a map's keys are.

    Nothing is held in memory but what was added in the epoch: the store answers for many values at once, and almost
    as fast.
    """

    __slots__ = ("_added", "_backend", "_column")

    def __init__(self, backend: KeyedBackend, name: str) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._added: dict[bytes, bytes] = {}

    @property
    def is_looked_up(self) -> bool:
        return True

    def add_all(self, keys: list[Any], owners: list[int], values: list[Any]) -> list[bool]:
        """Add values, each to the set of one of the keys; say of each whether it is new there.

        ``owners`` has the place of the key of each value; no key has the same value twice.
        """
        heads = self._backend.addresses(self._column, keys)
        addresses = [
            heads[owner] + entry_address(value) for owner, value in zip(owners, encode_keys(values), strict=True)
        ]
        added = self._added
        stored = self._backend.get_many(self._column, addresses)
        fresh = [old is None and place not in added for old, place in zip(stored, addresses, strict=True)]
        dumps = pickle.dumps
        added.update(
            (place, dumps((value, ENTRY), 5)) for place, value, new in zip(addresses, values, fresh, strict=True) if new
        )
        return fresh

    def flush(self, changes: EpochChanges) -> None:
        changes.points.add(self._column, list(self._added), list(self._added.values()))
        self._added = {}

    def forget(self) -> None:
        self._added = {}

    def live_entries(self) -> int:
        return len(self._added)
