"""Files that outlive a task: one small contract, kept by local disks and by object stores."""

from __future__ import annotations

from flott.runtime.storage.contract import (
    ConflictError,
    Storage,
    UncertainWriteError,
    checked,
    open_storage,
    remove_job_files,
)
from flott.runtime.storage.local import LocalStorage, SyncedFolders
from flott.runtime.storage.remote import RemoteStorage, S3Storage

__all__ = [
    "ConflictError",
    "LocalStorage",
    "RemoteStorage",
    "S3Storage",
    "Storage",
    "SyncedFolders",
    "UncertainWriteError",
    "checked",
    "open_storage",
    "remove_job_files",
]
