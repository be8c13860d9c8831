"""Writes the archive of Spark's classes after the first job, in a process of its own that only takes idle CPU time."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from flott.common.private_directory import private_directory
from flott.errors import ConfigurationError
from flott.spark.java import class_archive, embedded_java, require_java, write_class_archive

if TYPE_CHECKING:
    from pathlib import Path

SWITCH = "FLOTT_CLASS_ARCHIVE"
"""Set to ``off`` in the environment, no archive is written unless ``flott doctor --prepare`` asks for it."""
ENOUGH_DISK = 1 << 30
LOWEST_PRIORITY = 19


def write_archive_later() -> subprocess.Popen[bytes] | None:
    """Start writing the archive in the background if this process ran Spark without one; return the new process."""
    if os.environ.get(SWITCH) == "off" or embedded_java() is None or not is_wanted(class_archive(require_java())):
        return None
    return subprocess.Popen(
        [sys.executable, "-m", "flott.spark.archive_later"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def is_wanted(archive: Path) -> bool:
    """Return whether there is no archive, no earlier attempt failed, and the disk has room for one."""
    if archive.exists() or failure_of(archive).exists():
        return False
    try:
        archive.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_directory(archive.parent)
        return shutil.disk_usage(archive.parent).free >= ENOUGH_DISK
    except (OSError, ConfigurationError):
        return False


def failure_of(archive: Path) -> Path:
    """Return the file that says why the last attempt failed; there is no second one while it exists."""
    return archive.with_suffix(".failed")


def write_when_idle(archive: Path) -> None:
    """Write the archive at the lowest priority, unless another process is at it."""
    with (archive.parent / ".writing").open("w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        if not is_wanted(archive):
            return
        for half in archive.parent.glob(f"{archive.stem}.[0-9]*"):
            half.unlink()  # what a killed process left
        os.nice(LOWEST_PRIORITY)
        with suppress(AttributeError, OSError):  # Linux has a policy for what only takes idle processors
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        try:
            write_class_archive()
        except (OSError, ConfigurationError) as error:
            failure_of(archive).write_text(f"{error}\n", encoding="utf-8")


if __name__ == "__main__":
    write_when_idle(class_archive(require_java()))
