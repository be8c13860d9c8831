"""Who looks at a job: a page that is open when the job ends should hear of it before the driver goes."""

from __future__ import annotations

import threading
import time

WATCHES = 3.0
"""Seconds: who asked so lately asks again soon."""


class Audience:
    """Knows when a job was asked for last, and whether that was after its end."""

    def __init__(self) -> None:
        self._asked: float | None = None
        self._heard = threading.Event()

    def ask(self, *, over: bool) -> None:
        """Somebody asks how the job is."""
        self._asked = time.monotonic()
        if over:
            self._heard.set()

    def wait(self, seconds: float) -> None:
        """Wait until somebody who looked lately has heard of the job's end, but no longer than this."""
        if self._asked is not None and time.monotonic() - self._asked < WATCHES:
            self._heard.wait(seconds)
