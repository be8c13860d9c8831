"""Hands Spark's settings over in a file that only this user can read.

PySpark puts each setting on Java's command line, where every user of the machine can read it, passwords included.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.workspace import workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
SHELL = "pyspark-shell"
"""What PySpark starts when nobody says otherwise; it stands last."""


@contextmanager
def settings_file(settings: Mapping[str, str]) -> Iterator[None]:
    """Let a Spark that starts inside read these settings; what the user's PYSPARK_SUBMIT_ARGS say wins over them."""
    handle, name = tempfile.mkstemp(prefix="spark-", suffix=".properties", dir=workspace())  # mode 0600
    before = os.environ.get(ARGUMENTS)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.writelines(f"{escaped(key)}={escaped(value)}\n" for key, value in settings.items())
        os.environ[ARGUMENTS] = f"--properties-file {shlex.quote(name)} --load-spark-defaults {before or SHELL}"
        yield
    finally:
        if before is None:
            os.environ.pop(ARGUMENTS, None)
        else:
            os.environ[ARGUMENTS] = before
        Path(name).unlink()


def escaped(text: str) -> str:
    r"""Write a key or a value as Java reads it in a properties file.

    >>> escaped("a b=c:d\\e\n"), escaped("é"), escaped("𝄞")
    ('a\\u0020b\\u003dc\\u003ad\\u005ce\\u000a', '\\u00e9', '\\ud834\\udd1e')
    """
    return "".join(character if character in PLAIN else units(character) for character in text)


PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-,/+*[]()@%")


def units(character: str) -> str:
    """Write a character as escapes of its UTF-16 code units."""
    data = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[place]:02x}{data[place + 1]:02x}" for place in range(0, len(data), 2))
