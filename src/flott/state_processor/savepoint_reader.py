"""Reads savepoints."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

from flott.errors import CheckpointError
from flott.runtime.keys import encode_key, groups_of_subtask, key_group_of
from flott.runtime.state.former_keys import ALWAYS_SAME
from flott.runtime.state.kinds import MAP_STATE, PANES, Form, form_of
from flott.runtime.state.operator_state import BROADCAST, SPLIT, UNION
from flott.state_processor.operator_identifier import OperatorIdentifier
from flott.state_processor.read_keys import read_keys
from flott.state_processor.reader_functions import KeyedStateReaderFunction
from flott.state_processor.saved_entries import OF_WINDOWS, WINDOW, layout_of
from flott.state_processor.saved_job import SavedJob
from flott.state_processor.state_frame import StateFrame

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.state_processor.saved_job import SavedOperator, SavedState

__all__ = ["SavepointReader"]

Identifier = OperatorIdentifier | str
"""An operator: a text is its uid."""


class SavepointReader:
    """Reads the state of a savepoint, of a retained checkpoint, or of the newest checkpoint of a job.

    What is read comes as a `StateFrame`: Python rows, ``to_pandas()`` or ``to_spark(spark)``. An operator is named by
    its uid, or by an `OperatorIdentifier`.
    """

    def __init__(self, job: SavedJob) -> None:
        self._job = job

    @staticmethod
    def read(path: str) -> SavepointReader:
        """Open a savepoint or checkpoint: a directory with a file ``_metadata``, or a directory of checkpoints."""
        return SavepointReader(SavedJob.open(str(path)))

    # What is there

    def list_operators(self) -> StateFrame:
        """Return the operators that have state: uid, id, name, parallelism and max parallelism."""
        rows = [
            (one.title.uid, one.title.id, one.title.name, one.vertex.parallelism, one.vertex.max_parallelism)
            for one in self._job.operators()
        ]
        return StateFrame(("uid", "operator_id", "name", "parallelism", "max_parallelism"), lambda: rows)

    def list_states(self, identifier: Identifier | None = None) -> StateFrame:
        """Return the states of one operator, or of all: uid, id, name of the state, kind and type."""
        rows = [
            (operator.title.uid, operator.title.id, state.name, state.kind, state.schema)
            for operator in ([self._operator(identifier)] if identifier is not None else self._job.operators())
            for state in operator.states
        ]
        return StateFrame(("uid", "operator_id", "state", "kind", "type"), lambda: rows)

    # State of operators

    def read_list_state(self, identifier: Identifier, name: str) -> StateFrame:
        """Return the elements of an even-split list, of all subtasks."""
        return self._elements(identifier, name, SPLIT)

    def read_union_state(self, identifier: Identifier, name: str) -> StateFrame:
        """Return the elements of a union list, each once."""
        return self._elements(identifier, name, UNION)

    def read_broadcast_state(self, identifier: Identifier, name: str) -> StateFrame:
        """Return the entries of broadcast state, which all subtasks have alike."""
        operator = self._operator(identifier)
        state = self._state_of_kind(operator, name, BROADCAST)

        def read() -> Iterable[tuple[Any, ...]]:
            for levels in operator.operator_states():
                for level in levels:
                    if name in level.broadcast:
                        return list(level.broadcast[name].items())
            return []

        schemas = {}
        if state.schema:
            schemas = dict(zip(("key", "value"), map(json.dumps, json.loads(state.schema)["map"]), strict=True))
        return StateFrame(("key", "value"), read, schemas)

    def _elements(self, identifier: Identifier, name: str, kind: str) -> StateFrame:
        operator = self._operator(identifier)
        state = self._state_of_kind(operator, name, kind)

        def read() -> Iterator[tuple[Any, ...]]:
            for levels in operator.operator_states():
                for level in levels:
                    for element in (level.split if kind == SPLIT else level.union).get(name, ()):
                        yield (element,)

        schemas = {"value": json.dumps(json.loads(state.schema)["list"])} if state.schema else {}
        return StateFrame(("value",), read, schemas)

    def read_source_position(self, identifier: Identifier) -> Any:
        """Return how far a source had been read, in the source's own terms."""
        operator = self._operator(identifier)
        data = self._job.metadata.state.sources.get(operator.title.id)
        if data is None:
            message = f"operator '{operator.title.name}' is no source"
            raise CheckpointError(message)
        return pickle.loads(data)

    # State of keys

    def read_state(self, identifier: Identifier, name: str) -> StateFrame:
        """Return a state of any kind by its name; "timers" are all timers of the operator."""
        operator = self._operator(identifier)
        if name == "timers" and all(one.name != name for one in operator.states):
            return self.read_timers(identifier)
        found = operator.state(name)
        if found.column is not None:
            return self._read_entries(operator, found)
        by_kind = {SPLIT: self.read_list_state, UNION: self.read_union_state, BROADCAST: self.read_broadcast_state}
        return by_kind[found.kind](identifier, name)

    def read_state_of_key(self, identifier: Identifier, name: str, key: Any) -> StateFrame:
        """Return what a state holds for one key; only its key group is looked at, if that can be known."""
        operator = self._operator(identifier)
        found = operator.state(name)
        if found.column is None:
            whole = self.read_state(identifier, name)
            place = whole.columns.index("key") if "key" in whole.columns else None
            return StateFrame(whole.columns, lambda: (row for row in whole if place is None or row[place] == key))
        wanted = encode_key(key)
        # An earlier version kept keys of some types in any key group.
        group = key_group_of(key, operator.vertex.max_parallelism) if wanted[:1] in ALWAYS_SAME else None
        frame = self._read_entries(operator, found, group)
        return StateFrame(frame.columns, lambda: (row for row in frame if encode_key(row[0]) == wanted))

    def read_keyed_state(self, identifier: Identifier, state: str | KeyedStateReaderFunction) -> StateFrame:
        """Return a state of all keys, by its name; or what a reader function makes of each key.

        Value, reducing and aggregating state (its accumulator) and list state have a row for each key, map state one
        for each entry. What a reader function yields are the rows of one column, tuples those of several.
        """
        operator = self._operator(identifier)
        if isinstance(state, KeyedStateReaderFunction):
            return self._read_by_function(operator, state)
        found = operator.state(state)
        if found.column is None:
            message = (
                f"'{state}' is {found.kind}, which belongs to no key; read it with read_list_state, read_union_state "
                f"or read_broadcast_state"
            )
            raise CheckpointError(message)
        return self._read_entries(operator, found)

    def read_window_state(self, identifier: Identifier, state: str | None = None) -> StateFrame:
        """Return what the open windows of a window operator hold, or a state that its function keeps per window.

        A row has the key, start and end of the window, and the accumulator or the list of records. Of built-in
        aggregates in columns it has the key, the start of a pane (a piece that windows are made of) and the partial
        results.
        """
        operator = self._operator(identifier)
        if state is not None:
            return self._read_entries(operator, operator.state(f"{state.removesuffix(OF_WINDOWS)}{OF_WINDOWS}"))
        for name in (f"window-contents{OF_WINDOWS}", "sessions", "window-panes", "window-sessions"):
            found = next((one for one in operator.states if one.name == name), None)
            if found is not None:
                return self._read_entries(operator, found)
        # Raises, and says what there is.
        return self._read_entries(operator, operator.state("window-contents"))

    def read_timers(self, identifier: Identifier) -> StateFrame:
        """Return the timers of an operator: key, moment, "event" or "processing", and the window if it has one."""
        operator = self._operator(identifier)
        queues = [one for one in operator.states if form_of(one.name, one.kind) in {Form.TIMERS, Form.MOMENTS}]

        def read() -> Iterator[tuple[Any, ...]]:
            for queue in queues:
                domain = queue.name.removeprefix("_timer_state/").partition("_")[0]
                for key, time, *window in self._read_entries(operator, queue):
                    yield key, time, domain, *window

        return StateFrame(("key", "timestamp", "time_domain", *WINDOW), read)

    def _read_by_function(self, operator: SavedOperator, function: KeyedStateReaderFunction) -> StateFrame:
        def rows() -> Iterator[tuple[Any, ...]]:
            for produced in read_keys(self._job, operator, function):
                yield produced if isinstance(produced, tuple) else (produced,)

        first = next(rows(), None)
        width = 1 if first is None else len(first)
        return StateFrame(("value",) if width == 1 else tuple(f"f{place}" for place in range(width)), rows)

    def _read_entries(self, operator: SavedOperator, state: SavedState, group: int | None = None) -> StateFrame:
        layout = layout_of(state)
        column = state.column or b""

        def read() -> Iterator[tuple[Any, ...]]:
            vertex = operator.vertex
            for subtask, task in enumerate(operator.keyed):
                groups = groups_of_subtask(subtask, vertex.parallelism, vertex.max_parallelism)
                if group is not None:
                    groups = range(group, group + (group in groups))
                if not groups:
                    continue
                with self._job.store(task) as store:
                    yield from layout.read(store, column, groups)

        return StateFrame(layout.columns, read, schemas_of(state))

    def _operator(self, identifier: Identifier) -> SavedOperator:
        return self._job.operator(OperatorIdentifier.of(identifier))

    @staticmethod
    def _state_of_kind(operator: SavedOperator, name: str, kind: str) -> SavedState:
        found = next((one for one in operator.states if (one.name, one.kind) == (name, kind)), None)
        if found is None:
            other = operator.state(name)
            message = f"'{name}' is {other.kind}, and not {kind}"
            raise CheckpointError(message)
        return found


def schemas_of(state: SavedState) -> dict[str, str]:
    """Return the types of the columns, as far as the state's own type says."""
    if not state.schema or state.kind == PANES.name:
        return {}
    schema = json.loads(state.schema)
    if state.kind == MAP_STATE.name:
        return {"map_key": json.dumps(schema["map"][0]), "value": json.dumps(schema["map"][1])}
    return {"value": state.schema}
