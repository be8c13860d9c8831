"""Owns a job: every change of its record is one conditional write, so an owner that was replaced can't change it."""

from __future__ import annotations

import logging
import os
import socket
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from flott.common import JobStatus
from flott.coordination.job_note import RECORD, RUNNING, JobNote, Published, decode_note, newest
from flott.coordination.liveness import LOCK, Lease, driver_of, owned, take_lock, wait_for_lease
from flott.errors import FencedError, JobOwnedError
from flott.runtime.storage import ConflictError, LocalStorage, UncertainWriteError, open_storage

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("flott.checkpoints")

SETTLE_PATIENCE = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""How long to wait, in seconds, before a store that did not answer is asked what became of a write."""


class JobRecord:
    """One job in a checkpoint directory, and the right to run it."""

    def __init__(
        self, root: str, job_id: str, note: JobNote, lease: Lease | None = None, *, durable: bool = True
    ) -> None:
        self.root = root
        self.job_id = job_id
        self.note = note
        self.lease = lease or Lease()
        self.storage = open_storage(root, durable=durable)
        self.fenced: FencedError | None = None
        """Another driver has the job: nothing may be changed any more."""
        self.when_fenced: list[Callable[[], None]] = []
        self._version: str | None = None
        self._writing = threading.RLock()
        self._uncertain: dict[bytes, JobNote] = {}
        """Writes whose outcome is unknown: what they hold, as bytes and as a note."""
        self._lock: int | None = None
        self._found = note
        """As it was when this driver came."""
        self._new = False
        """It was this driver that made it."""
        self._over = threading.Event()

    @property
    def epoch(self) -> int:
        """The number of this driver among those of the job."""
        return self.note.epoch

    @property
    def finished(self) -> bool:
        """Whether the job had finished when this driver came: only its removal was left."""
        return self._found.status == "FINISHED"

    @property
    def found_failed(self) -> bool:
        """Whether the job had failed when this driver came."""
        return self._found.status == "FAILED"

    def is_conditional(self) -> bool:
        """Return whether the store refuses conditional writes that it has to refuse: not all that take them do.

        Some know ``If-None-Match`` only. What one of them lets through is this driver's own record once more.
        """
        if not self.storage.conditional:
            return False
        with self._writing:
            self.settle()
            before = self._version
            self._write()
            for stale in (None, before):
                try:
                    self._version = self.storage.swap(RECORD, self.note.encode(), stale)
                except ConflictError:
                    continue
                return False
        return True

    # Taking

    def create(self) -> None:
        """Make the record of a new job."""
        self._new = True
        if isinstance(self.storage, LocalStorage):
            self._lock = take_lock(self.storage)
        self._own(0)
        if not isinstance(self.storage, LocalStorage):
            self._start_renewing()

    def take(self, version: str) -> None:
        """Take over a job that was found; raises JobOwnedError if another driver has it."""
        if isinstance(self.storage, LocalStorage):
            self._lock = take_lock(self.storage)
            if self._lock is None:
                raise JobOwnedError(owned(self.note, self.root))
        elif self.note.is_running:
            wait_for_lease(self.storage, self.root, self.note, version, self.lease)
        self._version = version
        try:
            self._own(self.note.epoch)
        except FencedError:
            self.release()
            raise JobOwnedError(owned(self.note, self.root)) from None
        if not isinstance(self.storage, LocalStorage):
            self._start_renewing()

    def _own(self, epoch: int) -> None:
        self._write(
            status="FINISHED" if self.finished else RUNNING,
            owner=uuid4().hex,
            epoch=epoch + 1,
            lease=self.lease.seconds,
            host=socket.gethostname(),
            pid=os.getpid(),
            rest=None,
        )

    def _start_renewing(self) -> None:
        threading.Thread(target=self._renew, name="flott-lease", daemon=True).start()

    def _renew(self) -> None:
        while not self._over.wait(self.lease.renewal):
            try:
                with self._writing:
                    if not self._over.is_set():
                        self._write()
            except FencedError:
                return
            except OSError as error:
                log.warning("the lease on %s could not be renewed: %s", self.root, error)

    def check(self) -> None:
        """Raise FencedError if another driver has the job. It may have so a moment later: this does not fence."""
        with self._writing:
            self.settle()
            found = self.storage.read_version(RECORD)
            if found is None or found[1] != self._version:
                self._fence()

    # Writing

    def _write(self, **changes: object) -> None:
        """Change the record, if it is as this driver left it."""
        with self._writing:
            self.settle()
            note = replace(self.note, **{"renewed": self.lease.now(), **changes})  # type: ignore[arg-type]
            try:
                self._swap(note)
            except ConflictError:
                self._fence()
            except UncertainWriteError as error:
                try:
                    self._settle_with_patience()
                except OSError as failure:
                    raise UncertainWriteError(failure.errno, str(failure)) from error
                if self.note is not note:
                    message = f"{self.root}/{RECORD} could not be written: {error}"
                    raise OSError(message) from error

    def _swap(self, note: JobNote) -> None:
        content = note.encode()
        try:
            self._version = self.storage.swap(RECORD, content, self._version)
        except UncertainWriteError:
            self._uncertain[content] = note
            raise
        self.note = note
        self._uncertain.clear()

    def settle(self) -> None:
        """Find out what became of a write whose outcome is unknown, and see to it that it does not happen later.

        Another write is put over it: when that succeeds, the unknown one has happened before or never will. Raises
        OSError while the store does not answer, and FencedError if another driver has the job.
        """
        with self._writing:
            if self.fenced is not None:
                raise self.fenced
            while self._uncertain:
                found = self.storage.read_version(RECORD)
                if found is not None and found[0] in self._uncertain:
                    self.note = self._uncertain[found[0]]
                    self._version = found[1]
                    self._uncertain.clear()
                elif found is not None and found[1] == self._version:
                    with suppress(ConflictError):
                        self._swap(self.note)
                else:
                    self._fence()

    def _settle_with_patience(self) -> None:
        for wait in SETTLE_PATIENCE:
            self.lease.pause(wait)
            with suppress(OSError):
                self.settle()
                return
        self.settle()

    def _fence(self) -> None:
        """Another driver has the job: end here, and leave everything to it."""
        found = self.storage.read_version(RECORD)
        other = "and has ended it" if found is None else f"({driver_of(decode_note(found[0], self.root))})"
        self.fenced = FencedError(
            f"job '{self.note.name}' in {self.root} was taken over by another driver {other} while this one, number "
            f"{self.epoch}, did not renew its lease. This one ends; it changes and removes nothing"
        )
        self._over.set()
        for act in self.when_fenced:
            act()
        raise self.fenced

    def announce(self, rest: str) -> None:
        """Write down where the job can be steered."""
        try:
            self._write(rest=rest)
        except OSError as error:
            log.warning("%s does not say where the job can be steered: %s", self.root, error)

    def publish(self, checkpoint: Published, retained: int) -> None:
        """Make a checkpoint count, and those before it no longer that are not retained: all with one write."""
        known = [one for one in self.note.checkpoints or () if one.folder != checkpoint.folder]
        self._write(checkpoints=newest([*known, checkpoint], retained))

    def adopt(self, checkpoints: tuple[Published, ...]) -> None:
        """Say which checkpoints count, where the record did not: it was written by Flott 0.1."""
        self._write(checkpoints=checkpoints)

    # End

    def ends(self, status: JobStatus, *, keep: bool) -> None:
        """Write down that the job is over, before anything of it is removed."""
        self._over.set()
        # Of one that finished, a driver that comes later removes what is left.
        abandoned = not keep and status is not JobStatus.FINISHED
        self._write(status=status.name, rest=None, abandoned=abandoned)

    def give_back(self) -> bool:
        """Leave a job as it was found: it can't start. Of a new one the record is removed; return whether it was.

        A conditional write comes first: what another driver has taken meanwhile is not touched.
        """
        self._over.set()
        try:
            if self._new:
                self.ends(JobStatus.FAILED, keep=False)
            else:
                self._write(status=self._found.status, rest=None, renewed=0.0)
        except (FencedError, OSError) as error:
            log.warning("the record of job %s stays as it is: %s", self.job_id, error)
            self.release()
            return False
        self.close(keep=not self._new)
        return self._new

    @property
    def last_number(self) -> int:
        """The highest number of a checkpoint that this driver found."""
        return max((one.number for one in self._found.checkpoints or ()), default=0)

    def close(self, *, keep: bool) -> None:
        """The job is over, the record says so and all is cleaned up: remove it, unless checkpoints are kept."""
        try:
            if not keep:
                self.storage.delete_versioned(RECORD)
                self.storage.delete(LOCK)
                self.storage.remove_if_empty()
        except OSError as error:
            log.warning("the record of job %s could not be removed: %s", self.job_id, error)
        finally:
            self.release()

    def release(self) -> None:
        """Let another driver take the job."""
        self._over.set()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
