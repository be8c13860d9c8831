"""Keyed state of one subtask: live Python objects over the working store, read once and written back once per epoch."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flott.errors import USER_CODE_RAISES, StateAccessError
from flott.runtime.native import entries
from flott.runtime.state.address_layout import COLUMN
from flott.runtime.state.addresses import LONG_KEYS, Heads, column_of
from flott.runtime.state.former_keys import check_stored_keys
from flott.runtime.state.key_scope import KeyScope
from flott.runtime.state.points import BATCH, PointBatch
from flott.runtime.state.savepoint_file import StateColumn
from flott.runtime.state.schemas import StateSchemas
from flott.runtime.state.ttl import moments_of, with_moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.native._entries import Drafts
    from flott.runtime.state.cache_limits import CacheLimits
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.state.keyed_part import KeyedPart
    from flott.runtime.state.kinds import StateKind
    from flott.runtime.state.points import Points
    from flott.runtime.state.schemas import ConvertEntry, StoredStates
    from flott.runtime.state.store import StateStore

STRIDE = 2_048
"""So many records are worked on at once where state is read ahead."""


def point_batches(laid_out: list[tuple[bytes, memoryview]]) -> list[PointBatch]:
    """Return entries that were laid out in machine code as everybody has them."""
    return [PointBatch(np.frombuffer(starts, np.uint64), data) for starts, data in laid_out]


class KeyedBackend:
    """The keyed state of one operator's subtask.

    An entry's address is ``key group (2 bytes) | column (4) | key length (2) | key | rest``: a key group is one
    range of the store, and so is one state of one key.
    """

    reads_ahead: ClassVar[bool] = True
    """Whether its states can read what records need before they come."""

    def __init__(self, operator_id: str, title: str, groups: range, max_parallelism: int, cache: CacheLimits) -> None:
        self.operator_id = operator_id
        self.title = title
        self.groups = groups
        self.max_parallelism = max_parallelism
        self.cache = cache
        self.scope = KeyScope(title)
        self.heads = Heads(max_parallelism)
        self.columns: dict[bytes, str] = {}
        self.schemas = StateSchemas(title, groups)
        self._parts: dict[str, KeyedPart] = {}
        self._converted: dict[str, ConvertEntry] = {}
        """Of states that are stored under another schema: how an entry is read."""
        self._store: StateStore | None = None
        self.readers: dict[bytes, Callable[[bytes], bytes | None]] = {}
        """By column, what reads an entry of the epoch's version, without a detour."""
        self._version: str | None = None
        self._entry_size = 0.0
        """Bytes that an entry takes in the store, on the average of the last epoch that changed any."""

    # Life

    def begin(self, store: StateStore) -> None:
        """Start an epoch on a store that was brought to its version; keep live objects only if they are of it."""
        if self._version != store.token:
            self.forget()
        self._store = store
        self.readers = {}
        self._version = store.token

    def adopt(self, stored: StoredStates) -> None:
        """Hear what the states of the epoch's version look like in the store."""
        if stored == self.schemas.stored:
            return
        self.schemas.stored = stored
        self.compare()
        for name, kind in self.schemas.left_over(self.columns.values()):
            if self._has_entries(column_of(self.operator_id, name)):
                message = (
                    f"{self.title}: it was saved with state '{name}' ({kind}), which this operator does not have: in "
                    f"the program it has become one of another kind. Change it back, or give it another uid, so that "
                    f"it starts without state."
                )
                raise StateAccessError(message)
        if not self.schemas.has_canonical_keys():
            check_stored_keys(self)

    def compare(self) -> None:
        """Find out which states are stored under another schema than they are declared with."""
        self._converted = {}
        for name in self._parts:
            self._convert(name)

    def _convert(self, name: str) -> None:
        conversion = self.schemas.conversion(name)
        if conversion is not None:
            self._converted[name] = conversion
        self._parts[name].convert_with(conversion)

    def _has_entries(self, column: bytes) -> bool:
        return next(self.entries_of(column), None) is not None

    def is_converted(self, column: bytes) -> bool:
        """Say whether the stored entries of a state are of another schema, and replaced at the end of the epoch."""
        return bool(self._converted) and self.columns[column] in self._converted

    def _flush_converted(self, changes: EpochChanges) -> None:
        """Rewrite the entries that were stored under another schema, all of them: from now on there is one."""
        for name, convert in self._converted.items():
            column = column_of(self.operator_id, name)
            rewritten: Changes = {}
            changed = changes.all()
            for address, data in self.entries_of(column):
                if address not in changed:
                    moments = moments_of(data)
                    entry = pickle.dumps(convert(address, pickle.loads(data)), 5)
                    rewritten[address] = entry if moments is None else with_moments(entry, moments)
            if self._parts[name].is_looked_up:
                changes.points.add(column, list(rewritten), list(rewritten.values()))
            else:
                changes.entries.update(rewritten)
            self._parts[name].convert_with(None)
        self._converted = {}
        self.schemas.stored = self.schemas.current()

    def flush(self, changes: EpochChanges) -> None:
        """Collect what changed in this epoch as store entries."""
        changes.ordered |= self.columns.keys() - self.looked_up()
        for name, part in self._parts.items():
            try:
                part.flush(changes)
            except USER_CODE_RAISES as error:
                message = (
                    f"{self.title}: state '{name}' holds a value that can't be stored: {error}. "
                    f"Keep plain values, Rows, or objects of importable, picklable classes in state."
                )
                raise StateAccessError(message) from error
        self._flush_converted(changes)
        changes.entries.update(self.heads.cut)
        self.heads.cut.clear()
        if not changes.is_empty():
            self._entry_size = changes.size() / changes.count()
        if self.cache.exceeded(sum(part.live_entries() for part in self._parts.values()), self._entry_size):
            # Now rather than later: what changed is about to be laid out, and need not be in memory twice.
            self.forget()
        if len(self.heads) > self.cache.entries:
            self.heads.clear()

    def reached(self, token: str) -> None:
        """The epoch's changes lead to version ``token``: live objects stay valid if the next epoch starts there."""
        self._version = token

    def forget(self) -> None:
        """Drop all live objects."""
        self._version = None
        self.heads.clear()
        for part in self._parts.values():
            part.forget()

    # Parts

    def part(self, name: str, kind: StateKind, make: Callable[[], KeyedPart], schema: str = "") -> Any:
        """Return the state or timer queue of that name, made at first use; one name has one kind and one type."""
        self.schemas.declare(name, kind, schema)
        if name not in self._parts:
            self._parts[name] = make()
            self._convert(name)
        return self._parts[name]

    def parts(self) -> dict[str, KeyedPart]:
        """Return all states and timer queues, by name."""
        return dict(self._parts)

    def column(self, name: str) -> bytes:
        """Return the four bytes that stand for a state's name in addresses; stable over runs and parallelism."""
        column = column_of(self.operator_id, name)
        owner = self.columns.setdefault(column, name)
        if owner != name or column == LONG_KEYS:
            message = f"{self.title}: the names '{owner}' and '{name}' can't both be used; rename one of these states"
            raise StateAccessError(message)
        return column

    def state_columns(self) -> dict[bytes, StateColumn]:
        """Return what stands behind the columns of this operator's addresses."""
        return {
            column: StateColumn(self.operator_id, name, *self.schemas.declared(name))
            for column, name in self.columns.items()
        }

    # Entries

    def address(self, column: bytes, key: Any) -> bytes:
        """Return where the entry of a key is stored."""
        group, tail = self.heads[key]
        return group + column + tail

    def addresses(self, column: bytes, keys: list[Any]) -> list[bytes]:
        """Return where the entries of several keys are stored."""
        if entries is not None:
            made: list[bytes] = entries.addresses(keys, column, self.max_parallelism)
            if None in made:
                made = [one or self.address(column, key) for one, key in zip(made, keys, strict=True)]
            return made
        heads = self.heads
        # Each look at a dictionary takes the hash of the key, which of a tuple is work.
        found = list(map(heads.get, keys))
        if None in found:
            heads.fill([key for key, head in zip(keys, found, strict=True) if head is None])
            found = list(map(heads.__getitem__, keys))
        return [group + column + tail for group, tail in found]  # type: ignore[misc]

    def fetch(
        self,
        column: bytes,
        keys: list[Any],
        read: dict[Any, Any],
        written: dict[Any, Any],
        drafts: Drafts | None = None,
    ) -> list[Any]:
        """Put the values of keys into ``read``, if they are in neither; return the keys for which that was not done."""
        store = self._opened()
        if column not in store.columns:
            return keys
        return store.points.fetch(column, keys, self.max_parallelism, read, written, drafts)

    def drafts(self, column: bytes, expected: int) -> Drafts | None:
        """Return what can lay out changes before the epoch ends; None if entries of the column can't be found there.

        If they are about as many as expected, there is room for them from the start.
        """
        if entries is None or not self.is_looked_up(column):
            return None
        made: Drafts = entries.Drafts(column, self.max_parallelism, expected)
        return made

    def lay_out(self, column: bytes, written: dict[Any, Any], points: Points) -> dict[Any, Any]:
        """Add the entries of keys and their values to points; return those for which that was not done."""
        if entries is None:
            return written
        batches, too_long = entries.lay_out(written, column, self.max_parallelism, BATCH)
        points.add_batches(column, point_batches(batches))
        return {key: written[key] for key in too_long}

    def reader(self, column: bytes) -> Callable[[bytes], bytes | None]:
        """Return what reads the entries of a column in this epoch."""
        read = self.readers[column] = self._opened().reader(column)
        return read

    def get(self, address: bytes) -> bytes | None:
        """Read an entry of the epoch's version."""
        column = address[COLUMN]
        return (self.readers.get(column) or self.reader(column))(address)

    def get_many(self, column: bytes, addresses: list[bytes]) -> list[bytes | None]:
        """Read several entries of a column in the epoch's version."""
        return self._opened().get_many(column, addresses)

    def looked_up(self) -> set[bytes]:
        """Return the columns of states, as far as they are declared, whose entries are only looked up."""
        parts = self._parts
        return {column for column, name in self.columns.items() if name in parts and parts[name].is_looked_up}

    def look_ahead(self, keys: list[Any]) -> None:
        """Hear the keys of the records that come next."""
        for part in self._parts.values():
            if part.is_looked_up:
                part.look_ahead(keys)

    def strides(self, count: int) -> list[slice]:
        """Return the parts in which so many records are best worked on, one after the other.

        Where values are read ahead and laid out early, so few records that all of them are in the processor's cache
        when their turn comes; otherwise all at once.
        """
        if count <= STRIDE or not any(part.in_strides for part in self._parts.values()):
            return [slice(0, count)]
        return [slice(begin, begin + STRIDE) for begin in range(0, count, STRIDE)]

    def is_looked_up(self, column: bytes) -> bool:
        """Say whether the entries of a column are stored as ones that are only looked up."""
        return column in self._opened().columns

    def entries_of(self, column: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries of a column in the epoch's version."""
        return self._opened().entries_of(column, self.groups)

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries of the epoch's version whose address starts with ``prefix``."""
        return self._opened().scan(prefix)

    def scan_from(self, start: bytes, end: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries of the epoch's version with ``start <= address < end``."""
        return self._opened().scan_from(start, end)

    def is_empty(self) -> bool:
        """Say whether the epoch's version holds nothing at all, as at the start of a job."""
        return next(self._opened().entries(), None) is None

    def last(self, prefix: bytes) -> bytes | None:
        """Return the greatest stored address that starts with ``prefix``."""
        return self._opened().last(prefix)

    def _opened(self) -> StateStore:
        if self._store is None:
            message = (
                f"{self.title}: state was used where no key is set. Read and write it in process_element or on_timer; "
                f"in open(), only create the handle: runtime_context.get_state(...)."
            )
            raise StateAccessError(message)
        return self._store
