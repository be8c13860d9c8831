"""The working store of one subtask: LMDB on the executor's disk, at one version, with one step back."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lmdb

from flott.errors import StateStoreError
from flott.runtime.state.lineage import read_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.state.lineage import Changes, Lineage
    from flott.runtime.storage import Storage

HEAD, PARENT, UNDO, BOOT = b"head", b"parent", b"undo", b"boot"
MAX_KEY = 511
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
DEFAULT_MAP_SIZE = 64 * 2**30


def boot_id() -> bytes:
    """Return what names this boot of the machine: without syncing, LMDB survives a process but not a power cut."""
    try:
        return BOOT_ID.read_bytes().strip()
    except OSError:
        return b"unknown"


class StateStore:
    """A key-value store at a version. Reads see the version; one commit leads to the next.

    Durability is not its job: what must survive the machine is in the lineage's files. So nothing is synced,
    and a store that can't be trusted is thrown away and rebuilt.
    """

    def __init__(self, path: Path, map_size: int = DEFAULT_MAP_SIZE) -> None:
        self.path = path
        self.map_size = map_size
        self._open()

    def _open(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        self._env = lmdb.open(
            str(self.path), map_size=self.map_size, max_dbs=2, sync=False, metasync=False, readahead=False, max_readers=64
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

    def bring_to(self, lineage: Lineage, storage: Storage) -> str:
        """Bring the store to the version a lineage leads to; say how: "here", "undo", "catch-up" or "rebuild"."""
        self.refresh()
        how = "here"
        missing = lineage.after(self.token)
        if missing is None:
            self._undo()
            missing = lineage.after(self.token)
            how = "undo"
        if missing is None:
            self._wipe()
            missing = lineage.files
            how = "rebuild"
        for file in missing:
            keys, values = read_changes(storage, file)
            self._apply(keys, values, file.token)
            how = "catch-up" if how == "here" else how
        return how

    def commit(self, changes: Changes, parent: str, token: str) -> None:
        """Write an epoch's changes and move from version ``parent`` to ``token``, all or nothing."""
        keys = sorted(changes)
        self._txn.abort()
        try:
            with self._env.begin(write=True, db=self._data) as txn:
                head = str(txn.get(HEAD, b"", db=self._meta), "ascii")
                if head != parent:
                    message = f"store {self.path.name} is at version {head!r}, another attempt moved it on from {parent!r}"
                    raise StateStoreError(message)
                with txn.cursor() as cursor:
                    before = dict(cursor.getmulti(keys))
                    cursor.putmulti([(key, changes[key]) for key in keys if changes[key] is not None])
                for key in keys:
                    if changes[key] is None:
                        txn.delete(key)
                undo = pickle.dumps((keys, [before.get(key) for key in keys]), protocol=5)
                txn.put(UNDO, undo, db=self._meta)
                txn.put(PARENT, parent.encode(), db=self._meta)
                txn.put(HEAD, token.encode(), db=self._meta)
        except lmdb.Error as error:
            message = f"store {self.path}: {error}; it holds up to {self.map_size >> 30} GB (option flott.state.map-size)"
            raise StateStoreError(message) from error
        finally:
            self._txn = self._env.begin(db=self._data, buffers=False)

    def _undo(self) -> None:
        with self._env.begin(db=self._meta) as txn:
            undo = txn.get(UNDO)
            parent = txn.get(PARENT)
        if undo is not None:
            keys, values = pickle.loads(undo)  # noqa: S301 - written by this class, local to this boot
            self._apply(keys, values, str(parent, "ascii"))

    def _apply(self, keys: list[bytes], values: list[bytes | None], token: str) -> None:
        with self._env.begin(write=True, db=self._data) as txn:
            with txn.cursor() as cursor:
                cursor.putmulti([pair for pair in zip(keys, values, strict=True) if pair[1] is not None])
            for key, value in zip(keys, values, strict=True):
                if value is None:
                    txn.delete(key)
            txn.delete(UNDO, db=self._meta)
            txn.put(HEAD, token.encode(), db=self._meta)
        self.refresh()
