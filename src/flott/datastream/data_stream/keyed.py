"""KeyedStream: a stream grouped by key, with state and timers for each key."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

from flott.datastream._checks.roles import FILTER, FLAT_MAP, KEYED_PROCESS, MAP, REDUCE
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.folding import KeyedFolding
from flott.datastream.data_stream.keyed_functions import KeyedFilter, KeyedFlatMap, KeyedMap, may_use_state
from flott.datastream.data_stream.partitioning import refuse_partitioning
from flott.datastream.data_stream.rolling import RollingBest, RollingField, add, larger, smaller
from flott.datastream.data_stream.stream import DataStream
from flott.errors import GraphError
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.rolling import RollingReduce
from flott.runtime.operators.stateless import Filter, FlatMap, Map

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.common.fields import Field
    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.interval_joined import IntervalJoin
    from flott.datastream.data_stream.stream import DeclaredType
    from flott.datastream.data_stream.windowed import WindowedStream
    from flott.datastream.functions import (
        FilterFunction,
        FlatMapFunction,
        KeyedProcessFunction,
        KeySelector,
        MapFunction,
        ReduceFunction,
    )
    from flott.datastream.window import WindowAssigner
    from flott.graph.transformations import PartitionTransformation, PhysicalTransformation
    from flott.runtime.partitioners import Partitioner

__all__ = ["KeyedStream"]


class KeyedStream(KeyedFolding, DataStream):
    """A stream grouped by key: what ``key_by`` returns.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> orders = env.from_collection([("ann", 3), ("bob", 5), ("ann", 4)])
    >>> totals = orders.key_by(lambda order: order[0]).sum(1)
    >>> totals.get_name()
    'Reduce'
    """

    class AccumulateType(Enum):
        """The kinds of rolling aggregate."""

        MIN = 1
        MAX = 2
        MIN_BY = 3
        MAX_BY = 4
        SUM = 5

    def __init__(
        self,
        origin_stream: DataStream,
        transformation: PartitionTransformation,
        key_selector: Callable[[Any], Any],
        key_type: TypeInformation,
    ) -> None:
        super().__init__(origin_stream.get_execution_environment(), transformation)
        self._origin_stream = origin_stream
        self._key_selector = key_selector
        self._key_type = key_type

    def get_key_type(self) -> TypeInformation:
        """Returns the type of the keys."""
        return self._key_type

    def get_key_selector(self) -> Callable[[Any], Any]:
        """Returns what takes the key from a record."""
        return self._key_selector

    # -- one record at a time, with the state of its key -----------------------------------------------

    def map(self, func: Callable[[Any], Any] | MapFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Turns each record into another one; a MapFunction may use state of the record's key."""
        function = MAP.take("map(...)", func)
        type_info = declared("map(...)", output_type)
        if may_use_state(function):
            return self._apply_keyed("Map", KeyedMap(function), type_info)
        return self._apply("Map", Map(function), type_info)

    def flat_map(
        self, func: Callable[[Any], Iterable[Any] | None] | FlatMapFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Turns each record into any number of records; a FlatMapFunction may use state of the record's key."""
        function = FLAT_MAP.take("flat_map(...)", func)
        type_info = declared("flat_map(...)", output_type)
        if may_use_state(function):
            return self._apply_keyed("FlatMap", KeyedFlatMap(function), type_info)
        return self._apply("FlatMap", FlatMap(function), type_info)

    def filter(self, func: Callable[[Any], Any] | FilterFunction) -> DataStream:
        """Keeps the records for which a function says yes; a FilterFunction may use state of the record's key."""
        function = FILTER.take("filter(...)", func)
        if may_use_state(function):
            return self._apply_keyed("Filter", KeyedFilter(function), self.get_type())
        return self._apply("Filter", Filter(function))

    def process(  # type: ignore[override]
        self, func: KeyedProcessFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Works on each record with a KeyedProcessFunction: state and timers of the record's key, side outputs."""
        function = KEYED_PROCESS.take("process(...)", func)
        return self._apply_keyed("KEYED PROCESS", function, declared("process(...)", output_type))

    # -- rolling aggregates: each record gives the new value of its key ------------------------------------

    def reduce(self, func: Callable[[Any, Any], Any] | ReduceFunction) -> DataStream:
        """Reduces each record into the value of its key, and hands the new value on.

        In batch mode, only the last value of each key is handed on.
        """
        return self._reduce(REDUCE.take("reduce(...)", func))

    def sum(self, position_to_sum: int | str = 0) -> DataStream:
        """Adds up a field, given by position or name; 0 is also the whole of a single value."""
        return self._reduce(RollingField("sum", position_to_sum, add))

    def min(self, position_to_min: int | str = 0) -> DataStream:
        """Keeps the smallest value of a field; the other fields stay as in the first record of the key."""
        return self._reduce(RollingField("min", position_to_min, smaller))

    def max(self, position_to_max: int | str = 0) -> DataStream:
        """Keeps the largest value of a field; the other fields stay as in the first record of the key."""
        return self._reduce(RollingField("max", position_to_max, larger))

    def min_by(self, position_to_min_by: int | str = 0) -> DataStream:
        """Keeps the whole record with the smallest value of a field; of equal ones, the first."""
        return self._reduce(RollingBest("min_by", position_to_min_by, smaller))

    def max_by(self, position_to_max_by: int | str = 0) -> DataStream:
        """Keeps the whole record with the largest value of a field; of equal ones, the first."""
        return self._reduce(RollingBest("max_by", position_to_max_by, larger))

    # -- windows ---------------------------------------------------------------------------------------------

    def window(self, window_assigner: WindowAssigner[Any, Any]) -> WindowedStream:
        """Cuts the records of each key into windows."""
        from flott.datastream.data_stream.windowed import WindowedStream

        return WindowedStream(self, window_assigner)

    def count_window(self, size: int, slide: int = 0) -> WindowedStream:
        """Cuts the records of each key into windows of so many, a new one every ``slide`` records."""
        from flott.datastream.data_stream.windowed_base import count_assigner

        return self.window(count_assigner("count_window", size, slide))

    def interval_join(self, other_stream: KeyedStream) -> IntervalJoin:
        """Joins with the records of another keyed stream whose times are near: ``interval_join(b).between(...)``."""
        from flott.datastream.data_stream.interval_joined import IntervalJoin

        return IntervalJoin(self, other_stream)

    # -- what keys do not matter for -----------------------------------------------------------------------------

    def key_by(
        self, key_selector: Callable[[Any], Any] | KeySelector | Field | str, key_type: TypeInformation | None = None
    ) -> KeyedStream:
        """Groups the stream by another key."""
        return self._origin_stream.key_by(key_selector, key_type)

    def project(self, *field_indexes: int) -> DataStream:
        """Keeps some fields of a stream of tuples; the result is not keyed."""
        return self._origin_stream.project(*field_indexes)

    def cache(self) -> NoReturn:
        """Refuses: a keyed stream is no result that could be kept."""
        raise GraphError("cache() on a keyed stream: call it before key_by(...), or after the operation that follows")

    # -- how it is done ------------------------------------------------------------------------------------------

    def _reduce(self, function: Any) -> DataStream:
        operator = RollingReduce(function, self._key_selector)
        return self._apply("Reduce", operator, self.get_type(), self._key_selector)

    def _apply_keyed(self, name: str, function: Any, output_type: TypeInformation) -> DataStream:
        operator = KeyedProcess(function, self._key_selector)
        return self._apply(name, operator, output_type, self._key_selector)

    def _unkeyed(self) -> DataStream:
        return self._origin_stream

    def _partitioned(self, call: str, partitioner: Partitioner) -> NoReturn:
        raise refuse_partitioning(call)

    def _operator(self, setting: str) -> PhysicalTransformation:
        raise GraphError(
            f"{setting}(...): a keyed stream is no operator, so there is nothing to set; "
            f"call {setting}(...) before key_by(...), or after the operation on the keyed stream: "
            f"key_by(...).process(...).{setting}(...)"
        )
