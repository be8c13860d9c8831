"""Object stores and distributed file systems as storage, through fsspec."""

from __future__ import annotations

import errno
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from zlib import crc32

import fsspec

from flott.runtime.storage.contract import ConflictError, UncertainWriteError, checked

if TYPE_CHECKING:
    from collections.abc import Iterable


class RemoteStorage:
    """Any file system that fsspec knows, where a write shows only once it is complete.

    ``swap`` looks and then writes, because fsspec has no compare-and-set (its ``mode="create"`` is a look and a write
    as well): two drivers may both win. So it does not do for exactly-once.
    """

    conditional = False

    def __init__(self, url: str) -> None:
        self.file_system: Any
        self.file_system, self.root = fsspec.core.url_to_fs(url)

    def _path(self, name: str) -> str:
        return f"{self.root}/{checked(name)}"

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        path = self._path(name)
        self.file_system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.file_system.pipe_file(path, b"".join(parts))

    def sync(self, names: Iterable[str]) -> None:
        """Nothing to do: a write that returned is durable."""

    def read(self, name: str) -> bytes:
        content: bytes = self.file_system.cat_file(self._path(name))
        return content

    def sizes(self, folder: str) -> dict[str, int]:
        return {name: int(entry["size"]) for name, entry in self._find(folder).items()}

    def names(self, folder: str) -> list[str]:
        return sorted(self._find(folder))

    def _find(self, folder: str) -> dict[str, dict[str, Any]]:
        top = self._path(folder) if folder else self.root
        self.file_system.invalidate_cache(top)
        found = self.file_system.find(top, detail=True) if self.file_system.exists(top) else {}
        return {path.removeprefix(f"{self.root}/"): entry for path, entry in found.items()}

    def delete(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self.file_system.rm_file(self._path(name))

    def delete_folder(self, name: str) -> None:
        path = self._path(name)
        self.file_system.invalidate_cache(path)
        with suppress(FileNotFoundError):
            if self.file_system.exists(path):
                self.file_system.rm(path, recursive=True)

    def remove_if_empty(self) -> None:
        # Some raise RuntimeError for a directory that is not empty; object stores have no directories.
        with suppress(OSError, RuntimeError):
            self.file_system.rmdir(self.root)

    # Versions

    def read_version(self, name: str) -> tuple[bytes, str] | None:
        try:
            content = self.read(name)
        except FileNotFoundError:
            return None
        return content, f"{crc32(content):08x}"

    def swap(self, name: str, content: bytes, version: str | None) -> str:
        known = self.read_version(name)
        if (None if known is None else known[1]) != version:
            raise ConflictError(f"{self._path(name)} is not at version {version}")
        try:
            self.write(name, content)
        except OSError as error:
            raise UncertainWriteError(error.errno, f"{self._path(name)}: {error}") from error
        return f"{crc32(content):08x}"

    def delete_versioned(self, name: str) -> None:
        self.delete(name)


class S3Storage(RemoteStorage):
    """S3, or a store that speaks its protocol with conditional writes. A version is an ETag."""

    conditional = True

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        self.file_system.pipe_file(self._path(name), b"".join(parts))

    def read_version(self, name: str) -> tuple[bytes, str] | None:
        path = self._path(name)
        try:
            while True:
                self.file_system.invalidate_cache(path)
                version = self.file_system.info(path, refresh=True)["ETag"]
                content: bytes = self.file_system.cat_file(path)
                if self.file_system.info(path, refresh=True)["ETag"] == version:
                    return content, version
        except FileNotFoundError:
            return None

    def swap(self, name: str, content: bytes, version: str | None) -> str:
        path = self._path(name)
        bucket, key, _ = self.file_system.split_path(path)
        condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
        try:
            answer = self.file_system.call_s3("put_object", Bucket=bucket, Key=key, Body=content, **condition)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and version is None:
                raise  # There is no such bucket.
            if not is_refusal(error):
                raise UncertainWriteError(error.errno, f"{path}: {error}") from error
            return self._after_refusal(name, content, version, error)
        except Exception as error:  # whatever the client raises, the request may have arrived
            raise UncertainWriteError(errno.EIO, f"{path}: {type(error).__name__}: {error}") from error
        etag: str = answer["ETag"]
        return etag

    def _after_refusal(self, name: str, content: bytes, version: str | None, error: OSError) -> str:
        """Return the version if the client has repeated a write whose answer was lost; else say what is there."""
        path = self._path(name)
        try:
            found = self.read_version(name)
        except Exception as failure:  # noqa: BLE001 - the write that was repeated may have taken effect
            raise UncertainWriteError(errno.EIO, f"{path}: {type(failure).__name__}: {failure}") from error
        if found is not None and found[0] == content:
            return found[1]
        if (None if found is None else found[1]) == version:  # another write is under way, perhaps our own
            raise UncertainWriteError(errno.EAGAIN, f"{path}: {error}") from error
        raise ConflictError(f"{path} is not at version {version} any more") from error


def is_refusal(error: OSError) -> bool:
    """Return whether the store refused a condition: 412, 409 for two at a time, 404 where the file is gone.

    The client makes FileExistsError of a 412 only if the answer names the condition, which not every store does.
    """
    if isinstance(error, FileExistsError | FileNotFoundError):
        return True
    response = getattr(error.__cause__, "response", None) or {}
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status in {404, 409, 412} or (status is None and error.errno == errno.EINVAL)
