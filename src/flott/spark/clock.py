"""The clock on the wall, for jobs that run for real."""

from __future__ import annotations

import time


class SystemClock:
    """Tells the machine's time, unless it is set to another."""

    def __init__(self) -> None:
        self.set_time: int | None = None

    def now(self) -> int:
        """Return the current time in milliseconds since 1970."""
        return time.time_ns() // 1_000_000 if self.set_time is None else self.set_time
