"""Files that show only when they count: written in a hidden place, then renamed.

Below the sink's base path, ``.staging/<job>-<operator>/<subtask>/`` holds what one subtask has written and nobody has
committed. Names in it are unique per attempt, so attempts never write to each other's files.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import fsspec

from flott.connectors.file_errors import writing
from flott.runtime.storage import SyncedFolders

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.connectors.base import SinkScope
    from flott.connectors.pending_partitions import WriterProgress
    from flott.runtime.operators.sinks import WriterInitContext

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


def writer_folder(context: WriterInitContext) -> str:
    """Return where a writer stages its files, relative to the base path; the name says for which driver of the job."""
    return f"{staging_folder(context.job_id, context.operator_id)}/d{context.owner}/{context.subtask}"


def owner_of(name: str) -> int:
    """Return the number of the driver that a file was staged for; 0 for one of Flott 0.1.

    >>> owner_of(".staging/job-op/d3/0/file"), owner_of(".staging/job-op/0/file")
    (3, 0)
    """
    folder = name.split("/")[2]
    return int(folder[1:]) if folder.startswith("d") else 0


class StagingArea:
    """The files of one sink, on any file system that fsspec knows."""

    def __init__(self, base_path: str) -> None:
        self.file_system: Any
        self.file_system, root = fsspec.core.url_to_fs(base_path)
        self._root = root.rstrip("/")
        protocols = (
            {self.file_system.protocol} if isinstance(self.file_system.protocol, str) else self.file_system.protocol
        )
        self._local = SyncedFolders(Path(root)) if "file" in protocols else None

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

    def sync(self, names: Iterable[str]) -> None:
        """Make files on a local disk durable, with the directories that they are in, up to the base path."""
        if self._local is not None:
            self._local.sync([Path(self.path(name)) for name in names])

    def make_durable(self, committables: Iterable[StagedFiles], *, committed: bool) -> None:
        """Make what writers staged durable, or the places that it was moved to."""
        files = [file for committable in committables for file in committable.files]
        if not committed:
            self.sync([file.staged for file in files])
        elif self._local is not None:
            # After a restart, what was committed before may be gone, with its directory.
            folders = {Path(self.path(file.target)).parent for file in files}
            self._local.sync_folders(folder for folder in folders if folder.exists())

    def publish(self, file: StagedFile) -> bool:
        """Move a file to its place; return whether it is there then.

        On most file systems that is atomic; an object store copies, also atomically.

        Another driver of the job may do the same at the same time: the name is the same, so it shows once.
        """
        staged, target = self.path(file.staged), self.path(file.target)
        if self.file_system.exists(staged):
            self.file_system.makedirs(target.rpartition("/")[0], exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                self.file_system.mv(staged, target)
                return True
        if self.file_system.exists(target):
            return True
        # After a restart, files committed before may have been taken away by whoever reads them.
        log.warning("'%s' was to be committed; it is neither staged nor in its place", target)
        return False

    def tidy(self, scope: SinkScope, kept: set[str]) -> None:
        """Remove what attempts left that came to nothing, except for some files and for those of later drivers."""
        folder = staging_folder(scope.job_id, scope.operator_id)
        path = self.path(folder)
        self.file_system.invalidate_cache(path)
        found = self.file_system.find(path) if self.file_system.exists(path) else []
        names = {f"{folder}/{file.split(f'/{folder}/', 1)[-1]}" for file in found}
        mine = {name for name in names if owner_of(name) <= scope.owner}
        self.remove(mine - kept)
        for directory in {name.rpartition("/")[0] for name in mine}:
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
