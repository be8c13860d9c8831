"""The directory of this process for temporary files. What a killed process left is removed by the next one."""

from __future__ import annotations

import atexit
import fcntl
import os
import secrets
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from flott.common.private_directory import private_directory, temporary_root

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["workspace"]

LOCK = ".lock"
_claimed: dict[tuple[Path, int], Path] = {}
"""By root and process: a forked process makes one of its own."""


def workspace() -> Path:
    """Return the directory of this process below the private directory of this user; make it at the first call.

    A lock that goes with the process, however it ends, says that it is in use.
    """
    root = private_directory(temporary_root())
    key = (root, os.getpid())
    if key not in _claimed:
        _claimed[key] = claim(root)
        atexit.register(leave, _claimed[key], os.getpid())
        collect(root)
    return private_directory(_claimed[key])


def claim(root: Path) -> Path:
    """Return the name of a new directory that this process holds the lock of."""
    while True:
        place = root / f"{os.getpid()}-{secrets.token_hex(3)}"
        lock = place.with_name(place.name + LOCK)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if lock.exists():
            return place
        os.close(handle)  # another process took it for one that nobody holds


def collect(root: Path) -> None:
    """Remove the directories of processes that are gone, and then their locks."""
    for held in root.glob(f"*{LOCK}"):
        with suppress(OSError):  # another process may do the same
            handle = os.open(held, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(held.with_name(held.name.removesuffix(LOCK)))
            finally:
                os.close(handle)


def leave(place: Path, process: int) -> None:
    """Remove the directory at the end of its process."""
    if os.getpid() == process:
        remove(place)


def remove(place: Path) -> None:
    """Remove a directory; its lock stays while something in it is still in use."""
    shutil.rmtree(place, ignore_errors=True)
    if not place.exists():
        place.with_name(place.name + LOCK).unlink(missing_ok=True)
