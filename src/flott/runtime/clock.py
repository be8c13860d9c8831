"""Time of day, handed in: the runtime itself never looks at a clock on the wall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Stopwatch = Callable[[], float]
"""Returns seconds that never go back. Only differences mean anything."""


class Clock(Protocol):
    """Tells processing time."""

    def now(self) -> int:
        """Return the time of day in milliseconds since 1970; it jumps when somebody sets the machine's clock."""


class JobClock(Clock, Protocol):
    """The clocks of a job's driver."""

    def steady(self) -> int:
        """Return milliseconds that never go back, near the time of day: for intervals and rates within one process."""


class ManualClock:
    """A clock that moves only when told to: for tests and simulations.

    >>> clock = ManualClock(5)
    >>> clock.advance_to(7)
    >>> clock.now()
    7
    """

    def __init__(self, now: int = 0) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def steady(self) -> int:
        return self._now

    def advance_to(self, now: int) -> None:
        """Set the time; it never goes back."""
        self._now = max(self._now, now)
