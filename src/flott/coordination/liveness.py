"""Whether a job's driver lives: by a lock on the local disk, by a lease elsewhere.

Neither fences: a driver may pause after it looked. They decide when another driver may start; what fences the old one
is the conditional write of the job's record.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flott.coordination.job_note import RECORD, JobNote, decode_note
from flott.errors import JobOwnedError
from flott.runtime.storage import LocalStorage

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.storage import Storage

log = logging.getLogger("flott.checkpoints")

LOCK = "_lock"
LOOKING_SECONDS = 0.2
"""Whoever only looks whether a driver has the lock holds it for less than that."""
PROGRESS_SECONDS = 10.0
"""How often a driver that waits says so."""


def pause(seconds: float) -> None:
    """Wait."""
    threading.Event().wait(seconds)


@dataclass(frozen=True, slots=True)
class Lease:
    """How long a driver that says nothing counts as alive, where there are no locks; and what time it is."""

    seconds: float = 60.0
    now: Callable[[], float] = time.time
    pause: Callable[[float], None] = pause

    @property
    def renewal(self) -> float:
        """How often it is renewed, in seconds."""
        return self.seconds / 4


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


def take_lock(storage: LocalStorage) -> int | None:
    """Lock a job's directory for as long as this process lives; None if another driver has it."""
    Path(storage.root).mkdir(parents=True, exist_ok=True)
    handle = os.open(Path(storage.root) / LOCK, os.O_RDONLY | os.O_CREAT, 0o600)
    # The lock goes with the process, however it ends.
    if not lock(handle, fcntl.LOCK_EX, patience=LOOKING_SECONDS):
        os.close(handle)
        return None
    os.set_inheritable(handle, False)
    return handle


def lives(storage: Storage, note: JobNote) -> bool:
    """Return whether some driver has the job of a record."""
    if not isinstance(storage, LocalStorage):
        return time.time() - note.renewed < note.lease
    try:
        handle = os.open(Path(storage.root) / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not lock(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def wait_for_lease(storage: Storage, root: str, note: JobNote, version: str, lease: Lease) -> None:
    """Return when the lease on a job has expired; raise JobOwnedError if it is renewed meanwhile."""
    left = min(max(note.renewed + note.lease - lease.now(), 0.0), note.lease)
    told = left + 2 * PROGRESS_SECONDS
    while left > 0:
        if told - left >= PROGRESS_SECONDS:
            log.warning(
                "job '%s' in %s: its driver (%s) may still run; taking the job over in %.0f s unless the lease is "
                "renewed", note.name, root, driver_of(note), left,
            )  # fmt: skip
            told = left
        step = min(left, 1.0)
        lease.pause(step)
        left -= step
        found = storage.read_version(RECORD)
        if found is None or found[1] != version:
            now = note if found is None else decode_note(found[0], f"{root}/{RECORD}")
            raise JobOwnedError(owned(now, root))


def driver_of(note: JobNote) -> str:
    """Name a driver."""
    return f"process {note.pid} on {note.host}" if note.host else "of Flott 0.1"


def owned(note: JobNote, root: str) -> str:
    """Say that a job has a driver, and what can be done."""
    steer = "" if note.rest is None else f", at {note.rest}"
    return (
        f"job '{note.name}' in {root} has a driver already ({driver_of(note)}{steer}); a second one would write its "
        f"output again. Stop that one (flott cancel, flott stop, or kill it if it hangs) and start again; or start "
        f"another job beside it with --new (flott.job.new: true) or under another name (pipeline.name)"
    )
