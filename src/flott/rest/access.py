"""Who may use a REST server: whoever shows a token. The page gets one of its own through a link that works once."""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from flott.common.private_directory import READABLE_BY_OTHERS, private_directory
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger("flott.rest")

TOKEN_FILE = "token"  # noqa: S105 - the name of a file
MOST = 100
"""So many links and pages are remembered; each more makes the oldest of them invalid."""


class Access:
    """The tokens that a server knows. Those of pages are lost with the server; no other server knows them."""

    def __init__(self, *tokens: str) -> None:
        self._tokens = tokens
        self._codes: dict[str, None] = {}
        self._pages: dict[str, None] = {}

    def knows(self, token: str) -> bool:
        """Return whether a token entitles whoever shows it."""
        return any(hmac.compare_digest(one.encode(), token.encode()) for one in (*self._tokens, *list(self._pages)))

    def new_code(self) -> str:
        """Return a code that a page can exchange for a token, once."""
        return remembered(self._codes)

    def redeem(self, code: str) -> str | None:
        """Return a token for the page that shows this code; None if the code is unknown or was used already."""
        try:
            del self._codes[code]
        except KeyError:
            return None
        return remembered(self._pages)


def page_link(url: str, code: str, job_id: str) -> str:
    """Return the link that opens the page of a job. What follows the # is not sent, and stands in no log of a proxy.

    >>> page_link("http://127.0.0.1:8081", "abc", "5f2c")
    'http://127.0.0.1:8081/#/login/abc/5f2c'
    """
    return f"{url}/#/login/{code}/{job_id}"


def remembered(secrets_by_age: dict[str, None]) -> str:
    """Add a new secret and return it."""
    made = secrets.token_urlsafe(32)
    secrets_by_age[made] = None
    for oldest in list(secrets_by_age)[:-MOST]:
        secrets_by_age.pop(oldest, None)
    return made


def user_token(directory: Path) -> tuple[str, Path | None]:
    """Return the token of this user and its file in the registry of jobs; the first job makes it.

    Where no file can be kept, the token is a new one that nobody else knows.
    """
    path = directory / TOKEN_FILE
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        private_directory(directory.resolve())
        return read_token(path) or write_token(path), path
    except (OSError, ConfigurationError) as error:
        log.warning("flott list, cancel and the like can't reach this job: %s", error)
        return secrets.token_urlsafe(32), None


def read_token(path: Path) -> str | None:
    """Return the token in a file; None if it is missing, or other users may have read it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, encoding="ascii") as file:
        found = os.fstat(file.fileno())
        if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode) or found.st_mode & READABLE_BY_OTHERS:
            return None
        return file.read().strip() or None


def write_token(path: Path) -> str:
    """Write a new token, or return the one that another process has just written."""
    half = path.with_name(f".{TOKEN_FILE}-{secrets.token_hex(8)}")
    made = secrets.token_urlsafe(32)
    try:
        half.touch(0o600, exist_ok=False)
        half.write_text(made, encoding="ascii")
        with suppress(FileExistsError):
            os.link(half, path)
            return made
        found = read_token(path)
        if found is not None:
            return found
        half.replace(path)  # other users may have read what it held
        return made
    finally:
        half.unlink(missing_ok=True)
