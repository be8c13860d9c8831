"""Pairs of processes after pairs of processes, until every scenario is settled or the time is up."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.compare.intervals import FEWEST, Interval, is_settled, median_of
from benchmarks.compare.scenarios import Scenario
from benchmarks.compare.sides import IN_PROCESS, SPARK, Cost, SideFailed, Sides

ROUNDS = 2
"""Runs of a scenario in one pair of processes. Each process is biased by where its memory lies: many pairs with few
runs tell more than many runs in few pairs."""
PAIRS = 4
"""Pairs of processes for a scenario before their parents, whose imports they share, are started afresh."""
MORE = 2
"""So many pairs more than an interval needs at least, before a scenario may be settled."""


@dataclass
class Subject:
    """A scenario in one way of running it, and what is known of it so far."""

    scenario: Scenario
    target: str
    pure: bool = False
    ratios: list[float] = field(default_factory=list)
    """Old cost over new cost: one of each pair of processes."""
    cpu_ratios: list[float] = field(default_factory=list)
    seconds: float = 0.0
    error: str | None = None

    @property
    def name(self) -> str:
        return f"{self.scenario.name}{' (pure)' if self.pure else ' (spark)' if self.target == SPARK else ''}"

    @property
    def interval(self) -> Interval:
        return median_of(self.ratios)

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is to be found out."""
        return self.error is not None or (len(self.ratios) >= FEWEST + MORE and is_settled(self.interval))

    def measure(self, sides: Sides) -> None:
        """Run it some times in a pair of processes: once to warm up, then for the ratio."""
        started = time.monotonic()
        spark = self.target == SPARK
        records = self.scenario.on_spark if spark else self.scenario.records
        try:
            costs = sides.run(self.scenario, records, ROUNDS)
        except SideFailed as failure:
            self.error = str(failure)
            return
        self.ratios.append(ratio(costs, (lambda cost: cost.seconds) if spark else (lambda cost: cost.cpu)))
        self.cpu_ratios.append(ratio(costs, lambda cost: cost.cpu))
        self.seconds += time.monotonic() - started


def ratio(costs: list[tuple[Cost, Cost]], of: Callable[[Cost], float]) -> float:
    """Return the median of old cost over new cost."""
    return statistics.median(of(old) / of(new) for old, new in costs)


def processors() -> list[int]:
    """Return the processors that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def first_stage(
    subjects: list[Subject], old: Path, new: Path, deadline: float, tell: Callable[[Subject], None]
) -> None:
    """Measure on the in-process runner: a lane per processor, each with scenarios of its own."""
    lanes = processors()

    def follow(lane: int) -> None:
        mine = subjects[lane :: len(lanes)]
        while time.monotonic() < deadline and (left := [one for one in mine if not one.is_settled]):
            for pure in (False, True):
                some = [one for one in left if one.pure == pure]
                if some and time.monotonic() < deadline:
                    with closing(Sides(old, new, IN_PROCESS, pure=pure, processor=lanes[lane])) as sides:
                        measure_all(some, sides, deadline, tell)

    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(follow, range(len(lanes))))


def measure_all(subjects: list[Subject], sides: Sides, deadline: float, tell: Callable[[Subject], None]) -> None:
    for subject in PAIRS * subjects:
        if time.monotonic() >= deadline:
            return
        if not subject.is_settled:
            subject.measure(sides)
            tell(subject)
        if subject.error is not None:
            # One of the two may be gone, or still about to answer: the others go on in new ones.
            return


def second_stage(
    subjects: list[Subject], old: Path, new: Path, seconds: float, tell: Callable[[Subject], None]
) -> None:
    """Measure rates on embedded Spark, one scenario after the other."""
    for subject in subjects:
        while subject.seconds < seconds and not subject.is_settled:
            with closing(Sides(old, new, SPARK)) as sides:
                subject.measure(sides)
                tell(subject)
