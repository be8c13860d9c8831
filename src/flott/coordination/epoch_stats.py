"""What an epoch did, for those who watch the job and for the sizing of the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport


@dataclass(frozen=True, slots=True)
class EpochStats:
    """What one epoch did."""

    epoch: int
    started: int
    seconds: float
    records_in: int
    records_out: int
    state_bytes: int
    watermarks: dict[int, int | None]
    """Per vertex: the least watermark of its subtasks."""
    reports: list[TaskReport]

    @staticmethod
    def of(epoch: int, started: int, seconds: float, reports: list[TaskReport], sources: Container[int]) -> EpochStats:
        """Sum up an epoch's reports; ``sources`` are the vertices whose records come from outside."""
        watermarks: dict[int, int | None] = {}
        for report in reports:
            if report.watermark is not None:
                known = watermarks.get(report.vertex)
                watermarks[report.vertex] = report.watermark if known is None else min(known, report.watermark)
        return EpochStats(
            epoch=epoch,
            started=started,
            seconds=seconds,
            records_in=sum(report.records_in for report in reports if report.vertex in sources),
            records_out=sum(report.records_out for report in reports),
            state_bytes=sum(report.state_bytes for report in reports),
            watermarks=watermarks,
            reports=reports,
        )


def slowest(plan: EpochPlan, reports: list[TaskReport], what: str) -> float:
    """Return the seconds of some work on the longest way through an epoch: the slowest subtask of each level."""
    longest = [0.0] * len(plan.levels)
    for report in reports:
        level = plan.vertices[report.vertex].level
        longest[level] = max(longest[level], report.seconds.get(what, 0.0))
    return sum(longest)
