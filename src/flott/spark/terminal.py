"""What an embedded Spark writes on the terminal, without the lines that mean nothing to a user."""

from __future__ import annotations

import logging
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
LAST_WORDS = 5.0
"""A Java that did not start gets this many seconds to print the reason."""


@contextmanager
def filtered_stderr() -> Iterator[int]:
    """Yield a file descriptor for the stderr of Spark's Java: its lines appear on ours, less the noise.

    Java keeps the pipe for its whole life, so what user functions print in Spark's workers arrives too.
    """
    logging.getLogger().addFilter(is_not_of_py4j)
    reader, writer = os.pipe()
    passing = threading.Thread(target=pass_on, args=(reader,), name="spark-stderr", daemon=True)
    passing.start()
    try:
        yield writer
    except BaseException:
        os.close(writer)
        # Java has ended or is about to: what it printed is the reason, and must come before the error.
        passing.join(LAST_WORDS)
        raise
    os.close(writer)


def is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Return whether somebody else wrote a log record: py4j logs a traceback for each call that Ctrl-C interrupts."""
    return "py4j" not in record.pathname


def pass_on(reader: int) -> None:
    """Copy lines to stderr until the other side closes."""
    with os.fdopen(reader, "r", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith(NOISE):
                sys.stderr.write(line)
                sys.stderr.flush()
