"""Functions with operator state: of a subtask, not of a key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from flott.runtime.operators.checkpointed import InitializationContext, SnapshotContext

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BytesIO

    from flott.datastream.functions.base import KeyedStateStore
    from flott.datastream.state import OperatorStateStore
    from flott.runtime.state.raw_state import KeyedRawStateOutput, KeyGroupStatePartition, RawStateOutput

__all__ = ["CheckpointedFunction", "FunctionInitializationContext", "FunctionSnapshotContext"]


class FunctionInitializationContext(ABC):
    """What ``initialize_state`` gets: where state comes from, and whether there is any from before."""

    @abstractmethod
    def is_restored(self) -> bool:
        """Says whether the state is that of an earlier run of this function."""

    @abstractmethod
    def get_restored_checkpoint_id(self) -> int | None:
        """Returns the number of the snapshot that the state comes from, or None at the very beginning."""

    @abstractmethod
    def get_operator_state_store(self) -> OperatorStateStore:
        """Returns where state of the subtask comes from."""

    @abstractmethod
    def get_keyed_state_store(self) -> KeyedStateStore:
        """Returns where state of keys comes from."""

    @abstractmethod
    def get_raw_operator_state_inputs(self) -> Iterator[BytesIO]:
        """Returns the bytes that ``snapshot_state`` wrote for the subtask, a file to read for each partition."""

    @abstractmethod
    def get_raw_keyed_state_inputs(self) -> Iterator[KeyGroupStatePartition]:
        """Returns the bytes that ``snapshot_state`` wrote for the key groups of this subtask."""


class FunctionSnapshotContext(ABC):
    """What ``snapshot_state`` gets."""

    @abstractmethod
    def get_checkpoint_id(self) -> int:
        """Returns the number of the snapshot; each is greater than the one before."""

    @abstractmethod
    def get_checkpoint_timestamp(self) -> int:
        """Returns the time of day at which the snapshot is taken."""

    @abstractmethod
    def get_raw_operator_state_output(self) -> RawStateOutput:
        """Returns where bytes of the subtask go; what is not written again in a snapshot is gone."""

    @abstractmethod
    def get_raw_keyed_operator_state_output(self) -> KeyedRawStateOutput:
        """Returns where bytes of key groups go; what is not written again in a snapshot is gone."""


class CheckpointedFunction(ABC):
    """A second base for functions that keep operator state: lists that are dealt out anew when a job is rescaled.

    What the function holds in its attributes goes into the state in ``snapshot_state``, and comes back in
    ``initialize_state``, which is called on a new object, before ``open``:

    >>> from flott.datastream import MapFunction
    >>> from flott.datastream.state import ListStateDescriptor
    >>> class Numbered(MapFunction, CheckpointedFunction):
    ...     def __init__(self):
    ...         self.count = 0
    ...
    ...     def initialize_state(self, context):
    ...         self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("count"))
    ...         self.count = sum(self.state.get())
    ...
    ...     def snapshot_state(self, context):
    ...         self.state.update([self.count])
    ...
    ...     def map(self, value):
    ...         self.count += 1
    ...         return self.count, value
    """

    @abstractmethod
    def initialize_state(self, context: FunctionInitializationContext) -> None:
        """Creates the states, and takes back from them what the function holds."""

    @abstractmethod
    def snapshot_state(self, context: FunctionSnapshotContext) -> None:
        """Writes what the function holds to its states."""


# The engine's contexts do not know the API, so the API claims them.
FunctionInitializationContext.register(InitializationContext)
FunctionSnapshotContext.register(SnapshotContext)
