"""The machine's clocks, for whatever runs for real; the rest of the code is handed a clock."""

from __future__ import annotations

import time

__all__ = ["MachineClock"]


class MachineClock:
    """Tells the machine's time, unless it is set to another."""

    def __init__(self) -> None:
        self.set_time: int | None = None
        self._offset = (time.time_ns() - time.monotonic_ns()) // 1_000_000

    def now(self) -> int:
        """Returns the time of day in milliseconds since 1970; it jumps when somebody sets the machine's clock."""
        return time.time_ns() // 1_000_000 if self.set_time is None else self.set_time

    def steady(self) -> int:
        """Returns milliseconds that pass evenly and never go back; the time of day until somebody sets that."""
        return time.monotonic_ns() // 1_000_000 + self._offset if self.set_time is None else self.set_time
