"""The operators of a savepoint as they are, to be written into another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.keys import groups_of_subtask
from flott.runtime.state.carried import Carried
from flott.runtime.state.operator_state import CarriedStates
from flott.state_processor.operator_data import OperatorData, SubtaskData

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.reports import TaskOrder
    from flott.runtime.state.schemas import StoredStates
    from flott.state_processor.operator_data import Entries
    from flott.state_processor.saved_job import SavedJob, SavedOperator


def existing_operators(job: SavedJob) -> dict[str, OperatorData]:
    """Return the operators that have something saved, by id."""
    return {operator.title.id: existing_operator(job, operator) for operator in job.operators()}


def existing_operator(job: SavedJob, operator: SavedOperator) -> OperatorData:
    """Return one operator, with its keyed state to be read when it is needed."""
    state, title = job.metadata.state, operator.title
    subtasks: list[SubtaskData] = []
    for task in operator.vertex.subtasks:
        carried = Carried.unpack(task.carried)
        own = carried.operators.get(title.id)
        schemas: StoredStates = carried.schemas or {} if operator.is_head else {}
        keyed = entries_of(job, operator, len(subtasks), task) if operator.is_head else None
        subtasks.append(SubtaskData(keyed, without_time(own), schemas))
    return OperatorData(
        title,
        operator.vertex.max_parallelism,
        tuple(subtasks),
        {column: one for column, one in state.columns.items() if one.operator_id == title.id},
        state.sources.get(title.id),
        tuple(one for one in state.committables if one.operator_id == title.id),
    )


def entries_of(job: SavedJob, operator: SavedOperator, subtask: int, task: TaskOrder) -> Entries:
    """Return what goes over the keyed state of a subtask."""
    vertex = operator.vertex
    groups = groups_of_subtask(subtask, vertex.parallelism, vertex.max_parallelism)

    def read() -> Iterator[tuple[bytes, bytes]]:
        with job.store(task) as store:
            yield from store.scan_from(groups.start.to_bytes(2, "big"), groups.stop.to_bytes(2, "big"))

    return read


def without_time(carried: Any) -> Any:
    """Return the operator states of what an operator carried; its watermarks and the like mean nothing elsewhere."""
    if not isinstance(carried, CarriedStates):
        return None
    return CarriedStates(carried.states, without_time(carried.rest), carried.number, carried.unions)
