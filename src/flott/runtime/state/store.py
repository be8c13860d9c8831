"""The working store of one subtask: LMDB on the executor's disk, at one version, never ahead of what counts."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import lmdb

from flott.errors import StateStoreError
from flott.runtime.state.address_layout import COLUMN, GROUP, next_group
from flott.runtime.state.changes import EpochChanges, parts_of, sorted_out
from flott.runtime.state.lineage import read_changes
from flott.runtime.state.point_log import PointLog, unpack_head
from flott.runtime.state.points import Points, batch_of
from flott.runtime.state.policy import STORE_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from flott.runtime.state.changes import Changes
    from flott.runtime.state.lineage import Lineage, StateFile
    from flott.runtime.state.points import PointBatch
    from flott.runtime.storage import Storage

HEAD, BOOT, MOVING, POINTS, COLUMNS = b"head", b"boot", b"moving", b"points", b"columns"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
STEP_ENTRIES, STEP_SIZE = 8_192, 16 * 2**20
"""At most so many entries and bytes are written at once: LMDB holds every page it changes in memory until then."""


def boot_id() -> bytes:
    """Return what names this boot of the machine: without syncing, LMDB survives a process but not a power cut."""
    try:
        return BOOT_ID.read_bytes().strip()
    except OSError:
        return b"unknown"


class Move(Protocol):
    """Does some work on the way to a version, in a transaction of its own."""

    def __call__(self, work: Callable[..., Any], *arguments: Any, last: bool = False) -> Any:
        """Do it, with the transaction before the arguments; return what it returns. The last reaches the version."""


class StateStore:
    """A key-value store at a version. Reads see the version an epoch starts from.

    An epoch's changes are applied when the next epoch starts, once it is known that they count: so there is
    nothing to undo, whatever attempts came and went (docs/adr/006). Durability is not its job either: what must
    survive the machine is in the lineage's files. Nothing is synced, and a store that can't be trusted is rebuilt.

    Entries that are walked over are in LMDB, in the order of their addresses; those that are only looked up, in a log
    (docs/adr/012). LMDB says of both what counts, and its lock is the lock of both.
    """

    def __init__(self, path: Path, map_size: int = STORE_SIZE, *, in_order: bool = False) -> None:
        self.path = path
        self.map_size = map_size
        self.in_order = in_order
        """Whether all entries are kept in order: for whoever wants to walk over any of them."""
        self.points = PointLog(path)
        self.columns: frozenset[bytes] = frozenset()
        """The columns whose entries are in the log."""
        self._open()

    def _open(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        self._env = lmdb.open(
            str(self.path),
            map_size=self.map_size,
            max_dbs=2,
            sync=False,
            metasync=False,
            readahead=False,
            max_readers=64,
        )
        self._env.reader_check()
        self._data = self._env.open_db(b"data")
        self._meta = self._env.open_db(b"meta")
        with self._env.begin(write=True) as txn:
            known = txn.get(BOOT, db=self._meta)
            if known is None:
                txn.put(BOOT, boot_id(), db=self._meta)
        if known is not None and known != boot_id():
            self._wipe()
            return
        self._look()

    def _wipe(self) -> None:
        self._env.close()
        shutil.rmtree(self.path)
        self._open()

    def _look(self) -> None:
        self._txn = self._env.begin(db=self._data, buffers=False)
        known = self._txn.get(COLUMNS, b"", db=self._meta)
        self.columns = frozenset(known[place : place + 4] for place in range(0, len(known), 4))
        head = unpack_head(self._txn.get(POINTS, db=self._meta))
        if head != self.points.head:
            try:
                self.points.open(head)
            except (OSError, ValueError):
                # Gone, or too short. If it is because another attempt moved the store, that shows when it is built.
                self.points.forget()

    @property
    def token(self) -> str:
        """The version the store is at."""
        return str(self._txn.get(HEAD, b"", db=self._meta), "ascii")

    def close(self) -> None:
        """Give the files back; the store can be opened again."""
        self._txn.abort()
        self._env.close()
        self.points.forget()

    # Reading

    def reader(self, column: bytes) -> Callable[[bytes], bytes | None]:
        """Return what reads entries of a column, until the store is brought to another version."""
        read: Callable[[bytes], bytes | None] = self.points.get if column in self.columns else self._txn.get
        return read

    def get_many(self, column: bytes, addresses: list[bytes]) -> list[bytes | None]:
        """Return the values of several entries of a column, or None."""
        return self.points.get_many(addresses) if column in self.columns else list(map(self._txn.get, addresses))

    def get(self, key: bytes) -> bytes | None:
        """Return an entry's value, or None."""
        return self.reader(key[COLUMN])(key)

    def entries(self) -> Iterator[tuple[bytes, bytes]]:
        """Go over all entries: first those that are in order."""
        return chain(self.scan(b""), self.points.entries())

    def entries_of(self, column: bytes, groups: range) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries of a column, group by group if they are in order."""
        if column in self.columns:
            return (entry for entry in self.points.entries() if entry[0][COLUMN] == column)
        return chain.from_iterable(self.scan(group.to_bytes(2, "big") + column) for group in groups)

    def parts(self, size: int) -> Iterator[EpochChanges]:
        """Go over all entries in parts of about so many bytes."""
        for part in parts_of(self.scan(b""), size):
            yield EpochChanges(part)
        some: list[PointBatch] = []
        held = 0
        for batch in self.points.batches():
            some.append(batch)
            held += len(batch.data)
            if held >= size:
                yield EpochChanges(points=Points(set(self.columns), some))
                some, held = [], 0
        if some:
            yield EpochChanges(points=Points(set(self.columns), some))

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries in order whose key starts with ``prefix``."""
        with self._txn.cursor() as cursor:
            if cursor.set_range(prefix):
                for key, value in cursor:
                    if not key.startswith(prefix):
                        return
                    yield key, value

    def scan_from(self, start: bytes, end: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries in order with ``start <= key < end``."""
        with self._txn.cursor() as cursor:
            if cursor.set_range(start):
                for key, value in cursor:
                    if key >= end:
                        return
                    yield key, value

    def last(self, prefix: bytes) -> bytes | None:
        """Return the greatest key of those in order that starts with ``prefix``."""
        with self._txn.cursor() as cursor:
            found = cursor.set_range(prefix + b"\xff" * 8)
            if not (cursor.prev() if found else cursor.last()):
                return None
            key: bytes = cursor.key()
            return key if key.startswith(prefix) else None

    # Versions

    def refresh(self) -> None:
        """See what other processes committed since the last look."""
        self._txn.abort()
        self._look()

    def bring_to(
        self,
        lineage: Lineage,
        storage: Storage,
        recent: EpochChanges | None = None,
        looked_up: Collection[bytes] = (),
    ) -> str:
        """Bring the store to the version a lineage leads to; say how: "here", "apply", "catch-up" or "rebuild".

        ``recent`` are the changes behind the lineage's last file, when this process still has them in memory.
        ``looked_up`` are columns that are known to be looked up, whatever a file of another run says or does not say.
        """
        self.refresh()
        missing = self._missing(lineage)
        how = "here"
        if missing is None:
            how, missing = "rebuild", lineage.files
            with self._moved("") as move:
                move(self._clear, last=True)
        elif self._moving():
            self._mend()
        for file in missing:
            if recent is not None and file is lineage.files[-1] and not file.covers and not file.is_snapshot:
                self._apply(recent, file.token)
                how = "apply" if how == "here" else how
            else:
                self._apply(sorted_out(read_changes(storage, file), looked_up), file.token)
                how = "catch-up" if how in {"here", "apply"} else how
        return how

    def _moving(self) -> str:
        """Return the version that somebody was on the way to, who may have died."""
        return str(self._txn.get(MOVING, b"", db=self._meta), "ascii")

    def _missing(self, lineage: Lineage) -> tuple[StateFile, ...] | None:
        """Return the files to apply, or None when the store is not on the lineage.

        A process that died on the way to a version left some of its entries here. They do no harm if that version is
        passed now, because then all of them are written again.
        """
        missing = lineage.after(self.token)
        moving = self._moving()
        if self.points.head != unpack_head(self._txn.get(POINTS, db=self._meta)):
            return None  # The log is lost.
        if moving and not any(moving == file.token or moving in file.covers for file in missing or ()):
            return None
        return missing

    def _mend(self) -> None:
        """Make the log whole again, which was perhaps left while it was changed."""
        with self._moved("") as move:
            move(self._mend_points)

    def _mend_points(self, _: lmdb.Transaction) -> None:
        self.points.mend()

    def _apply(self, changes: EpochChanges, token: str) -> None:
        """Go on to a version, in steps: what is changed at once is held in memory."""
        if self.in_order:
            changes = EpochChanges(changes.all())
        promoted = changes.points.columns - self.columns
        demoted = changes.ordered & self.columns
        steps = list(steps_of(changes.entries))
        at_once = not (promoted or demoted or len(changes.points))
        with self._moved(token) as move:
            for entries in self._demoted(demoted):
                move(write_entries, sorted(entries), entries)
            for step in steps[:-1] if at_once else steps or [[]]:
                move(write_entries, step, changes.entries)
            for column in sorted(promoted):
                while move(self._promote_some, column):
                    pass

            def finish(txn: lmdb.Transaction) -> None:
                if at_once and steps:
                    write_entries(txn, steps[-1], changes.entries)
                if demoted:
                    self.points.write_anew(without=demoted)
                for batch in changes.points.batches():
                    self.points.append(batch)
                self.columns = (self.columns | promoted) - demoted
                txn.put(COLUMNS, b"".join(sorted(self.columns)), db=self._meta)

            move(finish, last=True)

    @contextmanager
    def _moved(self, token: str) -> Iterator[Move]:
        """Let the store be changed on the way to a version, one transaction after the other."""
        version = token.encode()
        seen = self._txn.get(HEAD, db=self._meta), self._txn.get(MOVING, db=self._meta)
        self._txn.abort()

        def move(work: Callable[..., Any], *arguments: Any, last: bool = False) -> Any:
            nonlocal seen
            with self._env.begin(write=True, db=self._data) as txn:
                if (txn.get(HEAD, db=self._meta), txn.get(MOVING, db=self._meta)) != seen:
                    message = (
                        f"store {self.path} was moved by another attempt of this subtask; the task must start again"
                    )
                    raise StateStoreError(message)
                done = work(txn, *arguments)
                txn.put(POINTS, self.points.head.pack(), db=self._meta)
                if last:
                    txn.put(HEAD, version, db=self._meta)
                    txn.delete(MOVING, db=self._meta)
                elif version:
                    txn.put(MOVING, version, db=self._meta)
                    seen = seen[0], version
            return done

        try:
            yield move
            self.points.tidy()
        except (lmdb.Error, OSError) as error:
            self.points.forget()
            limit = f"flott.state.max-store-size lets its ordered part grow to {self.map_size / 2**30:g} GB"
            message = f"store {self.path}: {error} ({limit})"
            raise StateStoreError(message) from error
        except BaseException:
            self.points.forget()
            raise
        finally:
            self._look()

    def _clear(self, txn: lmdb.Transaction) -> None:
        txn.drop(self._data, delete=False)
        txn.put(COLUMNS, b"", db=self._meta)
        self.points.clear(unpack_head(txn.get(POINTS, db=self._meta)))
        self.columns = frozenset()

    def _promote_some(self, txn: lmdb.Transaction, column: bytes) -> bool:
        """Move some entries of a column from LMDB to the log; say whether there were any."""
        found = some_entries(txn, column)
        for key, _ in found:
            txn.delete(key)
        if found:
            self.points.append(batch_of([key for key, _ in found], [value for _, value in found]))
        return bool(found)

    def _demoted(self, columns: set[bytes]) -> Iterator[Changes]:
        """Return the entries of columns that are to be in order from now on, in parts."""
        if columns:
            yield from parts_of((one for one in self.points.entries() if one[0][COLUMN] in columns), STEP_SIZE)


def some_entries(txn: lmdb.Transaction, column: bytes) -> list[tuple[bytes, bytes]]:
    """Return entries of a column, as many as are written at once; in each key group they lie together."""
    found: list[tuple[bytes, bytes]] = []
    start = b"\0\0" + column
    with txn.cursor() as cursor:
        while len(found) < STEP_ENTRIES and cursor.set_range(start):
            key, value = bytes(cursor.key()), bytes(cursor.value())
            if key[COLUMN] == column:
                found.append((key, value))
                start = key + b"\0"
            elif key[COLUMN] < column:
                start = key[GROUP] + column
            else:
                group = next_group(key)
                if group is None:
                    break
                start = group + column
    return found


def steps_of(changes: Changes) -> Iterator[list[bytes]]:
    """Cut the addresses of changes, in their order, into lists that are written at once.

    >>> [len(step) for step in steps_of({b"%d" % number: b"" for number in range(STEP_ENTRIES + 1)})]
    [8192, 1]
    """
    step: list[bytes] = []
    size = 0
    for address in sorted(changes):
        step.append(address)
        size += len(changes[address] or b"")
        if len(step) >= STEP_ENTRIES or size > STEP_SIZE:
            yield step
            step, size = [], 0
    if step:
        yield step


def write_entries(txn: lmdb.Transaction, addresses: list[bytes], changes: Changes) -> None:
    """Write changes at some addresses, which are sorted: neighbours share pages."""
    entries = [(address, value) for address in addresses if (value := changes[address]) is not None]
    with txn.cursor() as cursor:
        # A snapshot that is read back only ever adds at the end: then no place has to be looked for.
        behind = bool(entries) and (not cursor.last() or bytes(cursor.key()) < entries[0][0])
        cursor.putmulti(entries, append=behind)
    if len(entries) < len(addresses):
        for address in addresses:
            if changes[address] is None:
                txn.delete(address)
