"""The note in a checkpoint directory that says which job it belongs to, so that a new driver can take it over."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec

from flott.common import JobID, JobStatus
from flott.common.options import CheckpointingOptions
from flott.errors import CheckpointError
from flott.runtime.storage import LocalStorage, open_storage

if TYPE_CHECKING:
    from flott.runtime.storage import Storage

log = logging.getLogger("flott.checkpoints")

RECORD = "_job"
RUNNING, FINISHED = JobStatus.RUNNING.name, JobStatus.FINISHED.name
LOCK = "_lock"
LEASE_SECONDS = 60
"""A driver on a file system without locks counts as gone when its lease was not renewed for so long."""
RENEW_SECONDS = 15
LOOKING_SECONDS = 0.2
"""Whoever only looks whether a driver has the lock holds it for less than that."""


class JobRecord:
    """One job in a checkpoint directory: its name, who runs it and whether it is over."""

    def __init__(self, root: str, job_id: str, name: str, savepoint: str | None = None) -> None:
        self.root = root
        self.job_id = job_id
        self._name = name
        self._savepoint = savepoint
        self._storage = open_storage(root)
        self._owner = uuid4().hex
        self._lock: int | None = None
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._rest: str | None = None
        self._status = RUNNING

    @property
    def finished(self) -> bool:
        """Whether the job has finished, and its driver ended before it had cleaned up."""
        return self._status == FINISHED

    @staticmethod
    def find(directory: str, name: str, savepoint: str | None = None) -> JobRecord | None:
        """Return the record of a job of that name that nobody runs and whose end is not cleaned up; now it is ours.

        With a savepoint, only a job that was started from that very one.
        """
        for folder in _folders(directory):
            root = f"{directory.rstrip('/')}/{folder}"
            note = _read(open_storage(root))
            if note is None or note.get("name") != name or note.get("status") not in (RUNNING, FINISHED):
                continue
            if savepoint is not None and note.get("savepoint") != savepoint:
                continue
            record = JobRecord(root, folder, name, savepoint or note.get("savepoint"))
            record._status = note["status"]
            if record.acquire(note):
                return record
            log.info("job '%s' (%s) is run by another driver; this one starts anew", name, folder)
        return None

    @staticmethod
    def create(directory: str, job_id: str, name: str, savepoint: str | None = None) -> JobRecord:
        """Make the record of a new job, with the savepoint it starts from."""
        record = JobRecord(f"{directory.rstrip('/')}/{job_id}", job_id, name, savepoint)
        try:
            record.acquire(None)
        except OSError as error:
            message = (
                f"the checkpoint directory '{directory}' can't be used: {error}. Set "
                f"{CheckpointingOptions.CHECKPOINTS_DIRECTORY.key} to a directory that this program may write"
            )
            raise CheckpointError(message) from error
        return record

    def acquire(self, note: dict[str, Any] | None) -> bool:
        """Take the job, unless another driver has it; from then on nobody else gets it."""
        if isinstance(self._storage, LocalStorage):
            Path(self._storage.root).mkdir(parents=True, exist_ok=True)
            handle = os.open(Path(self._storage.root) / LOCK, os.O_RDONLY | os.O_CREAT, 0o600)
            # The lock goes with the process, however it ends.
            if not lock(handle, fcntl.LOCK_EX, patience=LOOKING_SECONDS):
                os.close(handle)
                return False
            os.set_inheritable(handle, False)
            self._lock = handle
        else:
            renewed = float(str((note or {}).get("renewed", 0)))
            if time.time() - renewed < LEASE_SECONDS:
                return False
            threading.Thread(target=self._renew, name="flott-lease", daemon=True).start()
        self._write()
        return True

    def announce(self, rest: str) -> None:
        """Write down where the job can be steered."""
        self._rest = rest
        try:
            self._write()
        except OSError as error:
            log.warning("%s does not say where the job can be steered: %s", self.root, error)

    def _renew(self) -> None:
        while not self._over.wait(RENEW_SECONDS):
            try:
                self._write()
            except OSError as error:
                log.warning("the lease on %s could not be renewed: %s", self.root, error)

    def _write(self) -> None:
        with self._writing:
            note = {
                "name": self._name,
                "status": self._status,
                "owner": self._owner,
                "renewed": time.time(),
                "savepoint": self._savepoint,
                "rest": self._rest if self._status == RUNNING else None,
            }
            self._storage.write(RECORD, json.dumps(note).encode())

    def release(self) -> None:
        """Let another driver take the job: this one can't run it."""
        self._over.set()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def ends(self, status: JobStatus) -> None:
        """Write down how the job ended, before anything of it is removed: a driver after this one must not run it."""
        self._over.set()
        self._status = status.name
        self._write()

    def close(self, status: JobStatus, *, keep: bool) -> None:
        """The job is over and cleaned up: nobody takes it over from here."""
        self._over.set()
        self._status = status.name
        try:
            if keep:
                self._write()
            else:
                self._storage.delete(RECORD)
                self._storage.delete(LOCK)
                if isinstance(self._storage, LocalStorage):
                    _remove_if_empty(self._storage.root)
        except OSError as error:
            log.warning("the record of job %s could not be closed: %s", self.job_id, error)
        finally:
            self.release()


@dataclass(frozen=True, slots=True)
class JobNote:
    """What a checkpoint directory says about one of its jobs."""

    job_id: str
    name: str
    status: str
    """LOST: its driver is gone; start the program again, and it goes on."""
    rest: str | None
    """Where the job can be steered."""
    root: str


def jobs_in(directory: str) -> list[JobNote]:
    """Return the jobs that a checkpoint directory knows."""
    found = []
    for folder in _folders(directory):
        root = f"{directory.rstrip('/')}/{folder}"
        storage = open_storage(root)
        note = _read(storage)
        if note is None:
            continue
        status, rest = str(note.get("status")), note.get("rest")
        if status == RUNNING and not is_run(storage, note):
            status, rest = "LOST", None
        found.append(JobNote(folder, str(note.get("name")), status, rest, root))
    return found


def is_run(storage: Storage, note: dict[str, Any]) -> bool:
    """Say whether some driver has the job of a record."""
    if not isinstance(storage, LocalStorage):
        return time.time() - float(str(note.get("renewed", 0))) < LEASE_SECONDS
    try:
        handle = os.open(Path(storage.root) / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not lock(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def lock(handle: int, kind: int, patience: float = 0.0) -> bool:
    """Take a lock on a file; False if another process has it, and keeps it for longer than we are patient."""
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(LOOKING_SECONDS / 10)
        else:
            return True


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        log.debug("%s is kept: something is in it", folder)


def _folders(directory: str) -> list[str]:
    """Return the names of the jobs that have a folder in a checkpoint directory."""
    file_system, path = fsspec.core.url_to_fs(directory)
    file_system.invalidate_cache(path)
    if not file_system.exists(path):
        return []
    names = [entry["name"].rstrip("/").rpartition("/")[2] for entry in file_system.ls(path, detail=True)]
    return sorted(name for name in names if JobID.is_valid(name))


def _read(storage: Storage) -> dict[str, Any] | None:
    try:
        note: dict[str, Any] = json.loads(storage.read(RECORD))
    except (OSError, ValueError):
        return None
    return note
