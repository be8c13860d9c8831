"""Directories for working files that only this user can read, below a directory that all users share."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from flott.errors import ConfigurationError

__all__ = ["private_directory", "temporary_root"]

READABLE_BY_OTHERS = 0o077


def temporary_root() -> Path:
    """Return where this user's working files are by default; TMPDIR moves it.

    >>> temporary_root().name.startswith("flott-")
    True
    """
    return Path(tempfile.gettempdir()) / f"flott-{os.geteuid()}"


def private_directory(path: Path) -> Path:
    """Make a directory that only this user can read, or make sure that an existing one is so.

    The parent may belong to everybody, as /tmp does: a directory or symbolic link that another user placed there is
    refused, never followed.

    Raises:
        ConfigurationError: It is not a directory of this user.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise ConfigurationError(f"{path} can't be created: {error.strerror}. {ADVICE}") from error
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigurationError(f"{path} is not a directory of this user (a symbolic link or a file). {ADVICE}")
    if found.st_uid != os.geteuid():
        raise ConfigurationError(f"{path} belongs to another user (uid {found.st_uid}). {ADVICE}")
    if found.st_mode & READABLE_BY_OTHERS:
        path.chmod(0o700)
    return path


ADVICE = "Remove it, or set TMPDIR or flott.state.dir to a directory that this user may write"
