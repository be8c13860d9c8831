"""Sources that wait for each other: one too far ahead in event time pauses until the slowest has caught up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.operators.source import SourceOperator
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from flott.common.watermark_strategy import WatermarkAlignment
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport


class SourceAlignment:
    """Watches how far each source has come and says which ones must pause. Compared after every epoch."""

    def __init__(self, groups: dict[int, WatermarkAlignment]) -> None:
        self._groups = groups
        self._watermarks: dict[int, int] = {}

    @staticmethod
    def of(plan: EpochPlan) -> SourceAlignment:
        """Return the alignment of the sources of a job."""
        groups = {}
        for vertex in plan.vertices:
            head = vertex.chain[0].operator
            if isinstance(head, SourceOperator) and head.strategy is not None and head.strategy.alignment is not None:
                groups[vertex.index] = head.strategy.alignment
        return SourceAlignment(groups)

    def observe(self, reports: list[TaskReport]) -> None:
        """Take note of how far the sources have come; a source that is idle holds nobody back."""
        watermarks: dict[int, int] = {}
        for report in reports:
            if report.vertex in self._groups and report.source_active:
                mark = MIN_TIMESTAMP if report.source_watermark is None else report.source_watermark
                watermarks[report.vertex] = min(mark, watermarks.get(report.vertex, mark))
        self._watermarks = watermarks

    def ahead(self) -> set[int]:
        """Return the sources that are further ahead of the slowest of their group than they may be."""
        slowest: dict[str, int] = {}
        for vertex, mark in self._watermarks.items():
            group = self._groups[vertex].group
            slowest[group] = min(mark, slowest.get(group, mark))
        return {
            vertex
            for vertex, mark in self._watermarks.items()
            if mark > slowest[self._groups[vertex].group] + self._groups[vertex].max_allowed_drift
        }


def pause(last: SourcePlan) -> SourcePlan:
    """Return a plan that reads nothing: every split stays where the last plan left it."""
    reads = tuple(
        tuple(SplitRead(read.split, read.end, read.end) for read in reads if not read.ended) for reads in last.reads
    )
    return SourcePlan(reads, empty=True, backlog=False, ended=last.ended)
