"""What an embedded Spark writes on the terminal, without the lines that tell a user nothing."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NOISE = (
    "WARNING: Using incubator modules",
    "Setting default log level to",
    "Setting Spark log level to",
    "To adjust logging level use sc.setLogLevel",
    "Using Spark's default log4j profile",
)
STDERR = 2
LAST_WORDS = 5.0
"""So many seconds are given to what a Java that did not start has to say."""


@contextmanager
def without_noise() -> Iterator[None]:
    """Start Spark's Java process inside: what it writes to stderr is passed on, less the noise.

    The process keeps the pipe for its whole life, so prints of user functions in Spark's workers still arrive.
    """
    reader, writer = os.pipe()
    kept = os.dup(STDERR)
    sys.stderr.flush()
    os.dup2(writer, STDERR)
    os.close(writer)
    passing = threading.Thread(target=pass_on, args=(reader,), name="spark-stderr", daemon=True)
    try:
        yield
    except BaseException:
        restore(kept)
        passing.start()
        # Java is gone or going: what it said is the reason, and must come before the error.
        passing.join(LAST_WORDS)
        raise
    restore(kept)
    passing.start()


def restore(kept: int) -> None:
    """Make stderr again what it was."""
    sys.stderr.flush()
    os.dup2(kept, STDERR)
    os.close(kept)


def pass_on(reader: int) -> None:
    """Copy lines to stderr until the other side closes."""
    with os.fdopen(reader, "r", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith(NOISE):
                sys.stderr.write(line)
                sys.stderr.flush()
