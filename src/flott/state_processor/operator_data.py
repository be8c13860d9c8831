"""All that a savepoint holds of one operator, ready to be written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.runtime.state.addresses import LONG_KEYS, column_of
from flott.runtime.state.operator_state import CarriedStates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.coordination.checkpoints.metadata import Committable, OperatorTitle
    from flott.runtime.state.savepoint_file import StateColumn
    from flott.runtime.state.schemas import StoredStates

    Entries = Callable[[], Iterator[tuple[bytes, bytes]]]
    """Goes over the entries of a subtask's keyed state, sorted by address."""


@dataclass(frozen=True, slots=True)
class SubtaskData:
    """What one subtask of an operator has."""

    entries: Entries | None = None
    carried: Any = None
    schemas: StoredStates = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OperatorData:
    """What an operator has."""

    title: OperatorTitle
    max_parallelism: int
    subtasks: tuple[SubtaskData, ...]
    columns: dict[bytes, StateColumn] = field(default_factory=dict)
    source: bytes | None = None
    committables: tuple[Committable, ...] = ()

    def renamed_columns(self, operator_id: str) -> dict[bytes, bytes]:
        """Return where the columns of the states lead when the operator gets another id."""
        moved = {column: column_of(operator_id, one.name) for column, one in self.columns.items()}
        return {LONG_KEYS: LONG_KEYS, **moved}

    def with_carried(self, other: OperatorData) -> OperatorData:
        """Return this operator's keyed state together with the operator state of another description of it."""
        keyed, carried = (self, other) if any(one.entries for one in self.subtasks) else (other, self)
        subtasks = [
            SubtaskData(
                one.entries,
                combined(one.carried, carried.subtasks[place].carried if place < len(carried.subtasks) else None),
                one.schemas,
            )
            for place, one in enumerate(keyed.subtasks)
        ]
        extra = [SubtaskData(None, one.carried) for one in carried.subtasks[len(subtasks) :]]
        return OperatorData(
            keyed.title, keyed.max_parallelism, (*subtasks, *extra), {**keyed.columns, **carried.columns}
        )


def combined(one: Any, other: Any) -> Any:
    """Return two pieces of operator state as one: the function's lists outside, the operator's maps inside."""
    if not isinstance(one, CarriedStates) or not isinstance(other, CarriedStates):
        return one or other
    return CarriedStates(one.states, other, one.number, one.unions)
