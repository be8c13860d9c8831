"""Files that outlive a task: a small door to any file system that fsspec knows."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Protocol

import fsspec

from flott.errors import FlottError

SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")


class Storage(Protocol):
    """Where deltas, snapshots and job files are kept; names are relative and checked."""

    def write(self, name: str, data: bytes) -> None:
        """Store a file whole or not at all."""

    def read(self, name: str) -> bytes:
        """Return a file's content."""

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is no error."""


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

    def write(self, name: str, data: bytes) -> None:
        target = self.root / checked(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            partial.write_bytes(data)
            partial.replace(target)
        except OSError:
            partial.unlink(missing_ok=True)
            raise

    def read(self, name: str) -> bytes:
        return (self.root / checked(name)).read_bytes()

    def delete(self, name: str) -> None:
        (self.root / checked(name)).unlink(missing_ok=True)


class RemoteStorage:
    """An object store or distributed file system, where a write shows only once it is complete."""

    def __init__(self, url: str) -> None:
        self.file_system, self.root = fsspec.core.url_to_fs(url)

    def write(self, name: str, data: bytes) -> None:
        path = f"{self.root}/{checked(name)}"
        self.file_system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.file_system.pipe_file(path, data)

    def read(self, name: str) -> bytes:
        content: bytes = self.file_system.cat_file(f"{self.root}/{checked(name)}")
        return content

    def delete(self, name: str) -> None:
        path = f"{self.root}/{checked(name)}"
        if self.file_system.exists(path):
            self.file_system.rm_file(path)
