"""Since when, until when and how long, as all views say it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from flott.common import JobStatus
from flott.coordination.subtask_progress import ExecutionState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.coordination.progress import JobProgress
    from flott.coordination.subtask_progress import SubtaskProgress

NOT_YET = -1


def job_times(progress: JobProgress) -> tuple[int, int, int]:
    """Return start, end and duration of a job."""
    begin = progress.since[JobStatus.CREATED]
    end = progress.since[progress.status] if progress.status.is_terminal_state() else NOT_YET
    return begin, end, (progress.now() if end == NOT_YET else end) - begin


def subtask_times(subtasks: Iterable[SubtaskProgress], now: int) -> tuple[int, int, int]:
    """Return start, end and duration of some subtasks together: from the first that was deployed to the last."""
    everyone = list(subtasks)
    begins = [one.since[ExecutionState.DEPLOYING] for one in everyone if ExecutionState.DEPLOYING in one.since]
    if not begins:
        return NOT_YET, NOT_YET, NOT_YET
    over = all(one.state.is_over for one in everyone)
    end = max(one.since[one.state] for one in everyone) if over else NOT_YET
    return min(begins), end, (now if end == NOT_YET else end) - min(begins)


def state_counts(subtasks: Iterable[SubtaskProgress]) -> dict[str, int]:
    """Return how many subtasks are in each state, by its name."""
    found = Counter(one.state.name for one in subtasks)
    return {state.name: found[state.name] for state in ExecutionState}


def together(subtasks: Iterable[SubtaskProgress]) -> ExecutionState:
    """Return the state of a vertex as Flink makes it of those of its subtasks.

    >>> from flott.coordination.subtask_progress import SubtaskProgress
    >>> together([SubtaskProgress(0, 0, ExecutionState.RUNNING), SubtaskProgress(0, 1, ExecutionState.FINISHED)]).name
    'RUNNING'
    """
    states = {one.state for one in subtasks}
    for state in WEIGHTIEST:
        if state in states:
            return state
    return ExecutionState.CREATED


WEIGHTIEST = (
    ExecutionState.FAILED,
    ExecutionState.CANCELING,
    ExecutionState.CANCELED,
    ExecutionState.RUNNING,
    ExecutionState.DEPLOYING,
    ExecutionState.SCHEDULED,
    ExecutionState.CREATED,
    ExecutionState.FINISHED,
)
