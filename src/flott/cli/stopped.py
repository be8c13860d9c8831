"""Ctrl-C while a command starts: one line and the exit code of an interrupted program, however early it comes."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""
STOPPED = "Stopped."


@contextmanager
def stopped_at_once() -> Iterator[None]:
    """While a command is imported, let Ctrl-C end the process without unwinding.

    Nothing is open yet that would have to be closed, and an exception raised inside the import machinery may be lost:
    Python ignores those of its callbacks. Where Ctrl-C is ignored or somebody else's, that stays so.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end(_: int, __: FrameType | None) -> None:
    """End this process."""
    os.write(2, f"{STOPPED}\n".encode())
    os._exit(INTERRUPTED)
