"""From ratios to a verdict: the interval of their median, and what it says.

A ratio is the new revision's speed over the old one's, of one pair of processes. The logarithms of such ratios lie
symmetrically around their median, for both processes met the same disturbances: Wilcoxon's signed-rank interval, the
order statistics of the means of all pairs of them, holds whatever their distribution, is robust against outliers, and
wants a third fewer pairs of processes than the order statistics of the ratios themselves.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

CONFIDENCE = 0.95
FEWEST = 6
"""Fewer ratios have no interval of 95 %."""
WIDTH = 0.03
LOSS = 0.97
MEAN_LOSS = 0.98


@dataclass(frozen=True)
class Interval:
    """An estimate, and what holds it with a confidence of 95 %."""

    low: float
    middle: float
    high: float

    @property
    def is_narrow(self) -> bool:
        """Whether it reaches at most 3 % to either side."""
        return self.low >= self.middle * (1 - WIDTH) and self.high <= self.middle * (1 + WIDTH)


class Verdict(Enum):
    """What an interval says of a scenario."""

    OK = "ok"
    SLOWER = "SLOWER"
    UNDECIDED = "undecided"


def median_of(ratios: Sequence[float]) -> Interval:
    """Return the median of the ratios with its interval, unbounded if they are too few.

    >>> median_of([1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.0, 1.0]).middle
    1.0
    >>> median_of([1.0, 1.1]).high
    inf
    """
    logs = sorted(map(math.log, ratios))
    means = sorted((a + b) / 2 for i, a in enumerate(logs) for b in logs[i:])
    middle = math.exp(statistics.median(means))
    if len(ratios) < FEWEST:
        return Interval(0.0, middle, math.inf)
    out = left_out(len(logs))
    return Interval(math.exp(means[out]), middle, math.exp(means[-1 - out]))


@cache
def left_out(count: int) -> int:
    """Return how many of the means of pairs lie outside the interval, on either side.

    The rank sum of the positive differences, were the median 0, has as many ways to be s as there are sets of ranks
    with the sum s.
    """
    ways = [1]
    for rank in range(1, count + 1):
        ways = [a + b for a, b in zip(ways + [0] * rank, [0] * rank + ways, strict=True)]
    tail, total = 0, 0
    for number in ways:
        total += number
        if 2 * total > (1 - CONFIDENCE) * 2**count:
            break
        tail += 1
    return max(tail - 1, 0)


def verdict(interval: Interval) -> Verdict:
    """Judge a scenario: it has become slower if its whole interval is below 0.97.

    >>> verdict(Interval(0.93, 0.95, 0.969)), verdict(Interval(0.98, 1.0, 1.02)), verdict(Interval(0.96, 0.98, 1.0))
    (<Verdict.SLOWER: 'SLOWER'>, <Verdict.OK: 'ok'>, <Verdict.UNDECIDED: 'undecided'>)
    """
    if interval.high < LOSS:
        return Verdict.SLOWER
    return Verdict.OK if interval.low >= LOSS else Verdict.UNDECIDED


def is_settled(interval: Interval) -> bool:
    """Whether more pairs would tell nothing that matters: narrow, and on one side of the limit."""
    return verdict(interval) is Verdict.SLOWER or (verdict(interval) is Verdict.OK and interval.is_narrow)


def mean_of(intervals: Sequence[Interval]) -> Interval:
    """Return the geometric mean of independent estimates, with its interval; those of too few ratios are left out.

    >>> mean = mean_of([Interval(0.96, 1.0, 1.04)] * 16)
    >>> round(mean.low, 3), round(mean.high, 3)
    (0.99, 1.01)
    """
    known = [one for one in intervals if one.low > 0]
    if not known:
        return Interval(0.0, statistics.geometric_mean(one.middle for one in intervals), math.inf)
    middle = statistics.fmean(math.log(one.middle) for one in known)
    spread = math.hypot(*(math.log(one.high / one.low) / 2 for one in known)) / len(known)
    return Interval(math.exp(middle - spread), math.exp(middle), math.exp(middle + spread))
