"""Paths that mean the same in the driver and in every worker."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import fsspec


def is_local(file_system: Any) -> bool:
    """Say whether a file system is the machine's own."""
    protocols = [file_system.protocol] if isinstance(file_system.protocol, str) else file_system.protocol
    return "file" in protocols


def absolute(url: str | os.PathLike[str]) -> str:
    """Return a path or URL that does not depend on the directory a process runs in.

    >>> absolute("file:///data/../out"), absolute("s3://bucket/out")
    ('/out', 's3://bucket/out')
    """
    text = os.fspath(url)
    if text.startswith(("file:", "local:")) or ("://" not in text and "::" not in text):
        path: str = fsspec.core.url_to_fs(text)[1]
        return os.path.normpath(path)
    return text


def as_uri(path: str) -> str:
    """Return a path as Spark understands it: a local one with its scheme, whatever Spark's default is.

    >>> as_uri("/data/x"), as_uri("s3a://bucket/x")
    ('file:///data/x', 's3a://bucket/x')
    """
    return path if "://" in path else f"file://{path}"


def edition_of(path: str) -> tuple[Any, ...]:
    """Return what changes when a file is replaced: what was learnt of the one before holds no more."""
    file_system, inside = fsspec.core.url_to_fs(path)
    if is_local(file_system):
        there = Path(inside).stat()
        return there.st_size, there.st_mtime_ns, there.st_ino
    about = file_system.info(inside)
    return about.get("size"), *(str(about[key]) for key in ("ETag", "etag", "LastModified", "mtime") if key in about)


def url_of(file_system: Any, path: str) -> str:
    """Return the URL of a path on a file system; of a local one, the path."""
    return path if is_local(file_system) else str(file_system.unstrip_protocol(path))
