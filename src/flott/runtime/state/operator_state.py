"""Operator state: what belongs to a subtask, not to a key. Lists whose elements can be dealt out anew, and maps."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.errors import StateAccessError
from flott.runtime.state.broadcast_state import BroadcastState
from flott.runtime.state.schemas import change_of_schema, schema_of_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SPLIT, UNION, BROADCAST = "even-split list state", "union list state", "broadcast state"


class OperatorListState:
    """A list of one subtask. When the job is rescaled, its elements go to other subtasks, by the state's mode."""

    __slots__ = ("elements",)

    def __init__(self, elements: list[Any]) -> None:
        self.elements = elements

    def get(self) -> list[Any]:
        """Return the elements; empty when there are none."""
        return list(self.elements)

    def add(self, value: Any) -> None:
        """Append one element."""
        self.elements.append(value)

    def add_all(self, values: Iterable[Any]) -> None:
        """Append several elements."""
        self.elements.extend(values)

    def update(self, values: Iterable[Any]) -> None:
        """Replace the whole list."""
        self.elements = list(values)

    def clear(self) -> None:
        """Remove all elements."""
        self.elements = []

    def __iter__(self) -> Iterator[Any]:
        return iter(self.get())


@dataclass(frozen=True, slots=True)
class OperatorStates:
    """The operator states of one subtask as values, by name."""

    split: dict[str, list[Any]] = field(default_factory=dict)
    union: dict[str, list[Any]] = field(default_factory=dict)
    broadcast: dict[str, dict[Any, Any]] = field(default_factory=dict)
    schemas: dict[str, str] = field(default_factory=dict, compare=False)
    """The types they were declared with, as JSON; of some it may not be known."""
    raw: list[bytes] = field(default_factory=list)
    """Partitions of bytes; dealt out like the elements of a list."""
    raw_keyed: dict[int, bytes] = field(default_factory=dict)
    """Bytes by key group."""

    def pack(self, title: str) -> bytes:
        """Write them down."""
        try:
            return pickle.dumps((self.split, self.union, self.broadcast, self.schemas, self.raw, self.raw_keyed), 5)
        except Exception as error:
            message = (
                f"{title}: its operator state holds a value that can't be stored: {error}. "
                f"Keep plain values, Rows, or objects of importable, picklable classes in state."
            )
            raise StateAccessError(message) from error

    @staticmethod
    def unpack(data: bytes) -> OperatorStates:
        """Read them back."""
        return OperatorStates(*pickle.loads(data))


@dataclass(frozen=True, slots=True)
class CarriedStates:
    """What an operator carries into the next epoch: operator states, and whatever else it needs.

    The states are dealt out anew when the job is rescaled or restored; the rest only goes to the same subtask.
    """

    states: bytes
    rest: Any = None
    number: int = 0
    """How many snapshots were taken before."""
    unions: bytes | None = None
    """Of union lists, the elements of all subtasks by name, pickled: what a function that starts gets. The driver
    fills it in; from a task it is empty. None: there are no union lists."""


class OperatorStateStore:
    """Where a function gets its operator states from, in ``initialize_state``."""

    def __init__(self, title: str, restored: OperatorStates | None = None) -> None:
        self._title = title
        self._states: dict[str, tuple[str, OperatorListState | BroadcastState]] = {}
        self._schemas: dict[str, str] = {}
        restored = restored or OperatorStates()
        self._restored_schemas = dict(restored.schemas)
        for mode, lists in ((SPLIT, restored.split), (UNION, restored.union)):
            for name, elements in lists.items():
                self._states[name] = (mode, OperatorListState(elements))
        for name, entries in restored.broadcast.items():
            state = BroadcastState(name)
            state.put_all(entries)
            self._states[name] = (BROADCAST, state)

    def get_list_state(self, state_descriptor: Any) -> Any:
        """Return a list whose elements are spread evenly over the subtasks when the job is rescaled."""
        return self._state(state_descriptor, SPLIT)

    def get_union_list_state(self, state_descriptor: Any) -> Any:
        """Return a list that every subtask gets whole, with the elements of all, when the job is restored."""
        return self._state(state_descriptor, UNION)

    def get_broadcast_state(self, state_descriptor: Any) -> Any:
        """Return a map that is the same in every subtask, if every subtask writes it alike."""
        return self._state(state_descriptor, BROADCAST)

    def get_registered_state_names(self) -> set[str]:
        """Return the names of the list states that there are."""
        return {name for name, (mode, _) in self._states.items() if mode != BROADCAST}

    def get_registered_broadcast_state_names(self) -> set[str]:
        """Return the names of the broadcast states that there are."""
        return {name for name, (mode, _) in self._states.items() if mode == BROADCAST}

    def _state(self, descriptor: Any, mode: str) -> OperatorListState | BroadcastState:
        name = self._checked(descriptor, mode)
        if name not in self._states:
            self._states[name] = (mode, BroadcastState(name) if mode == BROADCAST else OperatorListState([]))
        known, state = self._states[name]
        if known != mode:
            message = (
                f"{self._title}: operator state '{name}' is {known}, and was asked for as {mode}. "
                f"A name stands for one state: ask for it as before, or choose another name."
            )
            raise StateAccessError(message)
        self._bring_to_schema(name, schema_of_descriptor(descriptor))
        return state

    def _bring_to_schema(self, name: str, schema: str) -> None:
        """When a state is first asked for, convert what was saved of it under another schema."""
        if name in self._schemas:
            return
        self._schemas[name] = schema
        mode, state = self._states[name]
        change = change_of_schema(self._title, mode, name, self._restored_schemas.get(name, ""), schema)
        if change is not None:
            if isinstance(state, BroadcastState):
                state.put_all(change(state.entries))
            else:
                state.elements = change(state.elements)

    def _checked(self, descriptor: Any, mode: str) -> str:
        wanted = "MapStateDescriptor" if mode == BROADCAST else "ListStateDescriptor"
        # By name, because the runtime does not know the classes of the API.
        if wanted not in {base.__name__ for base in type(descriptor).__mro__}:
            message = f"{self._title}: {descriptor!r:.100} can't describe {mode}; give a {wanted}"
            raise StateAccessError(message)
        name: str = descriptor.get_name()
        if getattr(descriptor, "ttl_config", None) is not None:
            message = f"{self._title}: operator state '{name}' has a time to live, which only keyed state can have"
            raise StateAccessError(message)
        return name

    def states(self) -> OperatorStates:
        """Return all states as they are now."""
        found = OperatorStates(schemas={**self._restored_schemas, **self._schemas})
        for name, (mode, state) in self._states.items():
            if isinstance(state, BroadcastState):
                found.broadcast[name] = state.entries
            else:
                (found.split if mode == SPLIT else found.union)[name] = state.elements
        return found
