"""Functions with operator state: ``initialize_state`` before ``open``, ``snapshot_state`` at the end of each epoch."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import cloudpickle

from flott.errors import USER_CODE_RAISES, StateAccessError
from flott.runtime.context import RuntimeContext
from flott.runtime.keys import groups_of_subtask
from flott.runtime.state.operator_state import CarriedStates, OperatorStates, OperatorStateStore
from flott.runtime.state.raw_state import KeyedRawStateOutput, RawStateOutput, groups_of, partitions_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BytesIO

    from flott.runtime.operators.user_function import UserFunctionOperator
    from flott.runtime.state.raw_state import KeyGroupStatePartition


class InitializationContext:
    """What ``initialize_state(context)`` gets."""

    def __init__(
        self,
        store: OperatorStateStore,
        keyed: RuntimeContext,
        restored: int | None,
        states: OperatorStates | None = None,
    ) -> None:
        self._store = store
        self._keyed = keyed
        self._restored = restored
        self._states = states or OperatorStates()

    def is_restored(self) -> bool:
        """Say whether the state is that of an earlier run of this function, here or in another worker."""
        return self._restored is not None

    def get_restored_checkpoint_id(self) -> int | None:
        """Return the number of the snapshot that the state comes from, or None at the very beginning."""
        return self._restored

    def get_operator_state_store(self) -> OperatorStateStore:
        """Return where state of the subtask comes from."""
        return self._store

    def get_keyed_state_store(self) -> RuntimeContext:
        """Return where state of keys comes from."""
        return self._keyed

    def get_raw_operator_state_inputs(self) -> Iterator[BytesIO]:
        """Return the bytes that ``snapshot_state`` wrote for the subtask, a file to read for each partition."""
        return partitions_of(self._states.raw)

    def get_raw_keyed_state_inputs(self) -> Iterator[KeyGroupStatePartition]:
        """Return the bytes that ``snapshot_state`` wrote for the key groups of this subtask."""
        return groups_of(self._states.raw_keyed)


class SnapshotContext:
    """What ``snapshot_state(context)`` gets."""

    def __init__(self, number: int, timestamp: int, keyed: KeyedRawStateOutput | None = None) -> None:
        self._number = number
        self._timestamp = timestamp
        self._raw = RawStateOutput()
        self._keyed = keyed

    def get_checkpoint_id(self) -> int:
        """Return the number of the snapshot; each is greater than the one before."""
        return self._number

    def get_checkpoint_timestamp(self) -> int:
        """Return the time of day at which the snapshot is taken."""
        return self._timestamp

    def get_raw_operator_state_output(self) -> RawStateOutput:
        """Return where bytes of the subtask go; what is not written again in a snapshot is gone."""
        return self._raw

    def get_raw_keyed_operator_state_output(self) -> KeyedRawStateOutput:
        """Return where bytes of key groups go; what is not written again in a snapshot is gone."""
        if self._keyed is None:
            message = (
                "raw keyed state is for functions on a keyed stream; key the stream with key_by(...), "
                "or write the subtask's own bytes with get_raw_operator_state_output()"
            )
            raise StateAccessError(message)
        return self._keyed

    def written(self, states: OperatorStates) -> OperatorStates:
        """Return states together with the bytes that were written."""
        raw_keyed = {} if self._keyed is None else self._keyed.groups()
        return replace(states, raw=self._raw.partitions(), raw_keyed=raw_keyed)


def functions_inside(function: Any) -> Iterator[Any]:
    """Go over a function and what it is wrapped around: a map on a keyed stream, a sink."""
    while function is not None:
        yield function
        function = getattr(function, "function", None) or getattr(function, "sink", None)


def checkpointed_part(function: Any) -> Any:
    """Return the function, or the one inside it, that has operator state; None if there is none."""
    for inside in functions_inside(function):
        if hasattr(inside, "initialize_state") and hasattr(inside, "snapshot_state"):
            return inside
    return None


class Checkpointing:
    """Wraps the life cycle of an operator whose function has operator state.

    A function keeps in its own attributes what it has not written to its state yet, so one that ran another epoch than
    the last can't be used again: it is replaced by a new one, as after a restart. In the usual case, when this
    worker ran the last epoch too, nothing is done at all.
    """

    def __init__(self, operator: UserFunctionOperator) -> None:
        self._operator = operator
        self._pristine = cloudpickle.dumps(operator.function)
        self._opened = False
        self._kept: bytes | None = None
        """The states that the function as it is now belongs to."""
        self._store = OperatorStateStore("")
        self._number = 0

    def open(self) -> None:
        """Wait: the function is opened after ``initialize_state``, which needs the epoch's state."""

    def restore(self, carried: CarriedStates | None) -> None:
        """Begin an epoch, with a new function unless this one is at the epoch's version."""
        states, rest = (None, None) if carried is None else (carried.states, carried.rest)
        self._number = 0 if carried is None else carried.number
        if not self._opened or states != self._kept:
            self._start(states, None if carried is None else carried.unions)
        self._operator.restore(rest)

    def _start(self, states: bytes | None, unions: bytes | None) -> None:
        operator = self._operator
        if self._opened:
            operator.close()
            operator.function = cloudpickle.loads(self._pristine)
        title = operator.context.title
        restored_states = None if states is None else OperatorStates.unpack(states)
        if restored_states is not None and unions:
            restored_states.union.update(pickle.loads(unions))
        self._store = OperatorStateStore(title, restored_states)
        keyed = RuntimeContext(operator.context)
        restored = None if states is None else self._number
        try:
            checkpointed_part(operator.function).initialize_state(
                InitializationContext(self._store, keyed, restored, restored_states)
            )
        except USER_CODE_RAISES as error:
            raise operator.failure(error, "none: it failed in initialize_state()") from None
        operator.open()
        self._opened = True
        self._kept = states

    def snapshot(self) -> CarriedStates:
        """End an epoch: let the function write what it holds to its state, and carry that over."""
        operator = self._operator
        # Without checkpoints the epochs are counted.
        self._number = operator.context.snapshot or self._number + 1
        surroundings = operator.context
        raw_keyed = None
        if surroundings.backend is not None:
            groups = groups_of_subtask(surroundings.subtask, surroundings.parallelism, surroundings.max_parallelism)
            raw_keyed = KeyedRawStateOutput(surroundings.title, groups)
        context = SnapshotContext(self._number, surroundings.clock.now(), raw_keyed)
        try:
            checkpointed_part(operator.function).snapshot_state(context)
        except USER_CODE_RAISES as error:
            raise operator.failure(error, "none: it failed in snapshot_state()") from None
        states = context.written(self._store.states())
        self._kept = states.pack(operator.context.title)
        return CarriedStates(self._kept, operator.snapshot(), self._number, b"" if states.union else None)

    def close(self) -> None:
        """Close the function, if it was opened."""
        if self._opened:
            self._operator.close()
            self._opened = False
