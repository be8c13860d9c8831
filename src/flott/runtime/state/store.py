"""The working store of one subtask: LMDB on the executor's disk, at one version, never ahead of what counts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lmdb

from flott.errors import StateStoreError
from flott.runtime.state.lineage import read_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.state.lineage import Changes, Lineage, StateFile
    from flott.runtime.storage import Storage

HEAD, BOOT, MOVING = b"head", b"boot", b"moving"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
DEFAULT_MAP_SIZE = 64 * 2**30
STEP_ENTRIES, STEP_SIZE = 8_192, 16 * 2**20
"""At most so many entries and bytes are written at once: LMDB holds every page it changes in memory until then."""


def boot_id() -> bytes:
    """Return what names this boot of the machine: without syncing, LMDB survives a process but not a power cut."""
    try:
        return BOOT_ID.read_bytes().strip()
    except OSError:
        return b"unknown"


class StateStore:
    """A key-value store at a version. Reads see the version an epoch starts from.

    An epoch's changes are applied when the next epoch starts, once it is known that they count: so there is
    nothing to undo, whatever attempts came and went (docs/adr/006). Durability is not its job either: what must
    survive the machine is in the lineage's files. Nothing is synced, and a store that can't be trusted is rebuilt.
    """

    def __init__(self, path: Path, map_size: int = DEFAULT_MAP_SIZE) -> None:
        self.path = path
        self.map_size = map_size
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
        self._txn = self._env.begin(db=self._data, buffers=False)

    def _wipe(self) -> None:
        self._env.close()
        shutil.rmtree(self.path)
        self._open()

    @property
    def token(self) -> str:
        """The version the store is at."""
        return str(self._txn.get(HEAD, b"", db=self._meta), "ascii")

    def close(self) -> None:
        """Give the files back; the store can be opened again."""
        self._txn.abort()
        self._env.close()

    # Reading

    def reader(self) -> Callable[[bytes], bytes | None]:
        """Return what reads entries, until the store is brought to another version."""
        read: Callable[[bytes], bytes | None] = self._txn.get
        return read

    def get(self, key: bytes) -> bytes | None:
        """Return an entry's value, or None."""
        value: bytes | None = self._txn.get(key)
        return value

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries whose key starts with ``prefix``, in key order."""
        with self._txn.cursor() as cursor:
            if cursor.set_range(prefix):
                for key, value in cursor:
                    if not key.startswith(prefix):
                        return
                    yield key, value

    def scan_from(self, start: bytes, end: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Go over the entries with ``start <= key < end``, in key order."""
        with self._txn.cursor() as cursor:
            if cursor.set_range(start):
                for key, value in cursor:
                    if key >= end:
                        return
                    yield key, value

    def last(self, prefix: bytes) -> bytes | None:
        """Return the greatest key that starts with ``prefix``."""
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
        self._txn = self._env.begin(db=self._data, buffers=False)

    def bring_to(self, lineage: Lineage, storage: Storage, recent: Changes | None = None) -> str:
        """Bring the store to the version a lineage leads to; say how: "here", "apply", "catch-up" or "rebuild".

        ``recent`` are the changes behind the lineage's last file, when this process still has them in memory.
        """
        self.refresh()
        missing = self._missing(lineage)
        how = "here"
        if missing is None:
            how, missing = "rebuild", lineage.files
            self._apply({}, "", wipe=True)
        for file in missing:
            if recent is not None and file is lineage.files[-1] and not file.covers and not file.is_snapshot:
                self._apply(recent, file.token)
                how = "apply" if how == "here" else how
            else:
                keys, values = read_changes(storage, file)
                self._apply(dict(zip(keys, values, strict=True)), file.token)
                how = "catch-up" if how in {"here", "apply"} else how
        return how

    def _missing(self, lineage: Lineage) -> tuple[StateFile, ...] | None:
        """Return the files to apply, or None when the store is not on the lineage.

        A process that died on the way to a version left some of its entries here. They do no harm if that version is
        passed now, because then all of them are written again.
        """
        missing = lineage.after(self.token)
        moving = str(self._txn.get(MOVING, b"", db=self._meta), "ascii")
        if moving and not any(moving == file.token or moving in file.covers for file in missing or ()):
            return None
        return missing

    def _apply(self, changes: Changes, token: str, *, wipe: bool = False) -> None:
        """Go on to a version, in steps: what is changed at once is held in memory."""
        seen = self._txn.get(HEAD, db=self._meta), self._txn.get(MOVING, db=self._meta)
        version = token.encode()
        self._txn.abort()
        steps = [*steps_of(changes)] or [[]]
        try:
            for left, addresses in zip(reversed(range(len(steps))), steps, strict=True):
                with self._env.begin(write=True, db=self._data) as txn:
                    if (txn.get(HEAD, db=self._meta), txn.get(MOVING, db=self._meta)) != seen:
                        message = (
                            f"store {self.path} was moved by another attempt of this subtask; the task must start again"
                        )
                        raise StateStoreError(message)
                    if wipe:
                        txn.drop(self._data, delete=False)
                    write_entries(txn, addresses, changes)
                    if left:
                        txn.put(MOVING, version, db=self._meta)
                    else:
                        txn.put(HEAD, version, db=self._meta)
                        txn.delete(MOVING, db=self._meta)
                seen = seen[0], version
        except lmdb.Error as error:
            message = f"store {self.path}: {error} (it may grow to {self.map_size >> 30} GB on disk)"
            raise StateStoreError(message) from error
        finally:
            self._txn = self._env.begin(db=self._data, buffers=False)


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
