"""A metric at a moment: what reporters, the REST API and the web page read."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from flott.runtime.plan import ChainedOperator, VertexSpec


@dataclass(frozen=True, slots=True)
class Sample:
    """The value of one metric, and whose it is: the job's, a subtask's, or an operator's in a subtask."""

    name: str
    """Within its scope; groups are joined by dots."""
    value: Any
    kind: str = "gauge"
    """counter, gauge, meter (the value is a rate), or histogram (the value is its statistics)."""
    vertex: VertexSpec | None = None
    subtask: int | None = None
    operator: ChainedOperator | None = None
    plain_name: str = ""
    """The name without the values of its variables; empty when it has none."""
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HistogramStatistics:
    """What a histogram tells.

    >>> told = HistogramStatistics.of([4, 1, 3, 2], count=9)
    >>> told.count, told.minimum, told.maximum, told.mean, told.quantiles[0.5]
    (9, 1, 4, 2.5, 2.5)
    """

    count: int
    minimum: float
    maximum: float
    mean: float
    deviation: float
    quantiles: dict[float, float]

    @staticmethod
    def of(values: Collection[float], count: int) -> HistogramStatistics:
        """Sum up the latest values of a histogram that has had ``count``."""
        ordered = sorted(values)
        if not ordered:
            return HistogramStatistics(count, 0, 0, 0, 0, dict.fromkeys(QUANTILES, 0))
        return HistogramStatistics(
            count,
            ordered[0],
            ordered[-1],
            fmean(ordered),
            pstdev(ordered),
            {quantile: quantile_of(ordered, quantile) for quantile in QUANTILES},
        )


QUANTILES = (0.5, 0.75, 0.95, 0.98, 0.99, 0.999)


def quantile_of(ordered: Sequence[float], quantile: float) -> float:
    """Return a quantile as Flink estimates it: between the two values that stand beside it.

    >>> quantile_of([10, 20, 30], 0.5), quantile_of([10, 20, 30], 0.99)
    (20.0, 30)
    """
    place = quantile * (len(ordered) + 1)
    if place < 1:
        return ordered[0]
    if place >= len(ordered):
        return ordered[-1]
    below = int(place)
    return ordered[below - 1] + (place - below) * (ordered[below] - ordered[below - 1])
