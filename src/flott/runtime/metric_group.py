"""Where a function registers its metrics, and how they come to the driver: with each epoch's report."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

from flott.errors import USER_CODE_RAISES
from flott.runtime.metrics import (
    DEFAULT_TIME_SPAN,
    HISTOGRAM_SIZE,
    Counter,
    Distribution,
    Gauge,
    Histogram,
    Meter,
    Metric,
)

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("flott.metrics")

M = TypeVar("M", bound=Metric)


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric of one operator in one subtask, as it stood at the end of an epoch."""

    name: str
    """With its groups, joined by dots."""
    kind: str
    value: Any
    plain_name: str
    """The name without the values of its variables: what Prometheus calls it."""
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class MetricRegistry:
    """All metrics of one operator in one subtask. Each epoch starts from what counts: a failed try leaves nothing."""

    metrics: dict[str, tuple[Metric, MetricGroup]] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, group: MetricGroup, metric: M, *, replace: bool = False) -> M:
        """Register a metric, or return the one that has this name; of two kinds the first counts, as in Flink."""
        known = self.metrics.get(name)
        if known is not None and not replace:
            if type(known[0]) is type(metric):
                return known[0]
            log.warning("metric '%s' is a %s already; the %s of that name is not reported",
                        name, known[0].kind, metric.kind)  # fmt: skip
            return metric
        metric.restore(self.kept.get(name))
        self.metrics[name] = (metric, group)
        return metric

    def restore(self, kept: dict[str, Any]) -> None:
        """Start an epoch with what the one before left."""
        self.kept = kept
        for name, (metric, _) in self.metrics.items():
            metric.restore(kept.get(name))

    def snapshot(self) -> dict[str, Any]:
        """Return what the next epoch needs, also for metrics that nobody in this worker has asked for so far."""
        if not self.metrics:
            return self.kept
        held = {name: metric.kept() for name, (metric, _) in self.metrics.items()}
        return {**self.kept, **{name: value for name, value in held.items() if value is not None}}

    def measured(self) -> list[Measured]:
        """Return what the driver is told."""
        told = []
        for name, (metric, group) in self.metrics.items():
            try:
                value = metric.value()
            except USER_CODE_RAISES as error:  # the user's gauge; a job does not fail for a number to look at
                log.warning("gauge '%s' failed: %r", name, error)
                continue
            if metric.kind == "gauge" and not isinstance(value, Real | str):
                value = str(value)  # whatever it is, it must not keep the report from being sent
            told.append(Measured(name, metric.kind, value, group.plain_name(name), group.variables))
        return told


class MetricGroup:
    """The metrics of one operator, in nested groups.

    >>> group = MetricGroup()
    >>> group.counter("seen").inc(2)
    >>> group.add_group("city", "Rome").counter("orders").inc()
    >>> [(one.name, one.value, one.variables) for one in group.registry.measured()]
    [('seen', 2, ()), ('city.Rome.orders', 1, (('city', 'Rome'),))]
    """

    __slots__ = ("_path", "_plain", "registry", "variables")

    def __init__(
        self,
        path: tuple[str, ...] = (),
        registry: MetricRegistry | None = None,
        plain: tuple[str, ...] = (),
        variables: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._path = path
        self._plain = plain
        self.registry = MetricRegistry() if registry is None else registry
        self.variables = variables

    def add_group(self, name: str, extra: str | None = None) -> MetricGroup:
        """Return a group below this one; with ``extra``, ``name`` is a variable and ``extra`` its value."""
        if extra is None:
            return MetricGroup((*self._path, name), self.registry, (*self._plain, name), self.variables)
        variables = (*((key, value) for key, value in self.variables if key != name), (name, extra))
        return MetricGroup((*self._path, name, extra), self.registry, (*self._plain, name), variables)

    def counter(self, name: str) -> Counter:
        """Return the counter of that name."""
        return self.registry.add(self._name(name), self, Counter())

    def gauge(self, name: str, obj: Callable[[], int]) -> None:
        """Register a function that tells a current value; it is asked at the end of each epoch."""
        self.registry.add(self._name(name), self, Gauge(obj), replace=True)

    def meter(self, name: str, time_span_in_seconds: int = DEFAULT_TIME_SPAN) -> Meter:
        """Return the meter of that name, which tells events per second over a span of time."""
        return self.registry.add(self._name(name), self, Meter(time_span_in_seconds))

    def distribution(self, name: str) -> Distribution:
        """Return the distribution of that name, which tells count, sum, least, greatest and mean."""
        return self.registry.add(self._name(name), self, Distribution())

    def histogram(self, name: str, window_size: int = HISTOGRAM_SIZE) -> Histogram:
        """Return the histogram of that name, which tells quantiles over the latest values."""
        return self.registry.add(self._name(name), self, Histogram(window_size))

    def plain_name(self, name: str) -> str:
        """Return a metric's name without the values of its variables."""
        return ".".join((*self._plain, name[len(".".join(self._path)) + 1 :] if self._path else name))

    def _name(self, name: str) -> str:
        return ".".join((*self._path, name))

    def counts(self) -> dict[str, int]:
        """Return what the counters counted since the last call."""
        counted = {
            name: metric.since_told()
            for name, (metric, _) in self.registry.metrics.items()
            if isinstance(metric, Counter)
        }
        return {name: count for name, count in counted.items() if count}
