"""How fast a generator may go."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from flott.errors import ConfigurationError


class RateLimiter:
    """Counts what was given out against what is due: the first record at once, then one every 1/rate seconds.

    Reads no clock: whoever asks says what time it is. What a slow job leaves stays due, so that over a longer
    time the rate is kept.

    >>> limiter = RateLimiter(2)
    >>> limiter.take(10, now=0), limiter.next_due(now=0), limiter.take(10, now=1000)
    (1, 500, 2)
    """

    def __init__(self, records_per_second: float) -> None:
        self._per_ms = Fraction(records_per_second) / 1000  # exact: a rounded rate would drift
        self._started: int | None = None
        self._given = 0

    def available(self, now: int) -> int:
        """Return how many records are due and not yet given out."""
        if self._started is None:
            self._started = now
        elapsed = max(0, now - self._started)
        return max(0, 1 + int(elapsed * self._per_ms) - self._given)

    def take(self, wanted: int, now: int) -> int:
        """Give out what is due, at most ``wanted``; return how many."""
        taken = min(wanted, self.available(now))
        self._given += taken
        return taken

    def next_due(self, now: int) -> int:
        """Return when the next record is due, in milliseconds; not before ``now``."""
        if self._started is None:
            return now
        return max(now, self._started + ceil(self._given / self._per_ms))

    def reset(self) -> None:
        """Start afresh, at whatever time is named next."""
        self._started = None
        self._given = 0


@dataclass(frozen=True, slots=True)
class RateLimiterStrategy:
    """How many records per second a source gives out, over all its subtasks.

    >>> RateLimiterStrategy.per_second(100)
    RateLimiterStrategy(records_per_second=100)
    """

    records_per_second: float | None = None
    """None: as many as the job takes."""

    @staticmethod
    def per_second(records_per_second: float) -> RateLimiterStrategy:
        """Return a strategy of so many records per second; 0.5 is one every two seconds."""
        if not records_per_second > 0 or records_per_second == float("inf"):
            raise ConfigurationError(
                f"RateLimiterStrategy.per_second({records_per_second}): a rate is more than 0 records per second; "
                f"for no limit use RateLimiterStrategy.no_op()"
            )
        return RateLimiterStrategy(records_per_second)

    @staticmethod
    def no_op() -> RateLimiterStrategy:
        """Return the strategy that limits nothing."""
        return RateLimiterStrategy()

    def create_rate_limiter(self) -> RateLimiter | None:
        """Return a limiter that starts when it is first asked, or None for no limit."""
        return None if self.records_per_second is None else RateLimiter(self.records_per_second)
