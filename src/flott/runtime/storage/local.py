"""A local directory, or one that is mounted, as storage."""

from __future__ import annotations

import os
import re
import shutil
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from flott.runtime.storage.contract import ConflictError, UncertainWriteError, checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class SyncedFolders:
    """Makes files below a directory durable, with the entries that lead to them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: set[Path] = set()
        """Directories whose own entry in their parent is durable."""

    def sync(self, files: Sequence[Path]) -> None:
        """Make files durable: their contents and their names."""
        for path in files:
            sync_path(path)
        self.sync_folders({path.parent for path in files})

    def sync_folders(self, folders: Iterable[Path]) -> None:
        """Make the entries of directories durable, and once their own entries, up to the parent of the root."""
        for folder in sorted(folders):
            sync_path(folder)
            above = folder
            while above not in self._known and above.is_relative_to(self._root):
                self._known.add(above)
                above = above.parent
                sync_path(above)

    def forget(self, folder: Path) -> None:
        """A directory was removed: it may be made again."""
        self._known = {one for one in self._known if not one.is_relative_to(folder)}


class LocalStorage:
    """A local directory; a file appears under its name only when it is complete.

    A versioned file ``x`` is kept as ``x.1``, ``x.2``, …; the highest is the current one. Making a version is one
    hard link, which fails if the name is taken: atomic without a lock, so that a writer which pauses halfway blocks
    nobody. Versions are removed in ascending order only. So while version n is there, n+1 was never removed, and
    whoever makes n+1 and still finds n is the first to make it.
    """

    conditional = True

    def __init__(self, root: Path, *, durable: bool = True) -> None:
        self.root = root
        self._durable = durable
        self._folders = SyncedFolders(root)

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        target = self.root / checked(name)
        partial = self._partial(target, parts, durable=False)
        try:
            partial.replace(target)
        except OSError:
            partial.unlink(missing_ok=True)
            raise

    def _partial(self, target: Path, parts: Iterable[bytes | memoryview], *, durable: bool) -> Path:
        """Write a file's content under a hidden name beside it."""
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}-{id(self)}.partial")
        try:
            with partial.open("wb") as file:
                for part in parts:
                    file.write(part)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
        except OSError:
            partial.unlink(missing_ok=True)
            raise
        return partial

    def sync(self, names: Iterable[str]) -> None:
        if not self._durable:
            return
        self._folders.sync([self.root / checked(name) for name in names])

    def read(self, name: str) -> bytes:
        return (self.root / checked(name)).read_bytes()

    def sizes(self, folder: str) -> dict[str, int]:
        found = {}
        for name in self.names(folder):
            with suppress(FileNotFoundError):
                found[name] = (self.root / name).stat().st_size
        return found

    def names(self, folder: str) -> list[str]:
        top = self.root / checked(folder) if folder else self.root
        files = (path for path in top.rglob("*") if not path.name.startswith(".") and path.is_file())
        return sorted(str(path.relative_to(self.root)) for path in files)

    def delete(self, name: str) -> None:
        (self.root / checked(name)).unlink(missing_ok=True)

    def delete_folder(self, name: str) -> None:
        path = self.root / checked(name)
        if path.exists():
            shutil.rmtree(path, onerror=ignoring_missing)
            self._folders.forget(path)

    def remove_if_empty(self) -> None:
        with suppress(OSError):
            self.root.rmdir()
            self._folders.forget(self.root)

    # Versions

    def read_version(self, name: str) -> tuple[bytes, str] | None:
        while True:
            known = self._versions(name)
            if not known:
                return None
            with suppress(FileNotFoundError):  # Replaced since the look.
                return self._path(name, known[-1]).read_bytes(), str(known[-1])

    def swap(self, name: str, content: bytes, version: str | None) -> str:
        expected = -1 if version is None else int(version)
        made = max(expected, 0) + 1
        target = self._path(name, made)
        if version is None and self._versions(name):
            raise ConflictError(f"{self.root}/{name} is there already")
        if version is not None and not self._path(name, expected).exists():
            raise ConflictError(f"{self.root}/{name} is not at version {version} any more")
        partial = self._partial(target, [content], durable=self._durable)
        try:
            taken = self._link(partial, target, content)
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        if taken or self._overtaken(name, expected, made):
            if not taken:
                target.unlink(missing_ok=True)
            raise ConflictError(f"{self.root}/{name} is not at version {version} any more")
        try:
            if self._durable:
                self._folders.sync_folders([target.parent])
            self._remove_versions(name, below=made)
        except OSError as error:
            raise UncertainWriteError(error.errno, f"{target}: {error}") from error
        return str(made)

    @staticmethod
    def _link(partial: Path, target: Path, content: bytes) -> bool:
        """Give a file its name; return whether it is taken. On a mounted disk, an error may hide a success."""
        try:
            os.link(partial, target)
        except OSError as error:
            try:
                there = target.read_bytes()
            except FileNotFoundError:  # somebody was faster, perhaps to remove the whole directory
                if isinstance(error, FileExistsError | FileNotFoundError):
                    return True
                raise error from None
            except OSError as failure:
                raise UncertainWriteError(failure.errno, f"{target}: {failure}") from error
            return there != content
        return False

    def _overtaken(self, name: str, expected: int, made: int) -> bool:
        """Return whether the name was only free because a later version has come, and the one before has gone."""
        if expected < 0:
            return self._versions(name)[-1:] != [made]
        return not self._path(name, expected).exists()

    def delete_versioned(self, name: str) -> None:
        self._remove_versions(name)

    def _remove_versions(self, name: str, below: int | None = None) -> None:
        for version in self._versions(name):
            if below is None or version < below:
                self._path(name, version).unlink(missing_ok=True)

    def _versions(self, name: str) -> list[int]:
        """Return the versions there are, in ascending order; 0 is a plain file, as Flott 0.1 wrote it."""
        target = self.root / checked(name)
        pattern = re.compile(re.escape(target.name) + r"(?:\.(\d+))?")
        try:
            found = [path.name for path in target.parent.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(int(match[1] or 0) for one in found if (match := pattern.fullmatch(one)))

    def _path(self, name: str, version: int) -> Path:
        return self.root / (f"{checked(name)}.{version}" if version else checked(name))


def sync_path(path: Path) -> None:
    """Make a file's content, or a directory's entries, durable, whichever process wrote them."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def ignoring_missing(_: object, __: str, failure: tuple[type[BaseException], BaseException, object]) -> None:
    """Let the removal of a tree go on where somebody else was faster."""
    if not isinstance(failure[1], FileNotFoundError):
        raise failure[1]
