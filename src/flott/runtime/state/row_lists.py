"""Lists that are read whole and grow at their end, for many keys at a time."""

from __future__ import annotations

import pickle
import struct
from itertools import islice
from typing import TYPE_CHECKING, Any

from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.points import BATCH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges

LONG_TAIL = 32
"""Up to so many rows are written again with those that are added; more make a chunk, which stays as it is."""

CHUNK = struct.Struct(">I")
NOTHING: tuple[Any, ...] = ()

Tail = tuple[int, list[Any]]
"""How many chunks there are, and the rows behind them."""
NO_TAIL: Tail = 0, []


class RowLists(KeyedPart):
    """A list per key, found without a search: the entry at the key's own address says how many chunks there are.

    A list is thus one entry, and some more if it is long, all of which are only looked up.
    """

    __slots__ = ("_added", "_backend", "_column", "_replaced", "_tails", "_whole")

    def __init__(self, backend: KeyedBackend, name: str) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._whole: dict[Any, list[Any]] = {}
        """Lists that were read, with what was added to them."""
        self._tails: dict[Any, Tail] = {}
        """Their ends as they are stored."""
        self._added: dict[Any, list[Any]] = {}
        self._replaced: set[Any] = set()

    @property
    def is_looked_up(self) -> bool:
        return True

    def lists_of(self, keys: list[Any]) -> list[list[Any] | tuple[Any, ...]]:
        """Return the lists of several keys, not to be changed; what is not in memory is read at once."""
        whole = self._whole
        unread = [key for key in keys if key not in whole]
        if unread:
            self._read(unread)
        return [whole.get(key, NOTHING) for key in keys]

    def add_all(self, keys: Iterable[Any], several: Iterable[list[Any]]) -> None:
        """Add rows to the lists of several keys, which are handed over with them."""
        whole, added, replaced = self._whole, self._added, self._replaced
        for key, rows in zip(keys, several, strict=True):
            known = whole.get(key)
            if known is not None:
                known += rows
            if key in replaced:
                continue
            if key in added:
                added[key] += rows
            else:
                added[key] = rows

    def replace(self, key: Any, rows: list[Any]) -> None:
        """Put another list in the place of a key's, which was read before."""
        self._whole[key] = rows
        self._added.pop(key, None)
        self._replaced.add(key)

    # The store

    def _read(self, keys: list[Any]) -> None:
        """Read the lists of keys that have one."""
        column, added, tails = self._column, self._added, self._tails
        found = self._stored_tails(keys, self._backend.addresses(column, keys))
        some = [(key, tail) for key, tail in zip(keys, found, strict=True) if tail is not NO_TAIL or key in added]
        heads = self._backend.addresses(column, [key for key, _ in some])
        places = [place for head, (_, (count, _)) in zip(heads, some, strict=True) for place in chunks(head, count)]
        stored = iter(self._backend.get_many(column, places))
        for key, tail in some:
            rows: list[Any] = []
            for _ in range(tail[0]):
                rows += pickle.loads(next(stored))  # type: ignore[arg-type]
            rows += tail[1]
            rows += added.get(key, NOTHING)
            self._whole[key], tails[key] = rows, tail

    def _stored_tails(self, keys: list[Any], heads: list[bytes]) -> list[Tail]:
        """Return the ends of lists as they are stored."""
        tails, loads = self._tails, pickle.loads
        unknown = [head for key, head in zip(keys, heads, strict=True) if key not in tails]
        stored = iter(self._backend.get_many(self._column, unknown))
        return [
            tails[key] if key in tails else NO_TAIL if (data := next(stored)) is None else loads(data) for key in keys
        ]

    def flush(self, changes: EpochChanges) -> None:
        column, points = self._column, changes.points
        grown = iter(self._added.items())
        while some := list(islice(grown, BATCH)):
            entries: Changes = {}
            keys = [key for key, _ in some]
            heads = self._backend.addresses(column, keys)
            for (key, rows), head, (count, tail) in zip(some, heads, self._stored_tails(keys, heads), strict=True):
                self._put(entries, key, head, (count, tail + rows))
            points.add(column, list(entries), list(entries.values()))
        for key in self._replaced:
            head = self._backend.address(column, key)
            entries = dict.fromkeys(chunks(head, self._tails.get(key, NO_TAIL)[0]))
            self._put(entries, key, head, (0, self._whole[key].copy()))
            if not self._whole[key]:
                # Rows come and go; of what is empty, nothing is kept.
                entries[head] = None
                self._tails.pop(key, None)
                del self._whole[key]
            points.add(column, list(entries), list(entries.values()))
        self._added = {}
        self._replaced = set()

    def _put(self, entries: Changes, key: Any, head: bytes, tail: Tail) -> None:
        count, rows = tail
        if len(rows) > LONG_TAIL:
            entries[head + CHUNK.pack(count)] = pickle.dumps(rows, 5)
            tail = count + 1, []
        if key in self._whole:
            self._tails[key] = tail
        entries[head] = pickle.dumps(tail, 5)

    def forget(self) -> None:
        self._whole = {}
        self._tails = {}
        self._added = {}
        self._replaced = set()

    def live_entries(self) -> int:
        return sum(map(len, self._whole.values())) + len(self._whole)


def chunks(head: bytes, count: int) -> list[bytes]:
    """Return the addresses of the chunks of a list."""
    return [head + CHUNK.pack(number) for number in range(count)]
