"""What metrics need to know of an epoch that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport


class FinishedEpoch(Protocol):
    """An epoch that counts, as the driver's loop tells of it."""

    @property
    def epoch(self) -> int:
        """Its number."""

    @property
    def started(self) -> int:
        """When it began, in milliseconds since 1970."""

    @property
    def seconds(self) -> float:
        """How long its tasks took, from the first to the last."""

    @property
    def backlog(self) -> bool:
        """Whether more was waiting at the sources."""

    @property
    def reports(self) -> list[TaskReport]:
        """What its subtasks told."""


def levels_total(plan: EpochPlan, reports: list[TaskReport], what: str = "total") -> list[float]:
    """Return for each level the seconds that its slowest subtask took for some work."""
    longest = [0.0] * len(plan.levels)
    for report in reports:
        level = plan.vertices[report.vertex].level
        longest[level] = max(longest[level], report.seconds.get(what, 0.0))
    return longest
