"""The jobs of this user on this machine, so that other processes find them: one small file each, no daemon."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common import JobID, JobStatus
from flott.common.options import RestOptions
from flott.coordination.liveness import LOOKING_SECONDS, lock

if TYPE_CHECKING:
    from flott.common import Configuration

log = logging.getLogger("flott.rest")

LOST = "LOST"
"""The status of a job whose driver is gone without a word."""
KEPT_SECONDS = 7 * 24 * 3600
"""A job that is over is listed for so long."""


@dataclass(frozen=True, slots=True)
class RegisteredJob:
    """A job as its file tells it. Times are in milliseconds since 1970."""

    job_id: str
    name: str
    status: str
    rest: str | None
    """The address of its REST server."""
    pid: int
    started: int
    ended: int | None = None
    savepoint: str | None = None
    """The savepoint that it ended with."""
    error: str | None = None
    checkpoints: str | None = None
    """The directory of its checkpoints."""
    token_file: str | None = None
    """The file with the token of this user."""
    log: str | None = None
    """The file that its output goes to, if it runs detached."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or its driver is gone."""
        return self.status == LOST or JobStatus[self.status].is_terminal_state()


def registry_directory(configuration: Configuration | None = None) -> Path:
    """Return where the files are."""
    given = None if configuration is None else configuration.get(RestOptions.REGISTRY_DIRECTORY)
    given = given or os.environ.get("FLOTT_REGISTRY_DIR")
    if given:
        return Path(given).expanduser()
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "flott" / "jobs"


class Registration:
    """A job's place in the registry while its driver lives."""

    def __init__(self, directory: Path, job: RegisteredJob) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._directory = directory
        self._file = directory / f"{job.job_id}.json"
        # The lock goes with the process, however it ends. Whoever only looks holds it for a moment.
        self._lock: int | None = os.open(lock_of(self._file), os.O_RDONLY | os.O_CREAT, 0o600)
        lock(self._lock, fcntl.LOCK_EX, patience=LOOKING_SECONDS)
        self.job = job
        write_private(self._file, json.dumps(asdict(self.job)))

    def update(self, **changes: object) -> None:
        """Write down what has changed."""
        self.job = replace(self.job, **changes)  # type: ignore[arg-type]
        try:
            write_private(self._file, json.dumps(asdict(self.job)))
        except OSError as error:
            log.warning("%s could not be written: %s", self._file, error)

    def close(self, **changes: object) -> None:
        """The job is over."""
        if self._lock is None:
            return
        self.update(**changes, token_file=None, rest=None)
        os.close(self._lock)
        self._lock = None


def registered_jobs(directory: Path) -> list[RegisteredJob]:
    """Return the jobs that are or were running, newest first; what was over long ago is forgotten."""
    forget_old(directory)
    found = []
    for file in directory.glob("*.json"):
        job = read(file)
        if job is not None:
            lost = not job.is_over and not is_held(lock_of(file))
            found.append(replace(job, status=LOST, rest=None) if lost else job)
    return sorted(found, key=lambda job: -job.started)


def forget_old(directory: Path) -> None:
    """Remove the files of jobs that were over long ago, or whose driver died then."""
    for file in directory.glob("*.json"):
        with suppress(FileNotFoundError):  # another process may do the same
            old = time.time() - file.stat().st_mtime > KEPT_SECONDS
            if old and JobID.is_valid(file.stem) and not is_held(lock_of(file)):
                for leftover in (file, lock_of(file)):
                    leftover.unlink(missing_ok=True)


def read(file: Path) -> RegisteredJob | None:
    """Read a job's file; None if it is none of ours."""
    if not JobID.is_valid(file.stem):
        return None
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        known = {field.name for field in fields(RegisteredJob)}
        job = RegisteredJob(**{key: value for key, value in told.items() if key in known})
        JobStatus[job.status]
    except (OSError, ValueError, TypeError, KeyError) as error:
        log.debug("%s is no job: %s", file, error)
        return None
    return job


def lock_of(file: Path) -> Path:
    """Return the file whose lock says that the driver lives."""
    return file.with_suffix(".lock")


def is_held(file: Path) -> bool:
    """Say whether some process holds a lock."""
    try:
        handle = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not lock(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def write_private(path: Path, text: str) -> None:
    """Write a file that only this user can read, in one piece."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")  # made so that only this user can read it
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
