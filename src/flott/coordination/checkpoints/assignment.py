"""Gives the state of a checkpoint or savepoint to the operators of a plan, which may be another than its own."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flott.coordination.checkpoints.metadata import JobState, OperatorTitle, VertexState
from flott.errors import CheckpointError
from flott.runtime.keys import groups_of_subtask
from flott.runtime.reports import TaskOrder
from flott.runtime.state.addresses import LONG_KEYS, column_of
from flott.runtime.state.carried import Carried
from flott.runtime.state.lineage import Lineage, Origin
from flott.runtime.state.operator_state import CarriedStates, OperatorStates
from flott.runtime.state.redistribute import redistribute_carried
from flott.runtime.state.schemas import Stored, merged

if TYPE_CHECKING:
    from flott.coordination.checkpoints.metadata import CheckpointMetadata
    from flott.runtime.plan import EpochPlan, VertexSpec
    from flott.runtime.state.lineage import StateFile
    from flott.runtime.state.schemas import StoredStates

log = logging.getLogger("flott.checkpoints")


def fit_plan(plan: EpochPlan, state: JobState) -> EpochPlan:
    """Return the plan with as many key groups as the state has, where the program does not ask for a number itself."""
    before = {vertex.operators[0].id: vertex for vertex in state.vertices}
    vertices = []
    for vertex in plan.vertices:
        known = before.get(vertex.id)
        fitted = vertex
        keyed = known is not None and (has_keyed_state(known) or has_raw_keyed_state(known))
        if known is not None and keyed and known.max_parallelism != vertex.max_parallelism:
            if vertex.max_parallelism_is_set:
                message = (
                    f"operator '{vertex.chain[0].name}' has max parallelism {vertex.max_parallelism}, its state was "
                    f"saved with {known.max_parallelism}: keys can't be regrouped. "
                    f"Set max parallelism {known.max_parallelism}, or leave it out"
                )
                raise CheckpointError(message)
            fitted = replace(vertex, max_parallelism=known.max_parallelism)
        if known is not None and keyed and fitted.parallelism > fitted.max_parallelism:
            message = (
                f"operator '{vertex.chain[0].name}' has parallelism {vertex.parallelism}, above the max parallelism "
                f"{known.max_parallelism} its state was saved with; use {known.max_parallelism} or less"
            )
            raise CheckpointError(message)
        vertices.append(fitted)
    return replace(plan, vertices=tuple(vertices))


def assign(
    plan: EpochPlan, metadata: CheckpointMetadata, root: str | None, restore_id: str, *, allow_non_restored: bool
) -> JobState:
    """Return the state for each subtask of a plan.

    The same plan goes on as if nothing had happened. In another plan operators are found by their id, keyed state
    by key groups, and operator state is dealt out anew; event time starts from the beginning, as in Flink.

    Args:
        plan: What will run, with key groups that fit (`fit_plan`).
        metadata: Where it starts from.
        root: The storage of the state files; None when it is the job's own.
        restore_id: Unique; names the versions that this restore makes.
        allow_non_restored: Go on although there is state of operators that the plan does not have.
    """
    state = metadata.state
    refuse_left_over(plan, metadata, allow_non_restored=allow_non_restored)
    if root is None and same_shape(plan, state):
        return state
    # A drained job has come to the end of time; one that goes on from there begins with new watermarks.
    keep_carried = same_shape(plan, state) and not all_ended(state)
    known = {member.operator_id for vertex in plan.vertices for member in vertex.chain}
    vertices = tuple(
        vertex_state(vertex, state, root, restore_id, position if keep_carried else None)
        for position, vertex in enumerate(plan.vertices)
    )
    return replace(
        state, vertices=vertices, committables=tuple(one for one in state.committables if one.operator_id in known)
    )


def titles(vertex: VertexSpec) -> tuple[OperatorTitle, ...]:
    """Return the operators of a vertex as a checkpoint names them."""
    return tuple(OperatorTitle(member.operator_id, member.uid, member.name) for member in vertex.chain)


def same_shape(plan: EpochPlan, state: JobState) -> bool:
    """Return whether a plan has the very vertices that the state was taken of."""
    if len(plan.vertices) != len(state.vertices):
        return False
    return all(
        [operator.operator_id for operator in vertex.chain] == [operator.id for operator in kept.operators]
        and vertex.parallelism == kept.parallelism
        and vertex.max_parallelism == kept.max_parallelism
        for vertex, kept in zip(plan.vertices, state.vertices, strict=True)
    )


def all_ended(state: JobState) -> bool:
    """Return whether every subtask has seen the end of its input."""
    return all(Carried.unpack(task.carried).ended for vertex in state.vertices for task in vertex.subtasks)


def refuse_left_over(plan: EpochPlan, metadata: CheckpointMetadata, *, allow_non_restored: bool) -> None:
    """Refuse state that no operator of the plan would get."""
    state = metadata.state
    known = {member.operator_id for vertex in plan.vertices for member in vertex.chain}
    left = [operator for operator in stateful_operators(state) if operator.id not in known]
    if not left:
        return
    names = ", ".join(
        f"'{one.name}' (uid '{one.uid}')" if one.uid else f"'{one.name}' (id {one.id}, without a uid)" for one in left
    )
    if not allow_non_restored:
        message = (
            f"{metadata.kind} {metadata.checkpoint_id} of job '{metadata.job_name}' has state of operators that the "
            f"program does not have: {names}. Give operators the uid they had, or leave this state behind with "
            f"execution.state-recovery.ignore-unclaimed-state: true (--allow-non-restored-state)"
        )
        raise CheckpointError(message)
    log.warning("state of %s is left behind, as was asked for", names)


def stateful_operators(state: JobState) -> list[OperatorTitle]:
    """Return the operators that have something to restore."""
    found: list[OperatorTitle] = []
    waiting = {one.operator_id for one in state.committables}
    for vertex in state.vertices:
        carried = [Carried.unpack(task.carried).operators for task in vertex.subtasks]
        for position, operator in enumerate(vertex.operators):
            keyed = position == 0 and has_keyed_state(vertex)
            own = any(redistribute_carried([one.get(operator.id)], 1, "")[0] is not None for one in carried)
            if keyed or own or operator.id in state.sources or operator.id in waiting:
                found.append(operator)
    return found


def has_keyed_state(vertex: VertexState) -> bool:
    """Return whether the head of a vertex has keyed state."""
    return any(task.lineage.files for task in vertex.subtasks)


def has_raw_keyed_state(vertex: VertexState) -> bool:
    """Return whether a function of a vertex wrote bytes by key group."""
    return any(
        OperatorStates.unpack(kept.states).raw_keyed
        for task in vertex.subtasks
        for kept in Carried.unpack(task.carried).operators.values()
        if isinstance(kept, CarriedStates)
    )


def vertex_state(
    vertex: VertexSpec, state: JobState, root: str | None, restore_id: str, same: int | None
) -> VertexState:
    """Return the state of a vertex's subtasks; ``same`` is where the state has this vertex, unchanged."""
    keyed = keyed_states(vertex, state, root, restore_id)
    if same is not None:
        carried = [task.carried for task in state.vertices[same].subtasks]
    else:
        dealt = {member.operator_id: operator_states(vertex, member.operator_id, state) for member in vertex.chain}
        schemas = state_schemas(vertex, state)
        carried = [
            Carried(
                {operator: own[subtask] for operator, own in dealt.items() if own[subtask] is not None},
                schemas=schemas[subtask],
            ).pack()
            for subtask in range(vertex.parallelism)
        ]
    tasks = tuple(TaskOrder(carried=own, lineage=lineage) for own, lineage in zip(carried, keyed, strict=True))
    return VertexState(titles(vertex), vertex.parallelism, vertex.max_parallelism, tasks)


def operator_states(vertex: VertexSpec, operator_id: str, state: JobState) -> list[Any]:
    """Return the operator state of an operator, per subtask."""
    for kept in state.vertices:
        if any(operator.id == operator_id for operator in kept.operators):
            carried = [Carried.unpack(task.carried).operators.get(operator_id) for task in kept.subtasks]
            title = f"operator {operator_id}"
            return redistribute_carried(carried, vertex.parallelism, title, vertex.max_parallelism)
    return [None] * vertex.parallelism


def keyed_states(vertex: VertexSpec, state: JobState, root: str | None, restore_id: str) -> list[Lineage]:
    """Return the lineage of each subtask of a vertex: the files of all former subtasks whose key groups it gets."""
    kept = next((one for one in state.vertices if one.operators[0].id == vertex.id), None)
    if kept is None or not has_keyed_state(kept):
        return [Lineage()] * vertex.parallelism
    names = {column: one.name for column, one in state.columns.items() if one.operator_id == vertex.id}
    columns = ((LONG_KEYS, LONG_KEYS), *((column, column_of(vertex.id, name)) for column, name in names.items()))
    lineages = []
    for subtask in range(vertex.parallelism):
        mine = groups_of_subtask(subtask, vertex.parallelism, vertex.max_parallelism)
        files: list[StateFile] = []
        for former, task in enumerate(kept.subtasks):
            theirs = groups_of_subtask(former, kept.parallelism, kept.max_parallelism)
            first, end = max(mine.start, theirs.start), min(mine.stop, theirs.stop)
            if first >= end:
                continue
            for file in task.lineage.files:
                place = root if file.origin is None else file.origin.root
                token = file.token if file.origin is None else file.origin.token
                pairs = columns if file.origin is None else renamed(file.origin.columns, dict(columns))
                origin = Origin(place or OWN, token, (first, end), pairs)
                version = f"{restore_id}-{subtask}-{len(files)}"
                files.append(replace(file, token=version, covers=(), origin=origin))
        lineages.append(Lineage(tuple(files)))
    return lineages


def state_schemas(vertex: VertexSpec, state: JobState) -> list[StoredStates]:
    """Return what the keyed states that each subtask of a vertex takes over look like."""
    kept = next((one for one in state.vertices if one.operators[0].id == vertex.id), None)
    if kept is None:
        return [{} for _ in range(vertex.parallelism)]
    everywhere: StoredStates = {
        one.name: (Stored(0, kept.max_parallelism, one.kind, one.schema),)
        for one in state.columns.values()
        if one.operator_id == vertex.id
    }
    said = [Carried.unpack(task.carried).schemas for task in kept.subtasks]
    former = [everywhere if schemas is None else schemas for schemas in said]
    found = []
    for subtask in range(vertex.parallelism):
        mine = groups_of_subtask(subtask, vertex.parallelism, vertex.max_parallelism)
        parts = []
        for number, states in enumerate(former):
            theirs = groups_of_subtask(number, kept.parallelism, kept.max_parallelism)
            parts.append((max(mine.start, theirs.start), min(mine.stop, theirs.stop), states))
        found.append(merged(parts))
    return found


OWN = ""
"""The root of files in the job's own storage."""


def renamed(before: tuple[tuple[bytes, bytes], ...], further: dict[bytes, bytes]) -> tuple[tuple[bytes, bytes], ...]:
    """Return where columns lead that were renamed once and are renamed again."""
    return tuple((there, further[here]) for there, here in before if here in further)
