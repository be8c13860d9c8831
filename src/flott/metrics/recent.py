"""What the subtasks did lately: the last ten seconds, or the last epoch if it took longer."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.metrics.epoch import levels_total

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.metrics.epoch import FinishedEpoch
    from flott.runtime.plan import EpochPlan, VertexSpec

SPAN = 10.0
"""Seconds."""


@dataclass(slots=True)
class Work:
    """What a subtask did."""

    records_in: int = 0
    records_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    busy: float = 0.0
    """Seconds it worked."""
    back_pressured: float = 0.0
    """Seconds it had more to do, and waited for those behind it."""

    def add(self, other: Work) -> None:
        """Add what was done besides."""
        self.records_in += other.records_in
        self.records_out += other.records_out
        self.bytes_in += other.bytes_in
        self.bytes_out += other.bytes_out
        self.busy += other.busy
        self.back_pressured += other.back_pressured


@dataclass(frozen=True, slots=True)
class Shares:
    """How a subtask's time, or that of all subtasks of a vertex, is divided; they add up to 1."""

    busy: float = 0.0
    back_pressured: float = 0.0
    idle: float = 1.0


@dataclass(frozen=True, slots=True)
class Slice:
    """One epoch's work."""

    begin: float
    end: float
    work: dict[tuple[int, int], Work]


class RecentWork:
    """Remembers the last few epochs of a job."""

    def __init__(self, plan: EpochPlan, now: Callable[[], float]) -> None:
        self._plan = plan
        self._now = now
        self._began = now()
        self._slices: deque[Slice] = deque()

    def add(self, epoch: FinishedEpoch) -> dict[tuple[int, int], Work]:
        """Take an epoch that counts; return what each subtask did in it."""
        end = self._now()
        totals = levels_total(self._plan, epoch.reports)
        work = {}
        for report in epoch.reports:
            level = self._plan.vertices[report.vertex].level
            work[report.vertex, report.subtask] = Work(
                report.records_in,
                report.records_out,
                report.bytes_in,
                report.bytes_out,
                report.seconds.get("total", 0.0),
                sum(totals[level + 1 :]) if epoch.backlog else 0.0,
            )
        self._slices.append(Slice(end - epoch.seconds, end, work))
        while len(self._slices) > 1 and self._slices[0].end < end - SPAN:
            self._slices.popleft()
        return work

    def window(self) -> tuple[list[Slice], float]:
        """Return the epochs that count now, and over how many seconds."""
        now = self._now()
        slices = [one for one in tuple(self._slices) if one.end > now - SPAN]
        if slices:
            begin = max(min(now - SPAN, slices[0].begin), min(self._began, slices[0].begin))
            return slices, max(now - begin, 1e-6)
        last = self._slices[-1] if self._slices else None
        if last is not None and last.end - last.begin > SPAN:
            return [last], last.end - last.begin
        return [], SPAN

    def work(self) -> tuple[dict[tuple[int, int], Work], float]:
        """Return what each subtask did lately, and in how many seconds."""
        slices, span = self.window()
        done: dict[tuple[int, int], Work] = {}
        for one in slices:
            for task, work in one.work.items():
                done.setdefault(task, Work()).add(work)
        return done, span


def shares(work: Work, span: float, subtasks: int = 1) -> Shares:
    """Divide a time.

    >>> shares(Work(busy=1.0, back_pressured=2.0), span=4.0)
    Shares(busy=0.25, back_pressured=0.5, idle=0.25)
    """
    whole = max(span * subtasks, work.busy + work.back_pressured)
    busy, waiting = work.busy / whole, work.back_pressured / whole
    return Shares(busy, waiting, max(0.0, 1.0 - busy - waiting))


def of_vertex(done: dict[tuple[int, int], Work], vertex: VertexSpec) -> Work:
    """Return what all subtasks of a vertex did."""
    whole = Work()
    for subtask in range(vertex.parallelism):
        whole.add(done.get((vertex.index, subtask), NOTHING))
    return whole


def skew_of(done: dict[tuple[int, int], Work], vertex: VertexSpec) -> float:
    """Return what the busiest subtask of a vertex read over the average: 1.0 when all read the same."""
    read = [done.get((vertex.index, subtask), NOTHING).records_in for subtask in range(vertex.parallelism)]
    return max(read) * len(read) / sum(read) if sum(read) >= ENOUGH else 1.0


NOTHING = Work()
ENOUGH = 100
"""Fewer records say nothing about keys."""
