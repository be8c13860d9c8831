"""What the engine asks of a place for files, whatever keeps it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import fsspec

from flott.errors import FlottError

if TYPE_CHECKING:
    from collections.abc import Iterable

SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")


class ConflictError(FlottError):
    """A conditional write found another version than it expected; it changed nothing."""


class UncertainWriteError(OSError):
    """A conditional write failed, and may take effect all the same, even later."""


class Storage(Protocol):
    """Files by relative name. Every implementation passes `tests/runtime/storage/test_contract.py`."""

    conditional: bool
    """Whether `swap` is atomic among all drivers: the store has a compare-and-set."""

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        """Store a file, which is these parts one after the other, whole or not at all.

        It survives the process at once, and a power failure once it is synced.
        """

    def sync(self, names: Iterable[str]) -> None:
        """Return when files that were written survive a power failure; raises FileNotFoundError for a missing one."""

    def read(self, name: str) -> bytes:
        """Return a file's content; raises FileNotFoundError if it is not there."""

    def sizes(self, folder: str) -> dict[str, int]:
        """Return how many bytes each file below a folder has."""

    def names(self, folder: str) -> list[str]:
        """Return the names of all files below a folder, sorted; half-written ones are not among them."""

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""

    def delete_folder(self, name: str) -> None:
        """Remove a folder with all in it."""

    def remove_if_empty(self) -> None:
        """Remove the directory itself if nothing is in it."""

    # Files of several versions, which drivers compete for. `write` and `read` are not for these.

    def read_version(self, name: str) -> tuple[bytes, str] | None:
        """Return a versioned file's content and version; None if it is not there."""

    def swap(self, name: str, content: bytes, version: str | None) -> str:
        """Replace a file that is at ``version`` (None: create it) and return the new version; durable on return.

        Content must be unique, so that a write that was repeated recognises itself. Raises ConflictError if the file
        is at another version, UncertainWriteError if the outcome is unknown, and OSError if nothing was written.
        """

    def delete_versioned(self, name: str) -> None:
        """Remove a versioned file; a ``swap`` that expects one of its versions conflicts from then on."""


def open_storage(url: str, *, durable: bool = True) -> Storage:
    """Open a directory by path or URL (``/data/x``, ``file:///x``, ``s3://bucket/x``, ``hdfs://…``).

    Without ``durable``, the local disk syncs nothing.
    """
    from flott.runtime.storage.local import LocalStorage
    from flott.runtime.storage.remote import RemoteStorage, S3Storage

    file_system, path = fsspec.core.url_to_fs(url)
    protocols = {file_system.protocol} if isinstance(file_system.protocol, str) else set(file_system.protocol)
    if protocols & {"file", "local"}:
        return LocalStorage(Path(path), durable=durable)
    return S3Storage(url) if protocols & {"s3", "s3a"} else RemoteStorage(url)


def checked(name: str) -> str:
    """Refuse a name that could lead out of the directory."""
    if not SAFE_NAME.fullmatch(name):
        message = f"{name!r} is not a name for a file in storage: use letters, digits, '.', '_', '-' and '/'"
        raise FlottError(message)
    return name


def remove_job_files(storage: Storage, job_file: str | None, keep: set[str] | None) -> None:
    """Remove the files of a job that is over, but for the state files that are still needed."""
    if keep is None:
        storage.delete_folder("shared")
        storage.delete_folder("taskowned")
        storage.remove_if_empty()
        return
    if job_file is not None:
        storage.delete(job_file)
    for name in storage.names("shared"):
        if name not in keep:
            storage.delete(name)
