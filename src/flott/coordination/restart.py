"""Whether and when a job that failed starts again."""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING, Protocol

from flott.common import RestartStrategies
from flott.common.options.restart import RestartStrategyOptions as Options

if TYPE_CHECKING:
    from datetime import timedelta

    from flott.common import Configuration
    from flott.common.restart_strategy import RestartStrategyConfiguration


class Backoff(Protocol):
    """Counts failures. Times are of a monotonic clock, in milliseconds."""

    def failed(self, now: int) -> int | None:
        """The job failed: return how many milliseconds to wait before it starts again, or None to let it fail."""


class NoRestart:
    """A job that fails has failed."""

    def failed(self, now: int) -> int | None:
        return None


class FixedDelay:
    """A number of restarts, each after the same wait.

    >>> strategy = FixedDelay(attempts=2, delay=10)
    >>> [strategy.failed(now) for now in (0, 1, 2)]
    [10, 10, None]
    """

    def __init__(self, attempts: int, delay: int) -> None:
        self._left = attempts
        self._delay = delay

    def failed(self, now: int) -> int | None:
        self._left -= 1
        return self._delay if self._left >= 0 else None


class FailureRate:
    """Restarts as long as no more than so many failures fall in an interval.

    >>> strategy = FailureRate(most=2, interval=100, delay=10)
    >>> [strategy.failed(now) for now in (0, 10, 20)]
    [10, 10, None]
    >>> strategy.failed(500)
    10
    """

    def __init__(self, most: int, interval: int, delay: int) -> None:
        self._interval = interval
        self._delay = delay
        self._recent: deque[int] = deque(maxlen=most)
        self._most = most

    def failed(self, now: int) -> int | None:
        full = len(self._recent) == self._most and now - self._recent[0] <= self._interval
        self._recent.append(now)
        return None if full else self._delay


class ExponentialDelay:
    """Restarts with longer and longer waits, which start small again after a good while without failure.

    >>> strategy = ExponentialDelay(initial=100, longest=300, multiplier=2.0, reset=1_000, jitter=0.0, attempts=9)
    >>> [strategy.failed(0), strategy.failed(200), strategy.failed(500), strategy.failed(5_000)]
    [100, 200, 300, 100]
    """

    def __init__(self, initial: int, longest: int, multiplier: float, reset: int, jitter: float, attempts: int) -> None:
        self._initial = initial
        self._longest = longest
        self._multiplier = multiplier
        self._reset = reset
        self._jitter = jitter
        self._attempts = attempts
        self._failures = 0
        self._wait = float(initial)
        self._up_at = 0
        """When the job was started again last."""

    def failed(self, now: int) -> int | None:
        if self._failures and now - self._up_at >= self._reset:
            self._failures, self._wait = 0, float(self._initial)
        self._failures += 1
        if self._failures > self._attempts:
            return None
        wait = self._wait + self._wait * self._jitter * random.uniform(-1, 1)  # noqa: S311 - spreads restarts
        self._wait = min(self._wait * self._multiplier, float(self._longest))
        bounded = int(min(max(wait, self._initial), self._longest))
        self._up_at = now + bounded
        return bounded


def backoff_of(configuration: Configuration, *, checkpointing: bool) -> Backoff:
    """Return the strategy that a configuration asks for; by default a job with checkpoints restarts, others do not."""
    strategy = RestartStrategies.from_configuration(configuration)
    if strategy is None:
        if not checkpointing:
            return NoRestart()
        forced = configuration.clone().set(Options.RESTART_STRATEGY, "exponential-delay")
        strategy = RestartStrategies.from_configuration(forced)
    return counting(strategy)


def counting(strategy: RestartStrategyConfiguration | None) -> Backoff:
    """Return what counts failures by a strategy."""
    match strategy:
        case RestartStrategies.FixedDelayRestartStrategyConfiguration():
            return FixedDelay(strategy.restart_attempts, millis(strategy.delay_between_attempts_interval))
        case RestartStrategies.FailureRateRestartStrategyConfiguration():
            return FailureRate(
                strategy.max_failure_rate,
                millis(strategy.failure_interval),
                millis(strategy.delay_between_attempts_interval),
            )
        case RestartStrategies.ExponentialDelayRestartStrategyConfiguration():
            return ExponentialDelay(
                millis(strategy.initial_backoff),
                millis(strategy.max_backoff),
                strategy.backoff_multiplier,
                millis(strategy.reset_backoff_threshold),
                strategy.jitter_factor,
                strategy.attempts_before_reset_backoff,
            )
    return NoRestart()


def millis(time: timedelta) -> int:
    """Return a time in milliseconds."""
    return round(time.total_seconds() * 1000)
