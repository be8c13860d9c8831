"""Counters and the like that user functions and operators keep; they travel to the driver with each epoch's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Counter:
    """Counts up and down.

    >>> counter = Counter()
    >>> counter.inc()
    >>> counter.inc(2)
    >>> counter.dec()
    >>> counter.get_count()
    2
    """

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def inc(self, n: int = 1) -> None:
        """Count up."""
        self.count += n

    def dec(self, n: int = 1) -> None:
        """Count down."""
        self.count -= n

    def get_count(self) -> int:
        """Return the count."""
        return self.count


class MetricGroup:
    """The metrics of one operator, in nested groups."""

    def __init__(self, path: tuple[str, ...] = (), registry: dict[str, Any] | None = None) -> None:
        self._path = path
        self._registry: dict[str, Any] = {} if registry is None else registry

    def add_group(self, name: str, extra: str | None = None) -> MetricGroup:
        """Return a group below this one (with ``extra``, a key and its value)."""
        return MetricGroup((*self._path, name, *([extra] if extra is not None else [])), self._registry)

    def counter(self, name: str) -> Counter:
        """Return the counter of that name."""
        counter: Counter = self._registry.setdefault(self._name(name), Counter())
        return counter

    def gauge(self, name: str, obj: Callable[[], int]) -> None:
        """Register a function that tells a current value."""
        self._registry[self._name(name)] = obj

    def _name(self, name: str) -> str:
        return ".".join((*self._path, name))

    def counts(self) -> dict[str, int]:
        """Return what the counters counted since the last call, and start them again from zero."""
        counted = {}
        for name, metric in self._registry.items():
            if isinstance(metric, Counter) and metric.count:
                counted[name] = metric.count
                metric.count = 0
        return counted
