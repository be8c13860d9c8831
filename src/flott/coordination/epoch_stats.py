"""What an epoch did, for those who watch the job and for the sizing of the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.runtime.windowing.operator import LATE_RECORDS

if TYPE_CHECKING:
    from collections.abc import Container

    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport


@dataclass(frozen=True, slots=True)
class SubtaskEpoch:
    """What one subtask did in one epoch: the figures of its report, without all that the report carries."""

    vertex: int
    subtask: int
    records_in: int
    records_out: int
    watermark: int | None
    read: float
    """Seconds until the input was here."""
    state: float
    """Seconds for state: bringing it to its version, and keeping what changed."""
    total: float
    late: int
    """Records that were dropped because they came too late."""

    @staticmethod
    def of(report: TaskReport) -> SubtaskEpoch:
        """Take the figures from a report."""
        return SubtaskEpoch(
            report.vertex,
            report.subtask,
            report.records_in,
            report.records_out,
            report.watermark,
            report.seconds.get("read", 0.0),
            report.seconds.get("state", 0.0),
            report.seconds.get("total", 0.0),
            sum(count for name, count in report.counts.items() if name.endswith(LATE_RECORDS)),
        )

    @property
    def compute(self) -> float:
        """Seconds for the operators themselves."""
        return max(0.0, self.total - self.read - self.state)


@dataclass(frozen=True, slots=True)
class EpochTimes:
    """When an epoch ran and how long the driver's parts of it took, in seconds."""

    started: int
    """In milliseconds since 1970."""
    finished: float
    """By the monotonic clock."""
    plan: float
    run: float
    """From the order to the last report, failed attempts included."""
    commit: float


@dataclass(frozen=True, slots=True)
class EpochStats:
    """What one epoch did."""

    epoch: int
    attempt: int
    """Which try it was, from 1."""
    times: EpochTimes
    records_in: int
    """From outside."""
    records_out: int
    state_bytes: int
    watermarks: dict[int, int | None]
    """Per vertex: the least watermark of its subtasks."""
    subtasks: tuple[SubtaskEpoch, ...]
    phases: dict[str, float]
    """Seconds, one phase after the other: plan, schedule, read, compute, state, commit."""
    backlog: bool = False
    """More was waiting in the sources."""
    checkpoint: int | None = None
    """The checkpoint that the epoch ends with."""
    reports: list[TaskReport] = field(default_factory=list)
    """Only listeners get these: they hold too much to be remembered."""

    @property
    def started(self) -> int:
        """When it started, in milliseconds since 1970."""
        return self.times.started

    @property
    def seconds(self) -> float:
        """How long its tasks took together, as the driver saw it."""
        return self.times.run

    @staticmethod
    def of(
        plan: EpochPlan,
        epoch: int,
        times: EpochTimes,
        reports: list[TaskReport],
        sources: Container[int],
        *,
        attempt: int = 1,
        backlog: bool = False,
        checkpoint: int | None = None,
    ) -> EpochStats:
        """Sum up an epoch's reports; ``sources`` are the vertices whose records come from outside."""
        watermarks: dict[int, int | None] = {}
        for report in reports:
            if report.watermark is not None:
                known = watermarks.get(report.vertex)
                watermarks[report.vertex] = report.watermark if known is None else min(known, report.watermark)
        total, read, state = (slowest(plan, reports, what) for what in ("total", "read", "state"))
        return EpochStats(
            epoch=epoch,
            attempt=attempt,
            times=times,
            records_in=sum(report.records_in for report in reports if report.vertex in sources),
            records_out=sum(report.records_out for report in reports),
            state_bytes=sum(report.state_bytes for report in reports),
            watermarks=watermarks,
            subtasks=tuple(map(SubtaskEpoch.of, reports)),
            phases={
                "plan": times.plan,
                "schedule": max(0.0, times.run - total),
                "read": read,
                "compute": max(0.0, total - read - state),
                "state": state,
                "commit": times.commit,
            },
            backlog=backlog,
            checkpoint=checkpoint,
            reports=reports,
        )


def slowest(plan: EpochPlan, reports: list[TaskReport], what: str) -> float:
    """Return the seconds of some work on the longest way through an epoch: the slowest subtask of each level."""
    longest = [0.0] * len(plan.levels)
    for report in reports:
        level = plan.vertices[report.vertex].level
        longest[level] = max(longest[level], report.seconds.get(what, 0.0))
    return sum(longest)
