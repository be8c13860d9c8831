"""Broadcast streams: every subtask of another stream sees all their records, and keeps them as state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream._checks.roles import BROADCAST_PROCESS, KEYED_BROADCAST_PROCESS
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.data_stream.two_input_step import apply_to_both
from flott.datastream.state import MapStateDescriptor
from flott.errors import GraphError
from flott.runtime.operators.broadcast_process import BroadcastProcess
from flott.runtime.operators.keyed_broadcast_process import KeyedBroadcastProcess
from flott.runtime.state.schemas import schema_of_descriptor

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment

__all__ = ["BroadcastConnectedStream", "BroadcastStream"]


class BroadcastStream:
    """A stream with broadcast state: what ``broadcast(descriptor)`` returns. It can only be connected.

    >>> from flott.common import Types
    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> rules = env.from_collection([("limit", 5)])
    >>> rules.broadcast(MapStateDescriptor("rules", Types.STRING(), Types.INT())).broadcast_state_descriptors
    [MapStateDescriptor('rules', MapTypeInfo<String, Integer>)]
    """

    def __init__(self, input_stream: DataStream, broadcast_state_descriptors: list[MapStateDescriptor]) -> None:
        for descriptor in broadcast_state_descriptors:
            if not isinstance(descriptor, MapStateDescriptor):
                raise GraphError(f"broadcast(...): {descriptor!r:.100} is no MapStateDescriptor")
            if descriptor.ttl_config is not None:
                raise GraphError(
                    f"broadcast(...): state '{descriptor.get_name()}' has a time to live, but broadcast state must "
                    "stay the same in every subtask, whose clocks differ; remove entries in process_broadcast_element"
                )
        names = [descriptor.get_name() for descriptor in broadcast_state_descriptors]
        if len(set(names)) != len(names):
            raise GraphError(f"broadcast(...): each broadcast state needs a name of its own, not {names}")
        self.input_stream = input_stream
        self.broadcast_state_descriptors = broadcast_state_descriptors


class BroadcastConnectedStream:
    """A stream, keyed or not, next to a broadcast one: what ``connect`` returns for a BroadcastStream."""

    def __init__(
        self,
        non_broadcast_stream: DataStream,
        broadcast_stream: BroadcastStream,
        broadcast_state_descriptors: list[MapStateDescriptor],
    ) -> None:
        self.non_broadcast_stream = non_broadcast_stream
        self.broadcast_stream = broadcast_stream
        self.broadcast_state_descriptors = broadcast_state_descriptors

    def process(
        self,
        func: BroadcastProcessFunction | KeyedBroadcastProcessFunction,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Works on the records of both streams; only the broadcast side writes broadcast state."""
        call = "connect(...).process(...)"
        stream, broadcast = self.non_broadcast_stream, self.broadcast_stream.input_stream
        names = {
            descriptor.get_name(): schema_of_descriptor(descriptor) for descriptor in self.broadcast_state_descriptors
        }
        type_info = declared(call, output_type)
        if isinstance(stream, KeyedStream):
            function = KEYED_BROADCAST_PROCESS.take(call, func)
            keyed = KeyedBroadcastProcess(function, stream.get_key_selector(), names)
            name = "Keyed-Co-Process-Broadcast"
            return apply_to_both(stream, broadcast, name, keyed, type_info, keyed=(True, False))
        operator = BroadcastProcess(BROADCAST_PROCESS.take(call, func), names)
        return apply_to_both(stream, broadcast, "Co-Process-Broadcast", operator, type_info)

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Returns the environment both streams belong to."""
        return self.non_broadcast_stream.get_execution_environment()

    def get_first_input(self) -> DataStream:
        """Returns the stream that is not broadcast."""
        return self.non_broadcast_stream

    def get_second_input(self) -> BroadcastStream:
        """Returns the broadcast stream."""
        return self.broadcast_stream

    def get_type1(self) -> TypeInformation:
        """Returns the type of the stream that is not broadcast."""
        return self.non_broadcast_stream.get_type()

    def get_type2(self) -> TypeInformation:
        """Returns the type of the broadcast stream."""
        return self.broadcast_stream.input_stream.get_type()
