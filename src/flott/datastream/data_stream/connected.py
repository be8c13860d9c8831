"""ConnectedStreams: two streams of any types, for functions that look at both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream._checks.roles import CO_FLAT_MAP, CO_MAP, CO_PROCESS, KEYED_CO_PROCESS
from flott.datastream._not_yet import not_yet
from flott.datastream.data_stream.keyed import KeyedStream
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import (
        CoFlatMapFunction,
        CoMapFunction,
        CoProcessFunction,
        KeyedCoProcessFunction,
        KeySelector,
    )
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment

__all__ = ["ConnectedStreams"]

INSTEAD = "give both streams one type with map(...) and use union(...), or wait for the next release"


class ConnectedStreams:
    """Two streams next to each other: what ``connect`` returns.

    Keyed by the same kind of key, both share the state of each key.
    """

    def __init__(self, stream1: DataStream, stream2: DataStream) -> None:
        if isinstance(stream1, KeyedStream) != isinstance(stream2, KeyedStream):
            raise GraphError(
                "connect(...): one of the streams is keyed and the other is not, so they could share no state; "
                "key both or none: a.connect(b).key_by(key_of_a, key_of_b)"
            )
        self.stream1 = stream1
        self.stream2 = stream2

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Returns the environment both streams belong to."""
        return self.stream1.get_execution_environment()

    def get_first_input(self) -> DataStream:
        """Returns the first stream."""
        return self.stream1

    def get_second_input(self) -> DataStream:
        """Returns the second stream."""
        return self.stream2

    def get_type1(self) -> TypeInformation:
        """Returns the type of the first stream."""
        return self.stream1.get_type()

    def get_type2(self) -> TypeInformation:
        """Returns the type of the second stream."""
        return self.stream2.get_type()

    def key_by(
        self,
        key_selector1: Callable[[Any], Any] | KeySelector,
        key_selector2: Callable[[Any], Any] | KeySelector,
        key_type: TypeInformation | None = None,
    ) -> ConnectedStreams:
        """Groups both streams by keys of one type."""
        return ConnectedStreams(
            self.stream1.key_by(key_selector1, key_type), self.stream2.key_by(key_selector2, key_type)
        )

    def map(self, func: CoMapFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Turns records of both streams into records of one."""
        CO_MAP.take("connect(...).map(...)", func)
        raise not_yet("connect(...).map(...)", INSTEAD)

    def flat_map(self, func: CoFlatMapFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Turns records of both streams into any number of records of one."""
        CO_FLAT_MAP.take("connect(...).flat_map(...)", func)
        raise not_yet("connect(...).flat_map(...)", INSTEAD)

    def process(
        self, func: CoProcessFunction | KeyedCoProcessFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Works on the records of both streams, with the state of each key if they are keyed."""
        role = KEYED_CO_PROCESS if isinstance(self.stream1, KeyedStream) else CO_PROCESS
        role.take("connect(...).process(...)", func)
        raise not_yet("connect(...).process(...)", INSTEAD)
