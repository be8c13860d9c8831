"""Which files a path means: a file, all files below a directory, or what a pattern matches."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import fsspec

from flott.connectors.paths import is_local, url_of
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file and how long it was when it was found."""

    path: str
    size: int


def find_files(paths: Iterable[str | os.PathLike[str]], *, may_be_missing: bool = False) -> list[FoundFile]:
    """Return the files that paths, directories and patterns mean: each once, sorted within each path.

    Below a directory and among a pattern's matches, names that start with '.' or '_' are left out: those are files
    in the making. ``may_be_missing`` is for those who look again later.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        matches = list(_find(os.fspath(path)))
        if not matches and not may_be_missing:
            _check_there(os.fspath(path))
        for file in sorted(matches, key=lambda file: file.path):
            found.setdefault(file.path, file)
    return list(found.values())


def _find(url: str) -> Iterator[FoundFile]:
    file_system, path = fsspec.core.url_to_fs(url)
    if file_system.isfile(path):
        yield _file(file_system, path, file_system.info(path))
    elif file_system.isdir(path):
        yield from _below(file_system, path)
    elif MAGIC.intersection(path):
        fixed = path[: min(path.find(sign) for sign in MAGIC if sign in path)].rpartition("/")[0]
        for match, info in file_system.glob(path, detail=True).items():
            if _hidden(match, fixed):
                continue
            if info["type"] == "directory":
                yield from _below(file_system, match)
            else:
                yield _file(file_system, match, info)


def _below(file_system: Any, directory: str) -> Iterator[FoundFile]:
    found = (
        _listed(file_system, directory) if is_local(file_system) else file_system.find(directory, detail=True).items()
    )
    for path, info in found:
        if not _hidden(path, directory):
            yield _file(file_system, path, info)


def _listed(file_system: Any, directory: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give out all below a local directory; fsspec itself passes over one that it may not look into."""
    try:
        listing = file_system.ls(directory, detail=True)
    except FileNotFoundError:
        return  # gone since its name was read
    except PermissionError as error:
        raise ConfigurationError(
            f"the directory '{directory}' may not be read by the user that the driver runs as: let that user list it, "
            f"or name other paths"
        ) from error
    for info in listing:
        if info["type"] != "directory":
            yield info["name"], info
        elif not _hidden(info["name"], directory):
            yield from _listed(file_system, info["name"])


def _hidden(path: str, directory: str) -> bool:
    """Say whether a path is hidden by its name, or by that of a directory which the user did not name."""
    inside = path.removeprefix(directory.rstrip("/"))
    return any(part.startswith((".", "_")) for part in inside.split("/"))


def _file(file_system: Any, path: str, info: dict[str, Any]) -> FoundFile:
    name = url_of(file_system, path)
    if info["size"] is None:
        raise ConfigurationError(
            f"'{name}': its file system does not say how long the file is, so it can't be read in parts"
        )
    return FoundFile(name, info["size"])


def _check_there(url: str) -> None:
    file_system, path = fsspec.core.url_to_fs(url)
    if not file_system.exists(path):
        what = "matches the pattern" if MAGIC.intersection(path) else "is at"
        raise ConfigurationError(
            f"no file {what} '{url}'. Name a file, a directory or a pattern such as 'data/*.txt', on a file system "
            f"that the driver and all workers can reach."
        )
