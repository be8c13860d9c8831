"""Splits that wait for each other: one too far ahead in event time pauses until the slowest has caught up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.operators.source import SourceOperator
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from flott.common.watermark_strategy import WatermarkAlignment
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport


class SourceAlignment:
    """Compares how far the splits of sources have come, after every epoch, and returns which of them must wait."""

    def __init__(self, groups: dict[int, WatermarkAlignment]) -> None:
        self._groups = groups
        self._watermarks: dict[tuple[int, str], int] = {}
        """By vertex and split: of active ones only, so that an idle one holds nobody back."""

    @staticmethod
    def of(plan: EpochPlan) -> SourceAlignment:
        """Return the alignment of the sources of a job."""
        groups = {}
        for vertex in plan.vertices:
            head = vertex.chain[0].operator
            if isinstance(head, SourceOperator) and head.strategy is not None and head.strategy.alignment is not None:
                groups[vertex.index] = head.strategy.alignment
        return SourceAlignment(groups)

    @property
    def update_interval(self) -> int | None:
        """How often the most impatient source wants to be compared, in milliseconds; None if none is aligned."""
        return min((alignment.update_interval for alignment in self._groups.values()), default=None)

    def observe(self, reports: list[TaskReport]) -> None:
        """Take note of how far the splits have come."""
        self._watermarks = {
            (report.vertex, split): mark
            for report in reports
            if report.vertex in self._groups
            for split, mark in report.split_watermarks.items()
        }

    def ahead(self) -> dict[int, frozenset[str]]:
        """Return by source the splits that are further ahead of the slowest of their group than they may be.

        A source that can't let single splits wait is compared by its slowest (``all_ahead``).
        """
        slowest: dict[str, int] = {}
        for (vertex, _), mark in self._watermarks.items():
            group = self._groups[vertex].group
            slowest[group] = min(mark, slowest.get(group, mark))
        ahead: dict[int, set[str]] = {}
        for (vertex, split), mark in self._watermarks.items():
            alignment = self._groups[vertex]
            if mark > slowest[alignment.group] + alignment.max_allowed_drift:
                ahead.setdefault(vertex, set()).add(split)
        return {vertex: frozenset(splits) for vertex, splits in ahead.items()}

    def all_ahead(self, vertex: int, ahead: frozenset[str]) -> bool:
        """Return whether a source waits as a whole: all its active splits are ahead."""
        active = {split for of, split in self._watermarks if of == vertex}
        return bool(active) and active <= ahead


def pause(last: SourcePlan) -> SourcePlan:
    """Return a plan that reads nothing: every split stays where the last plan left it."""
    reads = tuple(
        tuple(SplitRead(read.split, read.end, read.end, paused=True) for read in reads if not read.ended)
        for reads in last.reads
    )
    return SourcePlan(reads, empty=True, backlog=False, ended=last.ended)
