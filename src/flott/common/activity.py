"""What this process is busy with before a job has epochs to show: "Starting Spark 4.3"."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Activity", "activity", "current_activities"]


class Activity(NamedTuple):
    """Work that is under way."""

    text: str
    started: float
    """When it began, by :func:`time.monotonic`."""


_current: dict[int, Activity] = {}
_lock = threading.Lock()


@contextmanager
def activity(text: str) -> Iterator[None]:
    """Show this text as what the process does, until the block ends.

    >>> with activity("Starting Spark"):
    ...     print([one.text for one in current_activities()])
    ['Starting Spark']
    >>> current_activities()
    []
    """
    one = Activity(text, time.monotonic())
    with _lock:
        _current[id(one)] = one
    try:
        yield
    finally:
        with _lock:
            del _current[id(one)]


def current_activities() -> list[Activity]:
    """Return what is under way, oldest first."""
    with _lock:
        return sorted(_current.values(), key=lambda one: one.started)
