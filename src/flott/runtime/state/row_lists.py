"""Lists that are read whole and grow at their end, for many keys at a time."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any, ClassVar

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


class RowLists:
    """A list per key, found without a search: the entry at the key's own address says how many chunks there are.

    A list is thus one entry, and some more if it is long, all of which are only looked up.
    """

    __slots__ = ("_added", "_backend", "_column", "_replaced", "_tails", "_whole")
    is_looked_up: ClassVar[bool] = True

    def __init__(self, backend: KeyedBackend, name: str) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._whole: dict[Any, list[Any] | tuple[Any, ...]] = {}
        """Lists that were read, with what was added to them; that of a key that has none is shared by all such."""
        self._tails: dict[Any, Tail] = {}
        """The ends of lists as they are stored, where they are known."""
        self._added: dict[Any, list[Any]] = {}
        self._replaced: set[Any] = set()

    @property
    def column(self) -> bytes:
        """The column of its entries in the store."""
        return self._column

    def lists_of(self, keys: list[Any]) -> list[list[Any] | tuple[Any, ...]]:
        """Return the lists of several keys, not to be changed; what is not in memory is read at once."""
        whole = self._whole
        unread = [key for key in keys if key not in whole]
        if unread:
            self._read(unread)
        return [whole[key] for key in keys]

    def add_all(self, keys: Iterable[Any], several: Iterable[list[Any]]) -> None:
        """Add rows to the lists of several keys, which are handed over with them."""
        whole, added, replaced = self._whole, self._added, self._replaced
        for key, rows in zip(keys, several, strict=True):
            known = whole.get(key)
            if known:
                known += rows  # type: ignore[operator]
            elif known is not None:
                whole[key] = rows.copy()
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
        self._read_tails(keys)
        column, added, whole = self._column, self._added, self._whole
        long = [key for key in keys if self._tails[key][0]]
        heads = zip(self._backend.addresses(column, long), (self._tails[key][0] for key in long), strict=True)
        stored = iter(self._backend.get_many(column, [place for head, count in heads for place in chunks(head, count)]))
        for key in keys:
            count, tail = self._tails[key]
            rows: list[Any] = []
            for _ in range(count):
                rows += pickle.loads(next(stored))  # type: ignore[arg-type]
            rows += tail
            rows += added.get(key, NOTHING)
            whole[key] = rows or NOTHING

    def _read_tails(self, keys: Iterable[Any]) -> None:
        tails = self._tails
        unknown = [key for key in keys if key not in tails]
        addresses = self._backend.addresses(self._column, unknown)
        loads = pickle.loads
        for key, data in zip(unknown, self._backend.get_many(self._column, addresses), strict=True):
            tails[key] = (0, []) if data is None else loads(data)

    def flush(self, changes: EpochChanges) -> None:
        self._read_tails(self._added)
        entries: Changes = {}
        added = list(self._added)
        for key, head in zip(added, self._backend.addresses(self._column, added), strict=True):
            count, tail = self._tails[key]
            self._put(entries, key, head, count, tail + self._added[key])
        for key in self._replaced:
            head = self._backend.address(self._column, key)
            entries.update(dict.fromkeys(chunks(head, self._tails[key][0])))
            self._put(entries, key, head, 0, list(self._whole[key]))
            if not self._whole[key]:
                # Rows come and go; of what is empty, nothing is kept.
                entries[head] = None
                del self._whole[key], self._tails[key]
        changes.points.add(self._column, list(entries), list(entries.values()))
        self._added = {}
        self._replaced = set()

    def _put(self, entries: Changes, key: Any, head: bytes, count: int, rows: list[Any]) -> None:
        if len(rows) > LONG_TAIL:
            entries[head + CHUNK.pack(count)] = pickle.dumps(rows, 5)
            count, rows = count + 1, []
        self._tails[key] = tail = count, rows
        entries[head] = pickle.dumps(tail, 5)

    def forget(self) -> None:
        self._whole = {}
        self._tails = {}
        self._added = {}
        self._replaced = set()

    def live_entries(self) -> int:
        return sum(map(len, self._whole.values())) + len(self._tails)


def chunks(head: bytes, count: int) -> list[bytes]:
    """Return the addresses of the chunks of a list."""
    return [head + CHUNK.pack(number) for number in range(count)]
