"""Files that can't be read or written: which one it is, what is wrong with it, and what to do."""

from __future__ import annotations

import gzip
import lzma
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from flott.errors import FlottError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DAMAGES = (pa.ArrowInvalid, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Say of what goes wrong inside which file it was."""
    try:
        yield
    except PermissionError as error:
        raise FlottError(
            f"'{path}' may not be read by the user that the job's tasks run as ({error.strerror}): let that user read "
            f"it, or name other files"
        ) from error
    except FileNotFoundError as error:
        raise FlottError(
            f"'{path}' was there when the job found it, and is gone. Files must stay, on a file system that all "
            f"workers reach, until the job has read them"
        ) from error
    except DAMAGES as error:
        raise _damaged(path, error) from error
    except OSError as error:
        # What the system says has a number; what has none was said of the content.
        if error.errno is not None:
            raise
        raise _damaged(path, error) from error


@contextmanager
def writing(path: str) -> Iterator[None]:
    """Say of what the system refuses inside for which path it was; a full disk and the like may pass, and stay so."""
    try:
        yield
    except (PermissionError, FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise FlottError(
            f"'{path}' can't be written by the user that the job's tasks run as ({error.strerror}). Name a directory "
            f"that this user may make or write to, on a file system that the driver and all workers reach"
        ) from error


def _damaged(path: str, error: Exception) -> FlottError:
    said = str(error).strip().rstrip(".") or type(error).__name__
    return FlottError(
        f"'{path}' can't be read: {said}. It is damaged, or was not complete when the job found it. Take it out; and "
        f"write files in another place, or under a name that starts with '.' or '_', and rename them when they are "
        f"complete"
    )


def first_wrong_line(text: bytes, parse: Callable[[bytes], object]) -> tuple[int, str]:
    r"""Return the first line that can't be parsed: its number in the text, and what it says, shortened.

    >>> def parse(text):
    ...     if b"x" in text:
    ...         raise pa.ArrowInvalid
    >>> first_wrong_line(b"a\nb\nx\nc\nx", parse)
    (2, 'x')
    """
    lines = text.split(b"\n")
    good, wrong = 0, len(lines)
    while wrong - good > 1:
        middle = (good + wrong) // 2
        try:
            parse(b"\n".join(lines[good:middle]))
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            wrong = middle
        else:
            good = middle
    return good, lines[good].decode("utf-8", "replace")[:200]
