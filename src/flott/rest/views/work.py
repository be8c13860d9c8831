"""What subtasks did: since they began, and lately."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.metrics.recent import NOTHING, of_vertex, shares, skew_of
from flott.rest.views.times import subtask_times

if TYPE_CHECKING:
    from collections.abc import Collection

    from flott.coordination.subtask_progress import SubtaskProgress
    from flott.metrics.recent import Shares, Work
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.job import IoMetrics
    from flott.runtime.plan import VertexSpec


@dataclass(frozen=True, slots=True)
class RecentView:
    """What a job did in the last seconds."""

    done: dict[tuple[int, int], Work]
    span: float

    @staticmethod
    def of(job: ServedJob) -> RecentView:
        """Look at a job."""
        return RecentView(*job.metrics.recent.work())

    def of_vertex(self, vertex: VertexSpec) -> tuple[Shares, float, float]:
        """Return how the time of a vertex's busiest subtask was divided, and what the vertex did in a second."""
        work = of_vertex(self.done, vertex)
        tasks = [self.done.get((vertex.index, subtask), NOTHING) for subtask in range(vertex.parallelism)]
        return (
            shares(max(tasks, key=lambda one: one.busy), self.span),
            work.records_in / self.span,
            work.records_out / self.span,
        )

    def of_subtask(self, vertex: VertexSpec, subtask: int) -> tuple[Shares, float, float]:
        """Return the same of one subtask."""
        work = self.done.get((vertex.index, subtask), NOTHING)
        return shares(work, self.span), work.records_in / self.span, work.records_out / self.span

    def skew(self, vertex: VertexSpec) -> float:
        """Return what the busiest subtask read over the average."""
        return skew_of(self.done, vertex)


def io_metrics(job: ServedJob, vertex: VertexSpec, subtasks: Collection[SubtaskProgress]) -> IoMetrics:
    """Sum up what some subtasks of a vertex did since they began."""
    totals = [job.metrics.totals(vertex.index, one.subtask) for one in subtasks]
    busy = 1000 * sum(one.busy for one in totals)
    held_back = 1000 * sum(one.back_pressured for one in totals)
    _, _, duration = subtask_times(subtasks, job.progress.now())
    return {
        "read-bytes": sum(one.bytes_in for one in totals),
        "read-bytes-complete": True,
        "write-bytes": sum(one.bytes_out for one in totals),
        "write-bytes-complete": True,
        "read-records": sum(one.records_in for one in totals),
        "read-records-complete": True,
        "write-records": sum(one.records_out for one in totals),
        "write-records-complete": True,
        "accumulated-backpressured-time": round(held_back),
        "accumulated-idle-time": max(0, round(duration * len(totals) - busy - held_back)),
        "accumulated-busy-time": busy,
    }
