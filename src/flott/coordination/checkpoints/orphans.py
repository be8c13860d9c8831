"""Removes files that drivers left which died: those that no checkpoint that counts holds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flott.coordination.checkpoints.storage import CHECKPOINT_FOLDER

if TYPE_CHECKING:
    from flott.coordination.job_record import JobRecord

log = logging.getLogger("flott.checkpoints")


def remove_orphans(record: JobRecord, held: set[str]) -> None:
    """Remove files of drivers before this one that no published checkpoint names."""
    storage = record.storage
    published = set() if record.finished else {one.folder for one in record.note.checkpoints or ()}
    try:
        for name in storage.names(""):
            first, _, rest = name.partition("/")
            stale_state = first in {"shared", "taskowned"} and name not in held
            stale_checkpoint = CHECKPOINT_FOLDER.fullmatch(first) and first not in published
            if rest and (stale_state or stale_checkpoint) and owner_of(name) < record.epoch:
                storage.delete_folder(first) if stale_checkpoint else storage.delete(name)
    except OSError as error:
        log.warning("files that nobody needs stay in %s: %s", record.root, error)


def owner_of(name: str) -> int:
    """Return the number of the driver that wrote a file of a job; 0 for a file of Flott 0.1.

    >>> [
    ...     owner_of(name)
    ...     for name in ("shared/v/0/3/delta-1", "shared/v/0/delta-1", "chk-12.3/_metadata", "chk-12/_metadata")
    ... ]
    [3, 0, 3, 1]
    >>> owner_of("taskowned/job-3"), owner_of("taskowned/job")
    (3, 0)
    """
    first, *parts = name.split("/")
    if first == "shared":
        return int(parts[2]) if len(parts) == 4 else 0  # noqa: PLR2004
    if first == "taskowned":
        return int(name.rpartition("-")[2]) if "-" in name else 0
    return int(first.partition(".")[2] or 1)
