"""The broadcast states of one operator: declared with ``broadcast(...)``, carried from epoch to epoch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from flott.errors import StateAccessError
from flott.runtime.state.broadcast_state import BroadcastState, ReadOnlyBroadcastState
from flott.runtime.state.operator_state import CarriedStates, OperatorStates
from flott.runtime.state.schemas import change_of_schema


class BroadcastStates:
    """The broadcast states of one operator: those that ``broadcast(...)`` was given, and no others.

    The names may come as a mapping to the schemas of their types.
    """

    def __init__(self, names: Iterable[str], title: str) -> None:
        self._title = title
        self._schemas = dict(names) if isinstance(names, Mapping) else {}
        self._writable = {name: BroadcastState(name) for name in names}
        self._read_only = {name: ReadOnlyBroadcastState(state, title) for name, state in self._writable.items()}

    def writable(self, descriptor: Any) -> BroadcastState:
        """Return the state that a MapStateDescriptor describes, to read and to write."""
        state = self._writable.get(_name(descriptor))
        return state if state is not None else self._unknown(descriptor)

    def read_only(self, descriptor: Any) -> ReadOnlyBroadcastState:
        """Return the state that a MapStateDescriptor describes, to read."""
        state = self._read_only.get(_name(descriptor))
        return state if state is not None else self._unknown(descriptor)

    def _unknown(self, descriptor: Any) -> NoReturn:
        names = ", ".join(f"'{name}'" for name in self._writable) or "none"
        message = (
            f"{self._title}: there is no broadcast state '{_name(descriptor)}'; the stream was broadcast with {names}. "
            f"Give every descriptor that is used to broadcast(...): rules.broadcast(descriptor, other_descriptor)."
        )
        raise StateAccessError(message)

    def snapshot(self, rest: Any) -> CarriedStates:
        """Return all entries, and what else the operator carries over."""
        entries = {name: state.entries for name, state in self._writable.items() if state.entries}
        return CarriedStates(OperatorStates(broadcast=entries, schemas=self._schemas).pack(self._title), rest)

    def restore(self, carried: CarriedStates | None) -> Any:
        """Hold what ``snapshot`` returned, and nothing else; return the rest. Handles stay valid."""
        states, rest = (None, None) if carried is None else (carried.states, carried.rest)
        saved = OperatorStates() if states is None else OperatorStates.unpack(states)
        for name, state in self._writable.items():
            entries = saved.broadcast.get(name, {})
            schema = saved.schemas.get(name, "")
            change = change_of_schema(self._title, "broadcast state", name, schema, self._schemas.get(name, ""))
            state.clear()
            state.put_all(entries if change is None else change(entries))
        return rest


def _name(descriptor: Any) -> str:
    get_name = getattr(descriptor, "get_name", None)
    if get_name is None:
        message = (
            f"get_broadcast_state was given {descriptor!r:.100}; give the MapStateDescriptor of the broadcast state"
        )
        raise StateAccessError(message)
    name: str = get_name()
    return name
