"""Counters and the like that user functions and operators keep."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_TIME_SPAN = 60
"""Seconds that the rate of a meter is taken over."""
HISTOGRAM_SIZE = 500
"""So many of its latest values make a histogram, by default."""


class Metric:
    """Something that a function measures. What it holds follows its subtask from worker to worker."""

    __slots__ = ()

    kind = ""

    def kept(self) -> Any:
        """Return what the next epoch needs, wherever it runs; None when there is nothing."""

    def restore(self, kept: Any) -> None:
        """Go back to what was kept; None is the very beginning."""

    def value(self) -> Any:
        """Return what the driver is told at the end of an epoch."""
        return self.kept()


class Counter(Metric):
    """Counts up and down.

    >>> counter = Counter()
    >>> counter.inc()
    >>> counter.inc(2)
    >>> counter.dec()
    >>> counter.get_count()
    2
    """

    __slots__ = ("count", "told")

    kind = "counter"

    def __init__(self) -> None:
        self.count = 0
        self.told = 0

    def inc(self, n: int = 1) -> None:
        """Count up."""
        self.count += n

    def dec(self, n: int = 1) -> None:
        """Count down."""
        self.count -= n

    def get_count(self) -> int:
        """Return the count."""
        return self.count

    def since_told(self) -> int:
        """Return what was counted since the last call."""
        new = self.count - self.told
        self.told = self.count
        return new

    def kept(self) -> int:
        return self.count

    def restore(self, kept: int | None) -> None:
        self.count = self.told = kept or 0


class Meter(Metric):
    """Counts events; the driver makes of it how many there are in a second.

    >>> meter = Meter()
    >>> meter.mark_event()
    >>> meter.mark_event(4)
    >>> meter.get_count()
    5
    """

    __slots__ = ("count", "time_span")

    kind = "meter"

    def __init__(self, time_span_in_seconds: int = DEFAULT_TIME_SPAN) -> None:
        self.count = 0
        self.time_span = time_span_in_seconds

    def mark_event(self, value: int = 1) -> None:
        """Count an event, or several."""
        self.count += value

    def get_count(self) -> int:
        """Return how many events there were."""
        return self.count

    def kept(self) -> int:
        return self.count

    def restore(self, kept: int | None) -> None:
        self.count = kept or 0

    def value(self) -> tuple[int, int]:
        return self.count, self.time_span


class Distribution(Metric):
    """Sums up values: how many, their sum, the least and the greatest.

    >>> distribution = Distribution()
    >>> for size in (3, 9, 6):
    ...     distribution.update(size)
    >>> distribution.kept()
    (3, 18, 3, 9)
    """

    __slots__ = ("count", "greatest", "least", "total")

    kind = "distribution"

    def __init__(self) -> None:
        self.count = 0
        self.total: float = 0
        self.least: float = 0
        self.greatest: float = 0

    def update(self, value: float) -> None:
        """Take a value."""
        if not self.count:
            self.least = self.greatest = value
        elif value < self.least:
            self.least = value
        elif value > self.greatest:
            self.greatest = value
        self.count += 1
        self.total += value

    def kept(self) -> tuple[int, float, float, float]:
        return self.count, self.total, self.least, self.greatest

    def restore(self, kept: tuple[int, float, float, float] | None) -> None:
        self.count, self.total, self.least, self.greatest = kept or (0, 0, 0, 0)


class Histogram(Metric):
    """Keeps its latest values; the driver makes quantiles of them.

    >>> histogram = Histogram(window_size=2)
    >>> for size in (3, 9, 6):
    ...     histogram.update(size)
    >>> histogram.get_count(), histogram.value()
    (3, (3, [9, 6], 2))
    """

    __slots__ = ("count", "fresh")

    kind = "histogram"

    def __init__(self, window_size: int = HISTOGRAM_SIZE) -> None:
        self.count = 0
        self.fresh: deque[float] = deque(maxlen=window_size)

    def update(self, value: float) -> None:
        """Take a value."""
        self.count += 1
        self.fresh.append(value)

    def get_count(self) -> int:
        """Return how many values there were."""
        return self.count

    def kept(self) -> int:
        return self.count

    def restore(self, kept: int | None) -> None:
        self.count = kept or 0
        self.fresh.clear()

    def value(self) -> tuple[int, list[float], int]:
        return self.count, list(self.fresh), self.fresh.maxlen or HISTOGRAM_SIZE


class Gauge(Metric):
    """Tells a value when it is asked: at the end of each epoch."""

    __slots__ = ("ask",)

    kind = "gauge"

    def __init__(self, ask: Callable[[], Any]) -> None:
        self.ask = ask

    def value(self) -> Any:
        return self.ask()
