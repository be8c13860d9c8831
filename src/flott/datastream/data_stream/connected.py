"""ConnectedStreams: two streams of any types, for functions that look at both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.typeinfo import Types
from flott.datastream._checks.roles import CO_FLAT_MAP, CO_MAP, CO_PROCESS, KEYED_CO_PROCESS
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.data_stream.keyed_co_functions import KeyedCoFlatMap, KeyedCoMap
from flott.datastream.data_stream.keyed_functions import may_use_state
from flott.datastream.data_stream.two_input_step import apply_to_both
from flott.errors import GraphError
from flott.runtime.operators.co_map import CoFlatMap, CoMap
from flott.runtime.operators.co_process import CoProcess
from flott.runtime.operators.keyed_co_process import KeyedCoProcess

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


class ConnectedStreams:
    """Two streams next to each other: what ``connect`` returns.

    Keyed by the same kind of key, both share the state of each key. One keyed stream next to one that is not
    keyed shares nothing, and takes the functions of streams that are not keyed.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> orders, users = env.from_collection([("ann", 3)]), env.from_collection([{"name": "ann"}])
    >>> both = orders.connect(users).key_by(lambda order: order[0], lambda user: user["name"])
    >>> _ = both.process(Enrich())  # doctest: +SKIP
    """

    def __init__(self, stream1: DataStream, stream2: DataStream) -> None:
        self.stream1 = stream1
        self.stream2 = stream2
        if isinstance(stream1, KeyedStream) and isinstance(stream2, KeyedStream):
            _check_key_types(stream1, stream2)

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
        """Groups both streams by keys of one type; keys they had before do not matter."""
        return ConnectedStreams(
            self.stream1.key_by(key_selector1, key_type), self.stream2.key_by(key_selector2, key_type)
        )

    def map(self, func: CoMapFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Turns records of both streams into records of one; None is no record."""
        call = "connect(...).map(...)"
        function = CO_MAP.take(call, func)
        if self._both_keyed() and may_use_state(function):
            return self._apply_keyed("Co-Map", KeyedCoMap(function), declared(call, output_type))
        return apply_to_both(self.stream1, self.stream2, "Co-Map", CoMap(function), declared(call, output_type))

    def flat_map(self, func: CoFlatMapFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Turns records of both streams into any number of records of one."""
        call = "connect(...).flat_map(...)"
        function = CO_FLAT_MAP.take(call, func)
        if self._both_keyed() and may_use_state(function):
            return self._apply_keyed("Co-Flat Map", KeyedCoFlatMap(function), declared(call, output_type))
        operator = CoFlatMap(function)
        return apply_to_both(self.stream1, self.stream2, "Co-Flat Map", operator, declared(call, output_type))

    def process(
        self, func: CoProcessFunction | KeyedCoProcessFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Works on the records of both streams, with the state of each key if both are keyed."""
        call = "connect(...).process(...)"
        type_info = declared(call, output_type)
        if self._both_keyed():
            return self._apply_keyed("Keyed Co-Process", KEYED_CO_PROCESS.take(call, func), type_info)
        operator = CoProcess(CO_PROCESS.take(call, func))
        return apply_to_both(self.stream1, self.stream2, "Co-Process", operator, type_info)

    # -- how it is done --------------------------------------------------------------------------------

    def _both_keyed(self) -> bool:
        return isinstance(self.stream1, KeyedStream) and isinstance(self.stream2, KeyedStream)

    def _apply_keyed(self, name: str, function: Any, output_type: TypeInformation) -> DataStream:
        stream1, stream2 = self.stream1, self.stream2
        assert isinstance(stream1, KeyedStream)  # noqa: S101 - for the type checker; asked before
        assert isinstance(stream2, KeyedStream)  # noqa: S101
        operator = KeyedCoProcess(function, stream1.get_key_selector(), stream2.get_key_selector())
        return apply_to_both(stream1, stream2, name, operator, output_type, keyed=(True, True))


def _check_key_types(stream1: KeyedStream, stream2: KeyedStream) -> None:
    type1, type2 = stream1.get_key_type(), stream2.get_key_type()
    undeclared = Types.PICKLED_BYTE_ARRAY()
    if undeclared not in {type1, type2} and type1 != type2:
        raise GraphError(
            f"connect(...): the keys of the first stream are of type {type1!r} and those of the second of type "
            f"{type2!r}, so no two would ever be equal; key both by the same type: "
            "a.connect(b).key_by(key_of_a, key_of_b)"
        )
