"""Files that outlive a task: a small door to any file system that fsspec knows."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import fsspec

from flott.errors import FlottError

SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")


class Storage(Protocol):
    """Where deltas, snapshots and job files are kept; names are relative and checked."""

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        """Store a file, which is these parts one after the other, whole or not at all."""

    def read(self, name: str) -> bytes:
        """Return a file's content."""

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""

    def delete_folder(self, name: str) -> None:
        """Remove a folder with all in it."""

    def remove_if_empty(self) -> None:
        """Remove the directory itself if nothing is in it."""

    def names(self, folder: str) -> list[str]:
        """Return the names of all files below a folder, sorted; half-written ones are not among them."""


def open_storage(url: str) -> Storage:
    """Open a directory by path or URL (``/data/x``, ``file:///x``, ``s3://bucket/x``, ``hdfs://…``)."""
    file_system, path = fsspec.core.url_to_fs(url)
    protocol = file_system.protocol if isinstance(file_system.protocol, str) else file_system.protocol[0]
    return LocalStorage(Path(path)) if protocol in {"file", "local"} else RemoteStorage(url)


def checked(name: str) -> str:
    """Refuse a name that could lead out of the directory."""
    if not SAFE_NAME.fullmatch(name):
        message = f"{name!r} is not a name for a file in storage: use letters, digits, '.', '_', '-' and '/'"
        raise FlottError(message)
    return name


class LocalStorage:
    """A local directory; a file appears under its name only when it is complete."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        target = self.root / checked(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            with partial.open("wb") as file:
                for part in parts:
                    file.write(part)
            partial.replace(target)
        except OSError:
            partial.unlink(missing_ok=True)
            raise

    def read(self, name: str) -> bytes:
        return (self.root / checked(name)).read_bytes()

    def delete(self, name: str) -> None:
        (self.root / checked(name)).unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        shutil.rmtree(self.root / checked(name), ignore_errors=True)

    def remove_if_empty(self) -> None:
        with suppress(OSError):
            self.root.rmdir()

    def names(self, folder: str) -> list[str]:
        top = self.root / checked(folder) if folder else self.root
        files = (path for path in top.rglob("*") if not path.name.startswith(".") and path.is_file())
        return sorted(str(path.relative_to(self.root)) for path in files)


class RemoteStorage:
    """An object store or distributed file system, where a write shows only once it is complete."""

    def __init__(self, url: str) -> None:
        self.file_system, self.root = fsspec.core.url_to_fs(url)

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        path = f"{self.root}/{checked(name)}"
        self.file_system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.file_system.pipe_file(path, b"".join(parts))

    def read(self, name: str) -> bytes:
        content: bytes = self.file_system.cat_file(f"{self.root}/{checked(name)}")
        return content

    def delete(self, name: str) -> None:
        path = f"{self.root}/{checked(name)}"
        if self.file_system.exists(path):
            self.file_system.rm_file(path)

    def delete_folder(self, name: str) -> None:
        path = f"{self.root}/{checked(name)}"
        if self.file_system.exists(path):
            self.file_system.rm(path, recursive=True)

    def remove_if_empty(self) -> None:
        with suppress(OSError, NotImplementedError):
            self.file_system.rmdir(self.root)

    def names(self, folder: str) -> list[str]:
        top = f"{self.root}/{checked(folder)}" if folder else self.root
        self.file_system.invalidate_cache(top)
        found = self.file_system.find(top) if self.file_system.exists(top) else []
        return sorted(path.removeprefix(f"{self.root}/") for path in found)


def remove_job_files(storage: Storage, job_file: str, keep: set[str] | None) -> None:
    """Remove the files of a job that is over, but for the state files that are still needed."""
    if keep is None:
        storage.delete_folder("shared")
        storage.delete_folder("taskowned")
        storage.remove_if_empty()
        return
    storage.delete(job_file)
    for name in storage.names("shared"):
        if name not in keep:
            storage.delete(name)
