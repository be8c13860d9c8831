"""The time of day, for state with a time to live that is read or written outside of a job."""

from __future__ import annotations

import time


class MachineClock:
    """The machine's time."""

    def now(self) -> int:
        """Return the current time in milliseconds since 1970."""
        return time.time_ns() // 1_000_000
