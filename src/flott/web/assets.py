"""Finds the files of the web page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

STATIC = Path(__file__).with_name("static")
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page loads nothing but its own files, and nobody may frame it."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page."""

    content_type: str
    data: bytes


def find(path: str) -> Asset | None:
    """Return the file at a path of the server, or None; ``/`` is the page itself.

    >>> find("/").content_type
    'text/html; charset=utf-8'
    >>> find("/../assets.py") is None
    True
    """
    return assets().get("/index.html" if path == "/" else path)


@cache
def assets() -> dict[str, Asset]:
    """Read all files of the page, by their path on the server."""
    return {
        "/" + file.relative_to(STATIC).as_posix(): Asset(CONTENT_TYPES[file.suffix], file.read_bytes())
        for file in sorted(STATIC.rglob("*"))
        if file.suffix in CONTENT_TYPES
    }
