"""Where each subtask of a job stands: its state, its attempt and its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from flott.runtime.batch import MIN_TIMESTAMP

if TYPE_CHECKING:
    from flott.runtime.reports import Place, TaskReport


class ExecutionState(Enum):
    """Where a subtask stands, by Flink's names."""

    CREATED = "CREATED"
    """Known; nothing was asked of it."""
    SCHEDULED = "SCHEDULED"
    """The job is ready; its first epoch will start when there is input."""
    DEPLOYING = "DEPLOYING"
    """Its first epoch is with whatever executes epochs."""
    INITIALIZING = "INITIALIZING"
    RUNNING = "RUNNING"
    """It has reported an epoch."""
    FINISHED = "FINISHED"
    """It has had all its input."""
    CANCELING = "CANCELING"
    CANCELED = "CANCELED"
    """The job was cancelled, or failed elsewhere."""
    FAILED = "FAILED"
    RECONCILING = "RECONCILING"

    @property
    def is_over(self) -> bool:
        """Whether the subtask will do nothing more."""
        return self in OVER


OVER = frozenset({ExecutionState.FINISHED, ExecutionState.CANCELED, ExecutionState.FAILED})


@dataclass(slots=True)
class SubtaskProgress:
    """One subtask, in its current attempt."""

    vertex: int
    subtask: int
    state: ExecutionState = ExecutionState.CREATED
    attempt: int = 0
    """How often the job was restarted before."""
    since: dict[ExecutionState, int] = field(default_factory=dict)
    """When it came into each state, in milliseconds since 1970."""
    late: int = 0
    """Records that were dropped because they came too late."""
    watermark: int | None = None
    """Where event time stands at its head."""
    state_size: int = 0
    """Bytes of the files that its state stands on."""
    store_path: str = ""
    place: Place | None = None
    """Where its last epoch ran."""

    def enter(self, state: ExecutionState, now: int) -> None:
        """Go to another state; one that is over stays so."""
        if state is not self.state and not self.state.is_over:
            self.state = state
            self.since[state] = now

    def restart(self, now: int) -> None:
        """Begin another attempt."""
        fresh = SubtaskProgress(self.vertex, self.subtask, attempt=self.attempt + 1)
        for name in self.__slots__:
            setattr(self, name, getattr(fresh, name))
        self.since[ExecutionState.CREATED] = now

    def reported(self, report: TaskReport, late: int, now: int) -> None:
        """Take note of an epoch that counts."""
        self.enter(ExecutionState.RUNNING, now)
        self.late += late
        entering = report.source_watermark if report.input_watermark is None else report.input_watermark
        self.watermark = None if entering == MIN_TIMESTAMP else entering
        self.state_size = sum(file.size for file in report.lineage.files)
        self.store_path = report.store_path
        self.place = report.place
        if report.ended:
            self.enter(ExecutionState.FINISHED, now)
