"""The version a running job is at: what a checkpoint writes down and a restart goes back to."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from flott.coordination.checkpoints.assignment import titles
from flott.coordination.checkpoints.metadata import JobState, VertexState
from flott.coordination.checkpoints.state_files import own_names
from flott.coordination.ledger import Ledger
from flott.errors import StateAccessError
from flott.runtime.reports import TaskOrder
from flott.runtime.state.lineage import Lineage

if TYPE_CHECKING:
    from flott.coordination.checkpoints.metadata import Committable
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport
    from flott.runtime.source import Enumerator
    from flott.runtime.state.savepoint_file import StateColumn


class JobVersion:
    """Where the job stands after the last epoch that counted."""

    def __init__(self, plan: EpochPlan, enumerators: dict[int, Enumerator]) -> None:
        self.plan = plan
        self.enumerators = enumerators
        self.epoch = 0
        self.ledger = Ledger(plan)
        self.counts: dict[str, int] = {}
        self.columns: dict[bytes, StateColumn] = {}
        self.committables: list[Committable] = []
        """What sinks have written and nobody has committed; oldest first."""
        self.committed = 0
        """How many were committed before these."""
        self.wakeup: int | None = None
        self.ended: set[int] = set()

    def accept(self, reports: list[TaskReport]) -> tuple[set[str], set[str]]:
        """Move on by an epoch; return the state files that came with it and those that it no longer needs."""
        before = {task: own_names(order.lineage.files) for task, order in self.ledger.tasks.items()}
        self.ledger.accept(reports)
        came: set[str] = set()
        went: set[str] = set()
        for report in reports:
            known, names = before[report.vertex, report.subtask], own_names(report.lineage.files)
            came |= names - known
            went |= known - names
            self._learn(report.columns)
            for name, count in report.counts.items():
                self.counts[name] = self.counts.get(name, 0) + count
        self.epoch += 1
        wakeups = [report.next_wakeup for report in reports if report.next_wakeup is not None]
        self.wakeup = min(wakeups, default=None)
        return came, went

    def _learn(self, columns: dict[bytes, StateColumn]) -> None:
        """Take note of states. Two of a job may have the same short address, one time in a million: say so, loudly."""
        for column, state in columns.items():
            known = self.columns.get(column, state)
            if known.operator_id != state.operator_id:
                message = (
                    f"state '{state.name}' of operator {state.operator_id} and state '{known.name}' of operator "
                    f"{known.operator_id} can't be told apart in a savepoint; rename one of them"
                )
                raise StateAccessError(message)
            self.columns[column] = state

    def commit_up_to(self, count: int) -> list[Committable]:
        """Take out what a checkpoint covers that was complete just now, and is not committed yet."""
        covered = max(0, count - self.committed)
        taken, self.committables = self.committables[:covered], self.committables[covered:]
        self.committed += len(taken)
        return taken

    def files(self) -> set[str]:
        """Return the job's own state files that this version needs."""
        return {name for task in self.ledger.tasks.values() for name in own_names(task.lineage.files)}

    def foreign(self) -> bool:
        """Say whether this version stands on files outside of the job's storage."""
        return any(file.origin for task in self.ledger.tasks.values() for file in task.lineage.files)

    # As data

    def state(self, hooks: dict[str, bytes], savepoint: dict[tuple[int, int], TaskReport] | None = None) -> JobState:
        """Write the version down; for a savepoint with the files that its tasks have written."""
        vertices = []
        for vertex in self.plan.vertices:
            tasks = []
            for subtask in range(vertex.parallelism):
                task = self.ledger.tasks[vertex.index, subtask]
                lineage = task.lineage if savepoint is None else Lineage(savepoint[vertex.index, subtask].savepoint)
                tasks.append(TaskOrder(carried=task.carried, lineage=lineage))
            vertices.append(VertexState(titles(vertex), vertex.parallelism, vertex.max_parallelism, tuple(tasks)))
        sources = {
            self.plan.vertices[index].id: pickle.dumps(enumerator.snapshot(), protocol=5)
            for index, enumerator in self.enumerators.items()
        }
        return JobState(
            epoch=self.epoch,
            vertices=tuple(vertices),
            sources=sources,
            committables=tuple(self.committables),
            columns=dict(self.columns),
            counts=dict(self.counts),
            hooks=hooks,
        )

    def restore(self, state: JobState) -> None:
        """Go to a version that was written down for this very plan."""
        self.epoch = state.epoch
        self.ledger = Ledger(self.plan)
        self.ledger.restore(state.vertices)
        for index, enumerator in self.enumerators.items():
            data = state.sources.get(self.plan.vertices[index].id)
            if data is not None:
                enumerator.restore(pickle.loads(data))
        self.counts = dict(state.counts)
        self.columns = dict(state.columns)
        self.committables, self.committed = [], 0
        self.wakeup = None
        self.ended = set()
