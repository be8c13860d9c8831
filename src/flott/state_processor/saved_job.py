"""A savepoint or checkpoint, opened: its operators, their states, and the entries of each."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flott.common.workspace import workspace
from flott.coordination.checkpoints.storage import find_checkpoints, folder_of, load
from flott.errors import CheckpointError
from flott.runtime.state.carried import Carried
from flott.runtime.state.operator_state import BROADCAST, SPLIT, UNION, CarriedStates, OperatorStates
from flott.runtime.state.store import StateStore
from flott.runtime.storage import open_storage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.coordination.checkpoints.metadata import CheckpointMetadata, OperatorTitle, VertexState
    from flott.runtime.reports import TaskOrder
    from flott.state_processor.operator_identifier import OperatorIdentifier


@dataclass(frozen=True, slots=True)
class SavedState:
    """A state of an operator."""

    name: str
    kind: str
    schema: str
    """Its type as JSON; empty: not known."""
    column: bytes | None = None
    """What its addresses hold; None for state of the operator as a whole."""


@dataclass(frozen=True, slots=True)
class SavedOperator:
    """An operator and all that was saved of it."""

    title: OperatorTitle
    vertex: VertexState
    is_head: bool
    """Whether the keyed state of the vertex is this operator's."""
    states: tuple[SavedState, ...]
    is_source: bool = False

    @property
    def keyed(self) -> tuple[TaskOrder, ...]:
        """The subtasks with keyed state."""
        return self.vertex.subtasks if self.is_head else ()

    def carried(self) -> list[Any]:
        """Return what each subtask of the operator carried over."""
        return [Carried.unpack(task.carried).operators.get(self.title.id) for task in self.vertex.subtasks]

    def operator_states(self) -> list[list[OperatorStates]]:
        """Return the operator states of each subtask, level by level."""
        return [list(levels_of(one)) for one in self.carried()]

    def state(self, name: str) -> SavedState:
        """Return a state by name; of several kinds of that name, the user's comes first."""
        found = [state for state in self.states if state.name == name]
        if not found:
            known = ", ".join(f"'{state.name}' ({state.kind})" for state in self.states) or "none"
            message = f"operator {described(self.title)} has no state '{name}' there; it has {known}"
            raise CheckpointError(message)
        return found[0]


@dataclass(frozen=True, slots=True)
class SavedJob:
    """What a path leads to."""

    path: str
    root: str
    metadata: CheckpointMetadata

    @staticmethod
    def open(path: str) -> SavedJob:
        """Open a savepoint or checkpoint; of a checkpoint directory, the newest complete checkpoint in it."""
        found = newest_in(path)
        root, metadata = load(found)
        return SavedJob(found, root, metadata)

    def operators(self) -> list[SavedOperator]:
        """Return the operators that have something saved."""
        found = []
        state = self.metadata.state
        for vertex in state.vertices:
            carried = [Carried.unpack(task.carried).operators for task in vertex.subtasks]
            for position, title in enumerate(vertex.operators):
                is_head = position == 0 and any(task.lineage.files for task in vertex.subtasks)
                states = [
                    SavedState(one.name, one.kind, one.schema, column)
                    for column, one in state.columns.items()
                    if is_head and one.operator_id == title.id
                ]
                states += operator_states_of([one.get(title.id) for one in carried])
                is_source = title.id in state.sources
                if states or is_source:
                    states.sort(key=lambda one: (one.name.startswith("_"), one.name))
                    found.append(SavedOperator(title, vertex, is_head, tuple(states), is_source))
        return found

    def operator(self, identifier: OperatorIdentifier) -> SavedOperator:
        """Return one operator."""
        known = self.operators()
        for operator in known:
            if operator.title.id == identifier.operator_id:
                return operator
        names = ", ".join(described(operator.title) for operator in known) or "none"
        message = f"{self.path} has no state of an operator with {identifier}; it has that of {names}"
        raise CheckpointError(message)

    @contextmanager
    def store(self, task: TaskOrder) -> Iterator[StateStore]:
        """Bring the keyed state of a subtask together, on local disk."""
        place = Path(tempfile.mkdtemp(prefix="state-", dir=workspace()))
        store = StateStore(place, in_order=True)
        try:
            store.bring_to(task.lineage, open_storage(self.root))
            store.refresh()
            yield store
        finally:
            store.close()
            shutil.rmtree(place, ignore_errors=True)


def newest_in(path: str) -> str:
    """Return the savepoint or checkpoint that a path means: itself, or the newest in a directory of checkpoints."""
    folder = folder_of(path)
    storage = open_storage(folder)
    try:
        storage.read("_metadata")
    except OSError:
        pass
    else:
        return folder
    names = [name.split("/") for name in storage.names("") if name.endswith("/_metadata")]
    jobs = sorted({parts[0] for parts in names if len(parts) == 3 and parts[1].startswith("chk-")})  # noqa: PLR2004
    if len(jobs) > 1:
        message = f"{path} has checkpoints of several jobs; say which: {', '.join(f'{folder}/{job}' for job in jobs)}"
        raise CheckpointError(message)
    root = f"{folder}/{jobs[0]}" if jobs else folder
    found = find_checkpoints(root)
    if not found:
        savepoints = [parts[0] for parts in names if len(parts) == 2]  # noqa: PLR2004
        hint = f"; there is {', '.join(savepoints)} in it" if savepoints else ""
        message = f"there is no savepoint and no complete checkpoint at '{path}'{hint}"
        raise CheckpointError(message)
    return found[-1][0]


def levels_of(carried: Any) -> Iterator[OperatorStates]:
    """Go over the operator states inside of what an operator carried: of its function, and of the operator itself."""
    while isinstance(carried, CarriedStates):
        yield OperatorStates.unpack(carried.states)
        carried = carried.rest


def operator_states_of(carried: list[Any]) -> list[SavedState]:
    """Return the states that belong to the operator as a whole."""
    found: dict[tuple[str, str], SavedState] = {}
    for one in carried:
        for level in levels_of(one):
            for kind, states in ((SPLIT, level.split), (UNION, level.union), (BROADCAST, level.broadcast)):
                for name in states:
                    found.setdefault((name, kind), SavedState(name, kind, level.schemas.get(name, "")))
    return list(found.values())


def described(title: OperatorTitle) -> str:
    """Name an operator as messages do."""
    return f"'{title.name}' (uid '{title.uid}')" if title.uid else f"'{title.name}' (id {title.id})"
