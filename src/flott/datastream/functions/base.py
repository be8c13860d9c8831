"""What every user function has: it is opened once per worker and subtask, and closed at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from flott.runtime.context import RuntimeContext

if TYPE_CHECKING:
    from flott.datastream.state import (
        AggregatingState,
        AggregatingStateDescriptor,
        FoldingState,
        FoldingStateDescriptor,
        ListState,
        ListStateDescriptor,
        MapState,
        MapStateDescriptor,
        ReducingState,
        ReducingStateDescriptor,
        ValueState,
        ValueStateDescriptor,
    )

__all__ = ["Function", "KeyedStateStore", "RuntimeContext"]


class Function(ABC):  # noqa: B024 - nothing is required: open and close are there to be overridden
    """The base of all user functions.

    A function object is built in your program, sent to the workers, and opened there before the
    first record. What can't be sent (a connection, a model, a lock) belongs in ``open``:

    >>> class Lookup(Function):
    ...     def open(self, runtime_context):
    ...         self.names = {1: "one"}
    """

    def open(self, runtime_context: RuntimeContext) -> None:  # noqa: B027
        """Prepares for work: make connections, load models, create state handles."""

    def close(self) -> None:  # noqa: B027
        """Releases what ``open`` took."""


class KeyedStateStore(ABC):
    """Where keyed state comes from; a RuntimeContext is one."""

    @abstractmethod
    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState[object]:
        """Returns the value state that a descriptor describes."""

    @abstractmethod
    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[object]:
        """Returns the list state that a descriptor describes."""

    @abstractmethod
    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState[object, object]:
        """Returns the map state that a descriptor describes."""

    @abstractmethod
    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState[object]:
        """Returns the reducing state that a descriptor describes."""

    @abstractmethod
    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState[object, object]:
        """Returns the aggregating state that a descriptor describes."""

    def get_folding_state(self, state_descriptor: FoldingStateDescriptor) -> FoldingState[object, object]:
        """Returns the folding state that a descriptor describes."""
        return self.get_aggregating_state(state_descriptor)  # type: ignore[return-value]


# The engine's class does not know the API, so the API claims it.
KeyedStateStore.register(RuntimeContext)
