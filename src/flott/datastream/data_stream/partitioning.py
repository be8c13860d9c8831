"""How records of a stream are spread over the subtasks of the next operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream._checks.roles import PARTITIONER
from flott.datastream._key_functions import key_function, partition_function
from flott.errors import GraphError
from flott.graph.transformations import PartitionTransformation
from flott.runtime import partitioners

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream.data_stream.broadcast import BroadcastStream
    from flott.datastream.data_stream.stream import DataStream
    from flott.datastream.functions import KeySelector, Partitioner
    from flott.datastream.state import MapStateDescriptor
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.graph.transformations import Transformation

__all__ = ["Partitioning"]


class Partitioning:
    """The ways to spread records; each holds up to the next operation."""

    _environment: StreamExecutionEnvironment
    _transformation: Transformation

    def shuffle(self) -> DataStream:
        """Sends records to subtasks that look random."""
        return self._partitioned("shuffle", partitioners.Shuffle())

    def rebalance(self) -> DataStream:
        """Sends records round all subtasks in turn, so that all have the same to do."""
        return self._partitioned("rebalance", partitioners.Rebalance())

    def rescale(self) -> DataStream:
        """Sends records in turn round a few subtasks only, so that each pair of neighbours exchanges little."""
        return self._partitioned("rescale", partitioners.Rescale())

    def forward(self) -> DataStream:
        """Sends the records of a subtask to the subtask of the same number; both sides are equally parallel."""
        return self._partitioned("forward", partitioners.Forward())

    def global_(self) -> DataStream:
        """Sends all records to the first subtask."""
        return self._partitioned("global_", partitioners.Global())

    def broadcast(
        self,
        broadcast_state_descriptor: MapStateDescriptor | None = None,
        *other_broadcast_state_descriptors: MapStateDescriptor,
    ) -> DataStream | BroadcastStream:
        """Sends every record to every subtask; with state descriptors, for connecting it with another stream."""
        stream = self._partitioned("broadcast", partitioners.Broadcast())
        if broadcast_state_descriptor is None:
            return stream
        from flott.datastream.data_stream.broadcast import BroadcastStream

        return BroadcastStream(stream, [broadcast_state_descriptor, *other_broadcast_state_descriptors])

    def partition_custom(
        self,
        partitioner: Callable[[Any, int], int] | Partitioner,
        key_selector: Callable[[Any], Any] | KeySelector,
    ) -> DataStream:
        """Sends a record where your function says.

        Args:
            partitioner: Gets the key and the number of subtasks; returns the number of one, from 0.
            key_selector: Takes the key from a record.
        """
        chosen = PARTITIONER.take("partition_custom(...)", partitioner)
        selected = key_function("partition_custom(...)", key_selector)
        return self._partitioned(
            "partition_custom", partitioners.Custom(partition=partition_function(chosen), key_selector=selected)
        )

    def _partitioned(self, call: str, partitioner: partitioners.Partitioner) -> DataStream:
        from flott.datastream.data_stream.stream import DataStream

        environment = self._environment
        step = PartitionTransformation(
            id=environment.steps.next_id(),
            name=f"{call}()",
            inputs=(self._transformation,),
            output_type=self._transformation.output_type,
            partitioner=partitioner,
        )
        return DataStream(environment, step, self._known())

    def _known(self) -> tuple[Any, ...] | None:
        """Return the first records, where they are known."""
        raise NotImplementedError


def refuse_partitioning(call: str) -> GraphError:
    """Return the error for spreading a keyed stream in some other way."""
    return GraphError(
        f"{call}() on a keyed stream: key_by(...) has decided where records go, and state needs it so; "
        f"call {call}() before key_by(...), or after an operation on the keyed stream"
    )
