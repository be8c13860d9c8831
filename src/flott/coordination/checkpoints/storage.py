"""Where completed checkpoints are kept: in the driver's memory, or in a directory that outlives it."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Protocol

from flott.coordination.checkpoints.metadata import decode_metadata, encode_metadata
from flott.coordination.checkpoints.state_files import own_names
from flott.errors import CheckpointError
from flott.runtime.storage import open_storage

if TYPE_CHECKING:
    from flott.coordination.checkpoints.metadata import CheckpointMetadata

log = logging.getLogger("flott.checkpoints")

METADATA = "_metadata"
CHECKPOINT_FOLDER = re.compile(r"chk-(\d+)")


class CheckpointStorage(Protocol):
    """Keeps the metadata of checkpoints; the state files they name are kept by the job's storage."""

    survives: bool
    """Whether what is kept here outlives the driver."""

    def write(self, metadata: CheckpointMetadata) -> str:
        """Keep a checkpoint, whole or not at all; return where it is, in words that a restore takes."""

    def discard(self, checkpoint_id: int) -> None:
        """Forget a checkpoint."""


class MemoryCheckpointStorage:
    """Keeps nothing beyond what the coordinator remembers: for tests, and for jobs that need no second driver."""

    survives = False

    def write(self, metadata: CheckpointMetadata) -> str:
        # What can't be written down must not go unnoticed here and fail in production.
        decode_metadata(encode_metadata(metadata), "checkpoint in memory")
        return "<checkpoint-not-externally-addressable>"

    def discard(self, checkpoint_id: int) -> None:
        pass


class DirectoryCheckpointStorage:
    """``chk-<n>/_metadata`` in a directory on any file system that fsspec knows; written last, and at once."""

    survives = True

    def __init__(self, root: str) -> None:
        self.root = root
        self._storage = open_storage(root)

    def write(self, metadata: CheckpointMetadata) -> str:
        folder = f"chk-{metadata.checkpoint_id}"
        self._storage.write(f"{folder}/{METADATA}", encode_metadata(metadata))
        return f"{self.root}/{folder}"

    def discard(self, checkpoint_id: int) -> None:
        self._storage.delete_folder(f"chk-{checkpoint_id}")

    def find(self) -> list[CheckpointMetadata]:
        """Return the complete checkpoints there are, oldest first; a damaged one is named in the log and skipped."""
        found = []
        for name in self._storage.names(""):
            folder = CHECKPOINT_FOLDER.fullmatch(name.removesuffix(f"/{METADATA}"))
            if folder is None or not name.endswith(f"/{METADATA}"):
                continue
            try:
                found.append(decode_metadata(self._storage.read(name), f"{self.root}/{name}"))
            except (CheckpointError, OSError) as error:
                log.warning("checkpoint %s can't be used: %s", folder.group(1), error)
        return sorted(found, key=lambda metadata: metadata.checkpoint_id)


def write_savepoint_metadata(root: str, metadata: CheckpointMetadata) -> None:
    """Complete a savepoint: with this file it counts."""
    open_storage(root).write(METADATA, encode_metadata(metadata))


def remove_unfinished(path: str) -> str:
    """Remove what there is of a savepoint that was given up; where that can't be done it stays, and does no harm."""
    parent, _, name = path.rpartition("/")
    try:
        open_storage(parent).delete_folder(name)
    except Exception as error:  # noqa: BLE001 - whatever its file system raises
        log.warning("what there is of the savepoint %s could not be removed: %s", path, error)
    return ""


def load(path: str) -> tuple[str, CheckpointMetadata]:
    """Read a savepoint or checkpoint by path; return the root that its state files are relative to, and what it is.

    ``path`` is the directory, or the metadata file in it.
    """
    folder = folder_of(path)
    try:
        data = open_storage(folder).read(METADATA)
    except (FileNotFoundError, NotADirectoryError):
        message = (
            f"there is no savepoint or checkpoint at '{path}': no file {METADATA} is there. Give the directory that "
            f"trigger_savepoint() returned, or one named chk-<n>"
        )
        raise CheckpointError(message) from None
    metadata = decode_metadata(data, f"{folder}/{METADATA}")
    is_checkpoint = CHECKPOINT_FOLDER.fullmatch(folder.rpartition("/")[2])
    return (folder.rpartition("/")[0] if is_checkpoint else folder), metadata


def folder_of(path: str) -> str:
    """Return the directory of a savepoint or checkpoint that is named by it or by its metadata file.

    >>> folder_of("/data/savepoint-1/_metadata"), folder_of("/data/savepoint-1/")
    ('/data/savepoint-1', '/data/savepoint-1')
    """
    return path.rstrip("/").removesuffix(f"/{METADATA}")


def remove(path: str) -> None:
    """Remove a savepoint or checkpoint, with the state files that no other checkpoint beside it needs."""
    folder = folder_of(path)
    parent, _, name = folder.rpartition("/")
    root, metadata = load(folder)
    open_storage(parent).delete_folder(name)
    if root == folder:
        return
    storage = open_storage(root)
    others = DirectoryCheckpointStorage(root).find()
    needed = {file for other in others for file in own_names(other.state.files())}
    for file in own_names(metadata.state.files()) - needed:
        storage.delete(file)
    if not others:
        # The rest are notes of a job that is over: nobody can go on from here.
        open_storage(root.rpartition("/")[0]).delete_folder(root.rpartition("/")[2])
