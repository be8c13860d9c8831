"""Finds what a checkpoint directory knows of jobs, and the one that a program goes on with."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import fsspec

from flott.common import JobID
from flott.coordination.checkpoints.metadata import decode_metadata
from flott.coordination.checkpoints.storage import CHECKPOINT_FOLDER, METADATA
from flott.coordination.job_note import RECORD, RUNNING, JobNote, decode_note
from flott.coordination.job_record import JobRecord
from flott.coordination.liveness import lives, owned, wait_for_lease
from flott.errors import CheckpointError, JobOwnedError
from flott.runtime.storage import ConflictError, LocalStorage, open_storage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.coordination.checkpoints.metadata import CheckpointMetadata
    from flott.coordination.liveness import Lease
    from flott.runtime.storage import Storage

log = logging.getLogger("flott.checkpoints")


@dataclass(frozen=True, slots=True)
class FoundJob:
    """A job in a checkpoint directory."""

    job_id: str
    root: str
    note: JobNote
    version: str
    storage: Storage

    @property
    def resumable(self) -> bool:
        """Whether a program of its name goes on with it.

        It did not end, it failed and kept checkpoints, or it finished and its driver died before all was removed.
        """
        return not self.note.abandoned and self.note.status in {RUNNING, "FAILED", "FINISHED"}

    @property
    def has_driver(self) -> bool:
        """Whether somebody runs it."""
        return self.note.is_running and lives(self.storage, self.note)


def jobs_named(directory: str, name: str) -> list[FoundJob]:
    """Return the jobs of a name, newest first; raises CheckpointError if one of them has a damaged record."""
    roots = {folder: f"{directory.rstrip('/')}/{folder}" for folder in folders(directory)}
    found = [job_in(open_storage(root), folder, root, name) for folder, root in roots.items()]
    return sorted((job for job in found if job is not None), key=lambda job: job.note.created, reverse=True)


def job_in(storage: Storage, folder: str, root: str, name: str) -> FoundJob | None:
    """Return the job of a directory if it has a name; raises CheckpointError if its record is damaged or missing."""
    content = storage.read_version(RECORD)
    if content is None:
        refuse_without_record(storage, root, name)
        return None
    try:
        note = decode_note(content[0], f"{root}/{RECORD}")
    except CheckpointError:
        if may_be(storage, root, name):
            raise
        return None
    return FoundJob(folder, root, note, content[1], storage) if note.name == name else None


def refuse_without_record(storage: Storage, root: str, name: str) -> None:
    """Raise if there are checkpoints of a job, but not the file that says which of them count."""
    folders_there = [one for one in storage.names("") if one.endswith(f"/{METADATA}")]
    if folders_there and may_be(storage, root, name):
        message = (
            f"{root} has checkpoints of job '{name}', and its file {RECORD}, which says which count, is missing. "
            f"Start from one of them (-s {root}/chk-n), which writes again what was committed after it, and add --new; "
            f"or remove that directory, which starts from the beginning"
        )
        raise CheckpointError(message)


def may_be(storage: Storage, root: str, name: str) -> bool:
    """Return whether a directory whose record can't be read may be that of a job of some name."""
    known = {one.job_name for one in metadata_in(storage)}
    log.debug("%s has checkpoints of %s", root, known)
    return not known or name in known


def metadata_in(storage: Storage) -> Iterator[CheckpointMetadata]:
    """Go over the metadata of checkpoints that can be read."""
    for file in storage.names(""):
        folder, _, last = file.rpartition("/")
        if last == METADATA and CHECKPOINT_FOLDER.fullmatch(folder):
            with suppress(CheckpointError, OSError):
                yield decode_metadata(storage.read(file), file)


def find_job(directory: str, name: str, savepoint: str | None, lease: Lease, *, durable: bool) -> JobRecord | None:
    """Return the record of the job that a program goes on with; now it is ours. None: it is a new job.

    With a savepoint, it is only a job that was started from that very one. Raises JobOwnedError where a job of that
    name has a driver already; where that is known by leases only, it waits until they have expired.
    """
    jobs = jobs_named(directory, name)
    mine = [job for job in jobs if job.resumable and (savepoint is None or job.note.savepoint == savepoint)]
    for job in sorted(mine, key=lambda job: job.has_driver):
        record = JobRecord(job.root, job.job_id, job.note, lease, durable=durable)
        record.take(job.version)
        return record
    for job in jobs:
        if job.has_driver:
            if isinstance(job.storage, LocalStorage):
                raise JobOwnedError(owned(job.note, job.root))
            wait_for_lease(job.storage, job.root, job.note, job.version, lease)
    return None


def abandon_jobs(directory: str, name: str, lease: Lease) -> None:
    """See to it that jobs of a name that nobody runs are not resumed without being asked for.

    Where only leases show that somebody runs one, it waits until they have expired, or are renewed. A job whose
    record is damaged or missing gets one that says so.
    """
    for folder in folders(directory):
        root = f"{directory.rstrip('/')}/{folder}"
        storage = open_storage(root)
        try:
            job = job_in(storage, folder, root, name)
        except CheckpointError as error:
            log.warning("%s", error)
            abandon(root, storage, JobNote(name, "FAILED"), storage.read_version(RECORD))
            continue
        if job is None or not job.resumable or (job.has_driver and isinstance(storage, LocalStorage)):
            continue
        with suppress(JobOwnedError):
            if job.note.is_running and not isinstance(storage, LocalStorage):
                wait_for_lease(storage, root, job.note, job.version, lease)
            abandon(root, storage, job.note, (b"", job.version))


def abandon(root: str, storage: Storage, note: JobNote, found: tuple[bytes, str] | None) -> None:
    """Write down that a job is not resumed without being asked for, unless somebody has just taken it."""
    with suppress(ConflictError):
        storage.swap(RECORD, replace(note, abandoned=True).encode(), None if found is None else found[1])
        log.warning(
            "job '%s' (%s) stays in %s and is not resumed any more; -s %s/chk-n starts from it",
            note.name, note.status, root, root,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListedJob:
    """What a checkpoint directory says about one of its jobs."""

    job_id: str
    name: str
    status: str
    """LOST: its driver is gone; start the program again, and it goes on."""
    rest: str | None
    """Where the job can be steered."""
    root: str


def jobs_in(directory: str) -> list[ListedJob]:
    """Return the jobs that a checkpoint directory knows."""
    found = []
    for folder in folders(directory):
        root = f"{directory.rstrip('/')}/{folder}"
        storage = open_storage(root)
        content = storage.read_version(RECORD)
        if content is None:
            continue
        with suppress(CheckpointError):
            note = decode_note(content[0], f"{root}/{RECORD}")
            lost = note.is_running and not lives(storage, note)
            status, rest = ("LOST", None) if lost else (note.status, note.rest)
            found.append(ListedJob(folder, note.name, status, rest, root))
    return found


def folders(directory: str) -> list[str]:
    """Return the names of the jobs that have a folder in a checkpoint directory."""
    file_system, path = fsspec.core.url_to_fs(directory)
    file_system.invalidate_cache(path)
    if not file_system.exists(path):
        return []
    names = [entry["name"].rstrip("/").rpartition("/")[2] for entry in file_system.ls(path, detail=True)]
    return sorted(name for name in names if JobID.is_valid(name))
