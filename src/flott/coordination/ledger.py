"""What the driver knows of every subtask between epochs, and the proof that an epoch's reports fit together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.errors import EpochFailedError
from flott.runtime.reports import TaskOrder
from flott.runtime.state.redistribute import with_unions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.coordination.checkpoints.metadata import VertexState
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport
    from flott.runtime.source import SourcePlan


class Ledger:
    """The version the job is at: per subtask what it carried over and the lineage of its state."""

    def __init__(self, plan: EpochPlan) -> None:
        self._plan = plan
        self.tasks: dict[tuple[int, int], TaskOrder] = {
            (vertex.index, subtask): TaskOrder() for vertex in plan.vertices for subtask in range(vertex.parallelism)
        }
        self._producer = {
            edge.first_channel + subtask: (edge.source, subtask)
            for edge in plan.edges
            for subtask in range(plan.vertices[edge.source].parallelism)
        }

    def orders(self, sources: dict[int, SourcePlan]) -> dict[tuple[int, int], TaskOrder]:
        """Return what each subtask does next, given what the sources read."""
        orders = {}
        for (vertex, subtask), task in self.tasks.items():
            source = sources.get(vertex)
            if source is None:
                orders[vertex, subtask] = task
            else:
                reads = source.reads[subtask]
                orders[vertex, subtask] = TaskOrder(reads, source.ended, task.carried, task.lineage, source.held)
        return orders

    def check(self, reports: list[TaskReport]) -> None:
        """Check that each subtask reported once, and that every reader read what the writer's accepted attempt wrote.

        Spark may compute a stage again after part of its output was read. Were the user's code not deterministic,
        its readers would then have seen two different outputs.
        """
        by_task = {(report.vertex, report.subtask): report for report in reports}
        if len(by_task) != len(reports):
            message = "a subtask reported twice in one epoch"
            raise EpochFailedError(message)
        missing = self.tasks.keys() - by_task.keys()
        if missing:
            names = sorted(f"'{self._plan.vertices[vertex].name}' subtask {subtask}" for vertex, subtask in missing)
            message = f"no report from {', '.join(names)}"
            raise EpochFailedError(message)
        for report in reports:
            for channel, token in report.consumed.items():
                vertex, subtask = self._producer[channel]
                if by_task[vertex, subtask].token != token:
                    reader, writer = self._plan.vertices[report.vertex].name, self._plan.vertices[vertex].name
                    message = (
                        f"'{reader}' subtask {report.subtask} read an attempt of '{writer}' subtask {subtask} that "
                        f"Spark has since computed again"
                    )
                    raise EpochFailedError(message)

    def accept(self, reports: list[TaskReport]) -> None:
        """Move to the version that these reports describe."""
        for report in reports:
            self.tasks[report.vertex, report.subtask] = TaskOrder(carried=report.carried, lineage=report.lineage)
        self._share({report.vertex for report in reports if report.shares})

    def restore(self, vertices: Sequence[VertexState]) -> None:
        """Go to a version that a checkpoint holds."""
        for vertex, kept in zip(self._plan.vertices, vertices, strict=True):
            for subtask, task in enumerate(kept.subtasks):
                self.tasks[vertex.index, subtask] = task
        self._share({vertex.index for vertex in self._plan.vertices})

    def _share(self, vertices: set[int]) -> None:
        """Let the subtasks of some vertices know the union lists of each other: a function may start anywhere."""
        for vertex in vertices:
            subtasks = [(vertex, subtask) for subtask in range(self._plan.vertices[vertex].parallelism)]
            carried = [self.tasks[task].carried for task in subtasks]
            for task, shared in zip(subtasks, with_unions(carried), strict=True):
                self.tasks[task] = replace(self.tasks[task], carried=shared)
