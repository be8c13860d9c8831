"""Files that show only when they count: written in a hidden place, then renamed.

Below the sink's base path, ``.staging/<job>-<operator>/<subtask>/`` holds what one subtask has written and nobody has
committed. Names in it are unique per attempt, so attempts never write to each other's files.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import fsspec

from flott.connectors.file_errors import writing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.connectors.pending_partitions import WriterProgress

log = logging.getLogger(__name__)

STAGING = ".staging"
OPEN_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A complete file: where it lies hidden, and where it belongs; both relative to the base path."""

    staged: str
    target: str


@dataclass(frozen=True, slots=True)
class StagedFiles:
    """What one writer has written in one epoch: the committable of a file sink."""

    directory: str
    """Where the subtask stages, relative to the base path."""
    files: tuple[StagedFile, ...]
    progress: WriterProgress | None = None
    """How far the writer has come, if partitions are committed by it."""


def staging_folder(job_id: str, operator_id: str) -> str:
    """Return where the subtasks of one sink of one job stage their files, relative to the base path."""
    return f"{STAGING}/{job_id}-{operator_id}"


class StagingArea:
    """The files of one sink, on any file system that fsspec knows."""

    def __init__(self, base_path: str) -> None:
        self.file_system: Any
        self.file_system, root = fsspec.core.url_to_fs(base_path)
        self._root = root.rstrip("/")

    def create(self, name: str) -> BinaryIO:
        """Open a new hidden file."""
        path = self.path(name)
        with writing(self._root):
            for attempt in range(1, OPEN_ATTEMPTS + 1):
                self.file_system.makedirs(path.rpartition("/")[0], exist_ok=True)
                try:
                    return cast("BinaryIO", self.file_system.open(path, "wb"))
                except FileNotFoundError:
                    # A committer of another job may just have tidied up the empty directory.
                    if attempt == OPEN_ATTEMPTS:
                        raise
        raise AssertionError

    def read(self, name: str) -> bytes | None:
        """Return what a hidden file holds; None if it is not there."""
        try:
            return cast("bytes", self.file_system.cat_file(self.path(name)))
        except FileNotFoundError:
            return None

    def replace(self, name: str, content: bytes) -> None:
        """Write a file that takes the place of the one before, at once or not at all."""
        path = self.path(name)
        self.file_system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.file_system.pipe_file(f"{path}.new", content)
        self.file_system.mv(f"{path}.new", path)

    def touch(self, name: str) -> None:
        """Make an empty file; one that is there stays."""
        path = self.path(name)
        if not self.file_system.exists(path):
            self.file_system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self.file_system.pipe_file(path, b"")

    def exists(self, name: str) -> bool:
        """Say whether a file is there."""
        return bool(self.file_system.exists(self.path(name)))

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; those that are not there are no error."""
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                self.file_system.rm_file(self.path(name))

    def publish(self, file: StagedFile) -> None:
        """Move a file to its place. On most file systems that is atomic; an object store copies, also atomically."""
        staged, target = self.path(file.staged), self.path(file.target)
        if self.file_system.exists(staged):
            self.file_system.makedirs(target.rpartition("/")[0], exist_ok=True)
            self.file_system.mv(staged, target)
        elif not self.file_system.exists(target):
            # After a restart, files committed before may have been taken away by whoever reads them.
            log.warning("'%s' was to be committed; it is neither staged nor in its place", target)

    def tidy(self, folder: str, kept: set[str]) -> None:
        """Remove what attempts that came to nothing left below a folder, except for some files."""
        path = self.path(folder)
        self.file_system.invalidate_cache(path)
        found = self.file_system.find(path) if self.file_system.exists(path) else []
        names = {f"{folder}/{file.split(f'/{folder}/', 1)[-1]}" for file in found}
        self.remove(names - kept)
        for directory in {name.rpartition("/")[0] for name in names}:
            self.remove_empty(directory)

    def remove_empty(self, directory: str) -> None:
        """Remove a directory that nothing is in any more, and those above it."""
        path = self.path(directory)
        # Stops at the first that is not empty; object stores have no directories.
        with contextlib.suppress(OSError, NotImplementedError):
            for _ in range(directory.count("/") + 1):
                self.file_system.rmdir(path)
                path = path.rpartition("/")[0]

    def path(self, name: str) -> str:
        """Return where a file of this sink is."""
        return f"{self._root}/{name}"
