"""State as user functions see it: handles that read and write what belongs to the current key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from flott.runtime.state import broadcast_state, lists, maps, operator_state, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.datastream.state.descriptors import ListStateDescriptor, MapStateDescriptor

__all__ = [
    "AggregatingState",
    "AppendingState",
    "BroadcastState",
    "ListState",
    "MapState",
    "MergingState",
    "OperatorStateStore",
    "ReadOnlyBroadcastState",
    "ReducingState",
    "State",
    "ValueState",
]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
IN = TypeVar("IN")
OUT = TypeVar("OUT")


class State(ABC):
    """The base of all state handles."""

    @abstractmethod
    def clear(self) -> None:
        """Removes what is stored for the current key."""


class ValueState(State, Generic[T]):
    """One value per key."""

    @abstractmethod
    def value(self) -> T | None:
        """Returns the value of the current key, or None."""

    @abstractmethod
    def update(self, value: T | None) -> None:
        """Sets the value of the current key; None removes it."""


class AppendingState(State, Generic[IN, OUT]):
    """State that is added to, and read as a whole."""

    @abstractmethod
    def get(self) -> OUT | None:
        """Returns what was made of all that was added; None when nothing was."""

    @abstractmethod
    def add(self, value: IN) -> None:
        """Adds a value."""


class MergingState(AppendingState[IN, OUT]):
    """State of which two can become one, as session windows need it."""


class ReducingState(MergingState[T, T]):
    """One value per key, into which added ones are reduced."""


class AggregatingState(MergingState[IN, OUT]):
    """One accumulator per key, into which values are added."""


class ListState(MergingState[T, "Iterable[T]"]):
    """A list per key."""

    @abstractmethod
    def update(self, values: list[T]) -> None:
        """Replaces the list."""

    @abstractmethod
    def add_all(self, values: list[T]) -> None:
        """Appends several elements."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.get() or ())


class MapState(State, Generic[K, V]):
    """A map per key; each entry is read and written on its own."""

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Returns the value of an entry, or None."""

    @abstractmethod
    def put(self, key: K, value: V) -> None:
        """Sets an entry."""

    @abstractmethod
    def put_all(self, dict_value: dict[K, V]) -> None:
        """Sets several entries."""

    @abstractmethod
    def remove(self, key: K) -> None:
        """Removes an entry."""

    @abstractmethod
    def contains(self, key: K) -> bool:
        """Says whether there is such an entry."""

    @abstractmethod
    def items(self) -> Iterable[tuple[K, V]]:
        """Goes over keys and values."""

    @abstractmethod
    def keys(self) -> Iterable[K]:
        """Goes over the keys."""

    @abstractmethod
    def values(self) -> Iterable[V]:
        """Goes over the values."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Says whether there is no entry."""

    def __getitem__(self, key: K) -> V | None:
        return self.get(key)

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())


class ReadOnlyBroadcastState(State, Generic[K, V]):
    """Broadcast state as the other stream sees it: a map that is the same in every subtask."""

    @abstractmethod
    def get(self, key: K) -> V | None:
        """Returns the value of an entry, or None."""

    @abstractmethod
    def contains(self, key: K) -> bool:
        """Says whether there is such an entry."""

    @abstractmethod
    def items(self) -> Iterable[tuple[K, V]]:
        """Goes over keys and values."""

    @abstractmethod
    def keys(self) -> Iterable[K]:
        """Goes over the keys."""

    @abstractmethod
    def values(self) -> Iterable[V]:
        """Goes over the values."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Says whether there is no entry."""

    def __getitem__(self, key: K) -> V | None:
        return self.get(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())


class BroadcastState(ReadOnlyBroadcastState[K, V]):
    """Broadcast state as the broadcast side sees it: it may be written."""

    @abstractmethod
    def put(self, key: K, value: V) -> None:
        """Sets an entry."""

    @abstractmethod
    def put_all(self, dict_value: dict[K, V]) -> None:
        """Sets several entries."""

    @abstractmethod
    def remove(self, key: K) -> None:
        """Removes an entry."""

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)


class OperatorStateStore(ABC):
    """Where state comes from that belongs to a subtask, not to a key."""

    @abstractmethod
    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[object]:
        """Returns a list whose elements are spread evenly over the subtasks when the job is rescaled."""

    @abstractmethod
    def get_union_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[object]:
        """Returns a list that every subtask gets whole, with the elements of all, when the job is restored."""

    @abstractmethod
    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[object, object]:
        """Returns the broadcast state that a descriptor describes."""

    @abstractmethod
    def get_registered_state_names(self) -> set[str]:
        """Returns the names of the list states that there are."""

    @abstractmethod
    def get_registered_broadcast_state_names(self) -> set[str]:
        """Returns the names of the broadcast states that there are."""


# The engine's classes do not know the API, so the API claims them: isinstance works both ways.
ValueState.register(values.ValueState)
ReducingState.register(values.ReducingState)
AggregatingState.register(values.AggregatingState)
ListState.register(lists.ListState)
MapState.register(maps.MapState)
BroadcastState.register(broadcast_state.BroadcastState)
ReadOnlyBroadcastState.register(broadcast_state.ReadOnlyBroadcastState)
ListState.register(operator_state.OperatorListState)
OperatorStateStore.register(operator_state.OperatorStateStore)
