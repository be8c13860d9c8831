"""Writes savepoints: new ones, and others with some operators changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.common.machine_clock import MachineClock
from flott.connectors.paths import absolute
from flott.coordination.checkpoints.metadata import (
    SAVEPOINT,
    CheckpointMetadata,
    Committable,
    JobState,
    OperatorTitle,
    VertexState,
)
from flott.coordination.checkpoints.storage import METADATA, write_savepoint_metadata
from flott.errors import CheckpointError
from flott.runtime.keys import DEFAULT_MAX_PARALLELISM
from flott.runtime.reports import TaskOrder
from flott.runtime.state.address_layout import COLUMN, GROUP, REST
from flott.runtime.state.carried import Carried
from flott.runtime.state.compaction import write_savepoint
from flott.runtime.state.lineage import Lineage
from flott.runtime.storage import open_storage
from flott.state_processor.existing_operators import existing_operators
from flott.state_processor.operator_data import OperatorData
from flott.state_processor.operator_identifier import OperatorIdentifier
from flott.state_processor.saved_job import SavedJob, described

if TYPE_CHECKING:
    from typing_extensions import Self

    from flott.runtime.state.lineage import StateFile
    from flott.runtime.state.savepoint_file import StateColumn
    from flott.state_processor.bootstrap import StateBootstrapTransformation

__all__ = ["SavepointWriter"]

LARGEST_MAX_PARALLELISM = 1 << 15


class SavepointWriter:
    """Gathers operators with their state and writes a savepoint that a job can start from.

    Such a savepoint holds state, not time: watermarks of a job that starts from it begin anew.
    """

    def __init__(self, max_parallelism: int, base: SavedJob | None = None) -> None:
        self._max_parallelism = max_parallelism
        self._base = base
        self._operators: dict[str, OperatorData] = {} if base is None else existing_operators(base)
        self._added: dict[str, list[tuple[OperatorIdentifier, StateBootstrapTransformation]]] = {}

    @staticmethod
    def new_savepoint(max_parallelism: int = DEFAULT_MAX_PARALLELISM) -> SavepointWriter:
        """Begin an empty savepoint, whose keyed state has so many key groups."""
        if not 1 <= max_parallelism <= LARGEST_MAX_PARALLELISM:
            message = f"max parallelism is a number from 1 to {LARGEST_MAX_PARALLELISM}, not {max_parallelism}"
            raise CheckpointError(message)
        return SavepointWriter(max_parallelism)

    @staticmethod
    def from_existing_savepoint(path: str) -> SavepointWriter:
        """Begin with all that a savepoint or checkpoint holds; it stays as it is."""
        base = SavedJob.open(str(path))
        groups = [one.vertex.max_parallelism for one in base.operators() if one.is_head]
        return SavepointWriter(groups[0] if groups else DEFAULT_MAX_PARALLELISM, base)

    def with_operator(self, identifier: OperatorIdentifier | str, transformation: StateBootstrapTransformation) -> Self:
        """Add an operator. Added twice, it has its keyed state from the one and its operator state from the other."""
        given = OperatorIdentifier.of(identifier)
        if given.operator_id in self._operators:
            message = (
                f"there is an operator with {given} already ({described(self._operators[given.operator_id].title)}); "
                f"call remove_operator(...) before, if it should be replaced"
            )
            raise CheckpointError(message)
        self._added.setdefault(given.operator_id, []).append((given, transformation))
        return self

    def remove_operator(self, identifier: OperatorIdentifier | str) -> Self:
        """Leave an operator out, with all its state."""
        given = OperatorIdentifier.of(identifier)
        if self._added.pop(given.operator_id, None) is None:
            self._known(given)
            del self._operators[given.operator_id]
        return self

    def change_operator_identifier(
        self, from_identifier: OperatorIdentifier | str, to_identifier: OperatorIdentifier | str
    ) -> Self:
        """Let the state of an operator belong to another uid."""
        before, after = OperatorIdentifier.of(from_identifier), OperatorIdentifier.of(to_identifier)
        if after.operator_id in self._operators or after.operator_id in self._added:
            message = f"change_operator_identifier: there is an operator with {after} already"
            raise CheckpointError(message)
        if before.operator_id in self._added:
            self._added[after.operator_id] = [(after, one) for _, one in self._added.pop(before.operator_id)]
            return self
        operator = self._known(before)
        del self._operators[before.operator_id]
        self._operators[after.operator_id] = renamed(operator, after)
        return self

    def _known(self, identifier: OperatorIdentifier) -> OperatorData:
        operator = self._operators.get(identifier.operator_id)
        if operator is None:
            names = ", ".join(described(one.title) for one in self._operators.values()) or "none"
            message = f"there is no operator with {identifier}; there is {names}"
            raise CheckpointError(message)
        return operator

    def write(self, path: str) -> None:
        """Write the savepoint to a directory that does not hold one."""
        root = absolute(str(path))
        if METADATA in open_storage(root).names(""):
            message = f"there is a savepoint in '{path}' already; give a new directory"
            raise CheckpointError(message)
        operators = list(self._operators.values())
        for added in self._added.values():
            made = [one.make(identifier, self._max_parallelism) for identifier, one in added]
            whole = made[0]
            for other in made[1:]:
                whole = whole.with_carried(other)
            operators.append(whole)
        metadata = None if self._base is None else self._base.metadata
        columns: dict[bytes, StateColumn] = {}
        vertices = []
        for operator in operators:
            columns.update(operator.columns)
            vertices.append(written(operator, root))
        state = JobState(
            epoch=0 if metadata is None else metadata.state.epoch,
            vertices=tuple(vertices),
            sources={one.title.id: one.source for one in operators if one.source is not None},
            committables=tuple(committable for one in operators for committable in one.committables),
            columns=columns,
            counts={} if metadata is None else metadata.state.counts,
            hooks={} if metadata is None else metadata.state.hooks,
        )
        number, job_id, job_name = (
            (0, "", "bootstrapped") if metadata is None
            else (metadata.checkpoint_id, metadata.job_id, metadata.job_name)
        )  # fmt: skip
        write_savepoint_metadata(
            root, CheckpointMetadata(number, SAVEPOINT, MachineClock().now(), job_id, job_name, state)
        )


def written(operator: OperatorData, root: str) -> VertexState:
    """Write the keyed state of an operator; return what the metadata says of the operator."""
    tasks = []
    for number, subtask in enumerate(operator.subtasks):
        carried = Carried(schemas=subtask.schemas)
        if subtask.carried is not None:
            carried.operators[operator.title.id] = subtask.carried
        files: tuple[StateFile, ...] = ()
        if subtask.entries is not None:
            name = f"{operator.title.id}/state-{number}"
            files = write_savepoint(root, name, subtask.entries(), operator.columns, uuid4().hex)
        tasks.append(TaskOrder(carried=carried.pack(), lineage=Lineage(files)))
    return VertexState((operator.title,), len(tasks), operator.max_parallelism, tuple(tasks))


def renamed(operator: OperatorData, identifier: OperatorIdentifier) -> OperatorData:
    """Return an operator under another id: states, source position and waiting output go with it."""
    title = OperatorTitle(identifier.operator_id, identifier.uid, operator.title.name)
    moves = operator.renamed_columns(title.id)
    subtasks = tuple(
        replace(one, entries=None if one.entries is None else moved(one.entries, moves)) for one in operator.subtasks
    )
    return OperatorData(
        title,
        operator.max_parallelism,
        subtasks,
        {moves[column]: replace(one, operator_id=title.id) for column, one in operator.columns.items()},
        operator.source,
        tuple(Committable(title.id, one.subtask, one.payload) for one in operator.committables),
    )


def moved(entries: Any, moves: dict[bytes, bytes]) -> Any:
    """Return the entries in other columns, sorted again."""

    def read() -> Any:
        found = [(address[GROUP] + moves[address[COLUMN]] + address[REST], value) for address, value in entries()]
        return iter(sorted(found))

    return read
