"""Checkpoints whose files are damaged or missing: when an older one may take their place, and when nothing may."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flott.common.options import DriverOptions
from flott.coordination.checkpoints.metadata import decode_metadata
from flott.coordination.checkpoints.storage import METADATA, published_folders
from flott.coordination.job_note import Published
from flott.errors import CheckpointError, FlottError, StateStoreError
from flott.runtime.state.lineage import read_changes

if TYPE_CHECKING:
    from flott.coordination.checkpoints.coordinator import CompletedCheckpoint
    from flott.coordination.checkpoints.metadata import CheckpointMetadata
    from flott.coordination.job_record import JobRecord
    from flott.runtime.storage import Storage

log = logging.getLogger("flott.checkpoints")

ALLOW = DriverOptions.ALLOW_OLDER_CHECKPOINT.key


def usable_checkpoints(record: JobRecord, *, allow_older: bool) -> list[tuple[Published, CheckpointMetadata]]:
    """Return the checkpoints that a job can go on from, oldest first; it goes on from the last.

    An older one takes the place of a damaged one only where nothing was committed with that, or where the user allows
    it; then the damaged ones do not count any more. Raises CheckpointError otherwise, and names the file.
    """
    known = record.note.checkpoints
    published = [Published(folder) for folder in published_folders(record.storage, None)] if known is None else [*known]
    sizes = record.storage.sizes("shared") if published else {}
    found: list[tuple[Published, CheckpointMetadata]] = []
    for one in reversed(published):
        try:
            metadata = read_checked(record, one.folder)
            check_files(record.storage, metadata, sizes, content=allow_older and not found)
        except (FlottError, OSError) as error:
            if not found and one.commits and not allow_older:
                raise CheckpointError(refusal(record, one, error, last=one is published[0])) from error
            log.warning("checkpoint %d of %s can't be used: %s", one.number, record.root, error)
        else:
            found.insert(0, (one, metadata))
    if published and not found:
        if allow_older:
            message = (
                f"none of the checkpoints in {record.root} can be read completely; --new starts from the beginning"
            )
            raise CheckpointError(message)
        log.warning("job '%s' has committed nothing yet: it starts from the beginning", record.note.name)
    if known is None or len(found) < len(published):
        record.adopt(tuple(one for one, _ in found))
    return found


def read_checked(record: JobRecord, folder: str) -> CheckpointMetadata:
    """Read the metadata of a checkpoint; raises CheckpointError if it is missing or damaged."""
    place = f"{record.root}/{folder}/{METADATA}"
    try:
        return decode_metadata(record.storage.read(f"{folder}/{METADATA}"), place)
    except FileNotFoundError:
        message = f"{place} is missing"
        raise CheckpointError(message) from None
    except (ValueError, KeyError, TypeError) as error:
        message = f"{place} is damaged: {type(error).__name__}: {error}"
        raise CheckpointError(message) from error


def check_files(storage: Storage, metadata: CheckpointMetadata, sizes: dict[str, int], *, content: bool) -> None:
    """Raise if a state file of a checkpoint is missing or has another size; with ``content``, also if it is altered."""
    for file in metadata.state.files():
        if file.origin is not None and file.origin.root:
            continue  # It is in a savepoint.
        if sizes.get(file.name) != file.size:
            has = "is missing" if file.name not in sizes else f"has {sizes[file.name]} bytes"
            message = f"state file {file.name} {has}; expected {file.size} bytes"
            raise CheckpointError(message)
        if content:
            read_changes(storage, file)


def refuse_restart(record: JobRecord | None, latest: CompletedCheckpoint | None, failure: BaseException) -> None:
    """Raise if no restart helps: another driver has the job, or a state file of its last checkpoint is damaged."""
    if record is not None and record.fenced is not None:
        raise record.fenced
    if record is None or latest is None or StateStoreError.__name__ not in f"{failure!r} {failure}":
        return
    metadata = latest.metadata
    try:
        check_files(record.storage, metadata, record.storage.sizes("shared"), content=True)
    except FlottError as error:
        published = record.note.checkpoints or ()
        folder = next(one for one in published if one.number == metadata.checkpoint_id)
        raise CheckpointError(refusal(record, folder, error, last=folder is published[0])) from error


def refusal(record: JobRecord, one: Published, error: Exception, *, last: bool) -> str:
    """Say why a job can't go on, and what can be done."""
    where = (
        "--new starts from the beginning: everything committed so far is written again"
        if last
        else f"{ALLOW}: true resumes from the newest older checkpoint that is whole: what was committed since is "
        f"written again. --new starts from the beginning"
    )
    return (
        f"job '{record.note.name}' can't resume from {record.root}/{one.folder}, its last checkpoint, whose output is "
        f"committed: {error}. Restore that file, if there is a copy. Otherwise: {where}"
    )
