"""Where completed checkpoints are kept: in the driver's memory, or in a directory that outlives it."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Protocol

from flott.coordination.checkpoints.metadata import decode_metadata, encode_metadata
from flott.coordination.checkpoints.state_files import own_names
from flott.coordination.job_note import RECORD, Published, decode_note
from flott.errors import CheckpointError
from flott.runtime.storage import open_storage

if TYPE_CHECKING:
    from flott.coordination.checkpoints.metadata import CheckpointMetadata
    from flott.coordination.job_note import JobNote
    from flott.coordination.job_record import JobRecord
    from flott.runtime.storage import Storage

log = logging.getLogger("flott.checkpoints")

METADATA = "_metadata"
CHECKPOINT_FOLDER = re.compile(r"chk-(\d+)(?:\.\d+)?")


class CheckpointStorage(Protocol):
    """Keeps the metadata of checkpoints; the state files they name are kept by the job's storage."""

    survives: bool
    """Whether what is kept here outlives the driver."""

    def write(self, metadata: CheckpointMetadata) -> str:
        """Write a checkpoint and make durable what it needs; return where it is, in words that a restore takes.

        It does not count before it is published: nobody resumes from it.
        """

    def publish(self, metadata: CheckpointMetadata, *, commits: bool, retained: int) -> None:
        """Make a checkpoint count, and older ones than so many no longer; raises FencedError for a past driver."""

    def settle(self, checkpoint_id: int) -> bool:
        """Return whether a checkpoint counts whose publication failed; raises OSError while that can't be said."""

    def discard(self, checkpoint_id: int) -> None:
        """Remove a checkpoint that does not count."""


class MemoryCheckpointStorage:
    """Keeps nothing beyond what the coordinator remembers: for tests, and for jobs that need no second driver."""

    survives = False

    def write(self, metadata: CheckpointMetadata) -> str:
        # What can't be written down must not go unnoticed here and fail in production.
        decode_metadata(encode_metadata(metadata), "checkpoint in memory")
        return "<checkpoint-not-externally-addressable>"

    def publish(self, metadata: CheckpointMetadata, *, commits: bool, retained: int) -> None:
        pass

    def settle(self, checkpoint_id: int) -> bool:
        return False

    def discard(self, checkpoint_id: int) -> None:
        pass


class DirectoryCheckpointStorage:
    """``chk-<n>/_metadata`` in a directory on any file system that fsspec knows.

    Drivers after the first have their number in the name, ``chk-<n>.<driver>``: none overwrites what another wrote.
    """

    survives = True

    def __init__(self, record: JobRecord) -> None:
        self.root = record.root
        self._record = record
        self._storage = record.storage
        self._durable: set[str] = set()
        """State files that the last checkpoint made durable."""
        self.folders = {one.number: one.folder for one in record.note.checkpoints or ()}

    def write(self, metadata: CheckpointMetadata) -> str:
        number, epoch = metadata.checkpoint_id, self._record.epoch
        folder = self.folders[number] = f"chk-{number}" if epoch <= 1 else f"chk-{number}.{epoch}"
        files = own_names(metadata.state.files())
        self._storage.sync(sorted(files - self._durable))
        self._durable = files
        self._storage.write(f"{folder}/{METADATA}", encode_metadata(metadata))
        self._storage.sync([f"{folder}/{METADATA}"])
        return f"{self.root}/{folder}"

    def publish(self, metadata: CheckpointMetadata, *, commits: bool, retained: int) -> None:
        self._record.publish(Published(self.folders[metadata.checkpoint_id], commits), retained)

    def settle(self, checkpoint_id: int) -> bool:
        self._record.settle()
        return self.folders[checkpoint_id] in {one.folder for one in self._record.note.checkpoints or ()}

    def discard(self, checkpoint_id: int) -> None:
        folder = self.folders.pop(checkpoint_id, None)
        if folder is not None and self._record.fenced is None:
            self._storage.delete_folder(folder)


def find_checkpoints(root: str) -> list[tuple[str, CheckpointMetadata]]:
    """Return path and metadata of the checkpoints of a job that count and can be read, oldest first."""
    storage = open_storage(root)
    record = storage.read_version(RECORD)
    note = None if record is None else decode_note(record[0], f"{root}/{RECORD}")
    found = []
    for folder in published_folders(storage, note):
        try:
            found.append(
                (f"{root}/{folder}", decode_metadata(storage.read(f"{folder}/{METADATA}"), f"{root}/{folder}"))
            )
        except (CheckpointError, OSError) as error:
            log.warning("checkpoint %s can't be used: %s", folder, error)
    return found


def published_folders(storage: Storage, note: JobNote | None) -> list[str]:
    """Return the folders of the checkpoints that count, oldest first; of a job of Flott 0.1, all that are complete."""
    if note is not None and note.checkpoints is not None:
        return [one.folder for one in note.checkpoints]
    complete = [name.removesuffix(f"/{METADATA}") for name in storage.names("") if name.endswith(f"/{METADATA}")]
    numbers = {folder: int(match[1]) for folder in complete if (match := CHECKPOINT_FOLDER.fullmatch(folder))}
    return sorted(numbers, key=lambda folder: numbers[folder])


def write_savepoint_metadata(root: str, metadata: CheckpointMetadata, *, durable: bool = True) -> None:
    """Complete a savepoint: with this file it counts."""
    storage = open_storage(root, durable=durable)
    storage.sync(sorted(file.name for file in metadata.state.files() if file.origin is None))
    storage.write(METADATA, encode_metadata(metadata))
    storage.sync([METADATA])


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
    others = find_checkpoints(root)
    needed = {file for _, other in others for file in own_names(other.state.files())}
    for file in own_names(metadata.state.files()) - needed:
        storage.delete(file)
    if not others:
        # The rest are notes of a job that is over: nobody can go on from here.
        open_storage(root.rpartition("/")[0]).delete_folder(root.rpartition("/")[2])
