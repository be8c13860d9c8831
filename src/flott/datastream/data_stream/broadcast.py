"""Broadcast streams: every subtask of another stream sees all their records, and keeps them as state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream._checks.roles import BROADCAST_PROCESS, KEYED_BROADCAST_PROCESS
from flott.datastream._not_yet import not_yet
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.state import MapStateDescriptor
from flott.errors import GraphError

if TYPE_CHECKING:
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction

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
        keyed = isinstance(self.non_broadcast_stream, KeyedStream)
        (KEYED_BROADCAST_PROCESS if keyed else BROADCAST_PROCESS).take("connect(...).process(...)", func)
        raise not_yet(
            "connect(...).process(...) with a broadcast stream",
            "read the rules in open() of a function where they change rarely, or wait for the next release",
        )
