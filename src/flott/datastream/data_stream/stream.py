"""DataStream: records that flow, and what can be done with them."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, overload

from flott.common.fields import Field
from flott.common.typeinfo import TupleTypeInfo, TypeInformation
from flott.datastream._checks.roles import FILTER, FLAT_MAP, MAP, PROCESS
from flott.datastream._key_functions import check_keys, key_function
from flott.datastream._time_checks import strategy_of
from flott.datastream._typed_output import typed_records
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.output import Outputs
from flott.datastream.data_stream.partition_windows import PartitionWindows
from flott.datastream.data_stream.partitioning import Partitioning
from flott.datastream.data_stream.settings import OperatorSettings
from flott.datastream.data_stream.splitting import Splitting
from flott.datastream.functions.wrappers import MapFunctionWrapper
from flott.errors import GraphError
from flott.graph.parallelism import inherited_parallelism
from flott.graph.transformations import (
    PartitionTransformation,
    PhysicalTransformation,
    SideOutputTransformation,
    UnionTransformation,
)
from flott.runtime.operators.process import Process
from flott.runtime.operators.stateless import Filter, FlatMap, Map
from flott.runtime.output_tag import OutputTag
from flott.runtime.partitioners import KeyGroupHash
from flott.runtime.watermarks import TimestampsAndWatermarks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NoReturn, TypeAlias

    from flott.common.execution_config import ExecutionConfig
    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.datastream.data_stream.broadcast import BroadcastConnectedStream, BroadcastStream
    from flott.datastream.data_stream.cached import CachedDataStream
    from flott.datastream.data_stream.co_grouped import CoGroupedStreams, JoinedStreams
    from flott.datastream.data_stream.connected import ConnectedStreams
    from flott.datastream.data_stream.iterative import IterativeStream
    from flott.datastream.data_stream.keyed import KeyedStream
    from flott.datastream.data_stream.windowed_all import AllWindowedStream
    from flott.datastream.functions import FilterFunction, FlatMapFunction, KeySelector, MapFunction, ProcessFunction
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.datastream.window import WindowAssigner
    from flott.graph.transformations import Transformation
    from flott.runtime.operator import Operator

    DeclaredType: TypeAlias = TypeInformation | Sequence[TypeInformation]

__all__ = ["DataStream"]


class DataStream(OperatorSettings, Partitioning, Outputs, Splitting, PartitionWindows):
    """A stream of records of one type.

    Each method adds a step to the program; nothing runs until the environment is told to execute.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> _ = env.set_parallelism(2)
    >>> words = env.from_collection(["to be", "or not"]).flat_map(str.split).name("words")
    >>> _ = words.map(len).filter(lambda length: length > 2).print()
    >>> print(env.get_stream_graph())
    1 Source: Collection Source ×1
    2 words ×2 ← 1 REBALANCE
    3 Map ×2 ← 2 FORWARD
    4 Filter ×2 ← 3 FORWARD
    5 Sink: Print to Std. Out ×2 ← 4 FORWARD
    """

    def __init__(
        self,
        environment: StreamExecutionEnvironment,
        transformation: Transformation,
        known: tuple[Any, ...] | None = None,
    ) -> None:
        self._environment = environment
        self._transformation = transformation
        self._first_records = known

    def get_type(self) -> TypeInformation:
        """Returns the type of the records."""
        return declared("get_type()", self._transformation.output_type)

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Returns the environment this stream belongs to."""
        return self._environment

    def get_execution_config(self) -> ExecutionConfig:
        """Returns the settings of the program."""
        return self._environment.get_config()

    # -- one record at a time ----------------------------------------------------------------------

    def map(self, func: Callable[[Any], Any] | MapFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Turns each record into another one.

        Args:
            func: A callable of one record, or a MapFunction.
            output_type: The type of the results; with a Row or tuple type, they get that shape.
        """
        return self._apply("Map", Map(MAP.take("map(...)", func)), declared("map(...)", output_type))

    def flat_map(
        self, func: Callable[[Any], Iterable[Any] | None] | FlatMapFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Turns each record into any number of records.

        Args:
            func: A callable that returns or yields the results of one record, or a FlatMapFunction.
            output_type: The type of the results; with a Row or tuple type, they get that shape.
        """
        operator = FlatMap(FLAT_MAP.take("flat_map(...)", func))
        return self._apply("FlatMap", operator, declared("flat_map(...)", output_type))

    def filter(self, func: Callable[[Any], Any] | FilterFunction) -> DataStream:
        """Keeps the records for which a function says yes."""
        return self._apply("Filter", Filter(FILTER.take("filter(...)", func)))

    def process(self, func: ProcessFunction, output_type: DeclaredType | None = None) -> DataStream:
        """Works on each record with a ProcessFunction: it sees timestamps and feeds side outputs.

        For state and timers, write ``key_by(...).process(...)`` with a KeyedProcessFunction.
        """
        return self._apply(
            "PROCESS", Process(PROCESS.take("process(...)", func)), declared("process(...)", output_type)
        )

    def project(self, *field_indexes: int) -> DataStream:
        """Keeps some fields of a stream of tuples, in the given order.

        >>> from flott.common import Types
        >>> from flott.datastream import StreamExecutionEnvironment
        >>> env = StreamExecutionEnvironment.get_execution_environment()
        >>> orders = env.from_collection([("a", 1, 2.5)], Types.TUPLE([Types.STRING(), Types.INT(), Types.DOUBLE()]))
        >>> orders.project(2, 0).get_type()
        TupleTypeInfo(Double, String)
        """
        type_info = self.get_type()
        if not isinstance(type_info, TupleTypeInfo):
            raise GraphError(
                f"project(...): only a stream of tuples can be projected, this one has {type_info!r}; declare the type "
                "of the step before, as in map(..., output_type=Types.TUPLE([...])), or use map(...) instead"
            )
        fields = type_info.get_field_types()
        if not field_indexes or not all(index in range(len(fields)) for index in field_indexes):
            raise GraphError(
                f"project{field_indexes}: give positions from 0 to {len(fields) - 1}, as {type_info!r} has them"
            )
        pick: Callable[[Any], Any] = itemgetter(*field_indexes)
        if len(field_indexes) == 1:
            pick = _Single(field_indexes[0])
        return self._apply(
            "Projection", Map(MapFunctionWrapper(pick)), TupleTypeInfo([fields[i] for i in field_indexes])
        )

    # -- keys, time and windows ----------------------------------------------------------------------

    def key_by(
        self, key_selector: Callable[[Any], Any] | KeySelector | Field | str, key_type: TypeInformation | None = None
    ) -> KeyedStream:
        """Groups the stream by key: records of one key meet in one subtask, which keeps state for the key.

        Args:
            key_selector: Takes the key from a record; keys are hashable, such as texts, numbers or tuples of them.
                Or the name of a field, which lets built-in aggregates of windows work on whole columns.
            key_type: The type of the keys.
        """
        from flott.datastream.data_stream.keyed import KeyedStream

        select = key_function("key_by(...)", key_selector)
        if isinstance(select, Field):
            select, key_type = _field_of(select, self.get_type(), key_type)
        check_keys("key_by(...)", select, self._first_records or ())
        step = PartitionTransformation(
            id=self._environment.steps.next_id(),
            name="key_by()",
            inputs=(self._transformation,),
            output_type=self._transformation.output_type,
            partitioner=KeyGroupHash(select),
        )
        return KeyedStream(self, step, select, declared("key_by(...)", key_type))

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy) -> DataStream:
        """Gives records their timestamps, and lets event time follow them; as parallel as the stream in front of it."""
        strategy = strategy_of("assign_timestamps_and_watermarks(...)", watermark_strategy)
        stream = self._apply("Timestamps/Watermarks", TimestampsAndWatermarks(strategy))
        # One to one: mixed with records of others, those that came in order would be late.
        default = self._environment.get_parallelism()
        stream.get_transformation().parallelism = inherited_parallelism(self._transformation, default)
        return stream

    def window_all(self, window_assigner: WindowAssigner[Any, Any]) -> AllWindowedStream:
        """Cuts the whole stream into windows; one subtask has to do it all, so key the stream where you can."""
        from flott.datastream.data_stream.windowed_all import AllWindowedStream

        return AllWindowedStream(self, window_assigner)

    def count_window_all(self, size: int, slide: int = 0) -> AllWindowedStream:
        """Cuts the whole stream into windows of so many records, a new one every ``slide`` records."""
        from flott.datastream.data_stream.windowed_base import count_assigner

        return self.window_all(count_assigner("count_window_all", size, slide))

    # -- several streams -------------------------------------------------------------------------------

    def union(self, *streams: DataStream) -> DataStream:
        """Takes several streams of one type as one."""
        for stream in streams:
            if not isinstance(stream, DataStream):
                raise GraphError(f"union(...): {stream!r:.100} is no DataStream")
            self._check_neighbour("union(...)", stream)
            if stream.get_type() != self.get_type():
                raise GraphError(
                    f"union(...): only streams of one type can be united, but one has {self.get_type()!r} and another "
                    f"{stream.get_type()!r}; map(..., output_type=...) one of them, or connect(...) the two"
                )
        inputs = tuple(stream._unkeyed().get_transformation() for stream in (self, *streams))  # noqa: SLF001
        step = UnionTransformation(
            id=self._environment.steps.next_id(), name="union()", inputs=inputs, output_type=self.get_type()
        )
        return DataStream(self._environment, step)

    @overload
    def connect(self, ds: DataStream) -> ConnectedStreams: ...

    @overload
    def connect(self, ds: BroadcastStream) -> BroadcastConnectedStream: ...

    def connect(self, ds: DataStream | BroadcastStream) -> ConnectedStreams | BroadcastConnectedStream:
        """Puts another stream of any type next to this one, for functions that look at both."""
        from flott.datastream.data_stream.broadcast import BroadcastConnectedStream, BroadcastStream
        from flott.datastream.data_stream.connected import ConnectedStreams

        if isinstance(ds, BroadcastStream):
            self._check_neighbour("connect(...)", ds.input_stream)
            return BroadcastConnectedStream(self, ds, ds.broadcast_state_descriptors)
        if not isinstance(ds, DataStream):
            raise GraphError(f"connect(...): {ds!r:.100} is neither a DataStream nor a BroadcastStream")
        self._check_neighbour("connect(...)", ds)
        return ConnectedStreams(self, ds)

    def join(self, other_stream: DataStream) -> JoinedStreams:
        """Joins records of one key and one window: ``join(b).where(...).equal_to(...).window(...).apply(...)``."""
        from flott.datastream.data_stream.co_grouped import JoinedStreams

        return JoinedStreams(self, other_stream)

    def co_group(self, other_stream: DataStream) -> CoGroupedStreams:
        """Groups two streams by key and window: ``co_group(b).where(...).equal_to(...).window(...).apply(...)``."""
        from flott.datastream.data_stream.co_grouped import CoGroupedStreams

        return CoGroupedStreams(self, other_stream)

    def get_side_output(self, output_tag: OutputTag) -> DataStream:
        """Returns the stream of what the operator sent to a side output with ``yield tag, value``."""
        if not isinstance(output_tag, OutputTag):
            raise GraphError(f"get_side_output({output_tag!r}): give the OutputTag, as in OutputTag('late')")
        source = self._operator("get_side_output")
        self._environment.steps.claim_side_output(source, output_tag)
        step = SideOutputTransformation(
            id=self._environment.steps.next_id(),
            name=f"side output '{output_tag.tag_id}'",
            inputs=(source,),
            output_type=output_tag.type_info,
            tag=output_tag.tag_id,
        )
        return DataStream(self._environment, step)

    def iterate(self, max_wait_time: int = 0) -> IterativeStream:
        """Makes this stream the input of a loop: ``close_with(feedback)`` lets records flow back into it.

        Args:
            max_wait_time: How long a loop that has become empty stays open for more, in milliseconds, once the
                inputs of the program have ended.
        """
        from flott.datastream.data_stream.iterative import IterativeStream

        return IterativeStream(self._environment, self._unkeyed(), max_wait_time)

    def cache(self) -> CachedDataStream:
        """Keeps the records of a bounded stream, so that later programs need not make them again."""
        from flott.datastream.data_stream.cached import cached

        made: CachedDataStream = cached(self._environment, self._transformation, self.get_type())
        return made

    # -- how it is done --------------------------------------------------------------------------------

    def _apply(
        self,
        name: str,
        operator: Operator,
        output_type: TypeInformation | None = None,
        key_selector: Callable[[Any], Any] | None = None,
    ) -> DataStream:
        """Add an operator behind this stream; without a type of its own it emits what it gets."""
        step = PhysicalTransformation(
            id=self._environment.steps.next_id(),
            name=name,
            inputs=(self._transformation,),
            output_type=self.get_type() if output_type is None else output_type,
            operator=operator,
            typed=None if output_type is None else typed_records(output_type),
            key_selectors=() if key_selector is None else (key_selector,),
        )
        self._environment.steps.register(step)
        return DataStream(self._environment, step)

    def _unkeyed(self) -> DataStream:
        return self

    def _known(self) -> tuple[Any, ...] | None:
        return self._first_records

    def _check_neighbour(self, call: str, other: DataStream) -> None:
        if other._environment is not self._environment:
            raise GraphError(f"{call}: the streams come from different environments; build both from one")

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A DataStream belongs to the program and can't go to a worker; a function sees one record at a time. To "
            "bring two streams together, join(...) or connect(...) them"
        )


def _field_of(
    field: Field, type_info: TypeInformation, key_type: TypeInformation | None
) -> tuple[Field, TypeInformation | None]:
    """Return a key's field as records of a type have it, and its type."""
    try:
        found = field.within(type_info)
    except ValueError as error:
        raise GraphError(f"key_by(...): {error}") from None
    if found.position is not None and key_type is None:
        key_type = type_info.get_field_types()[found.position]  # type: ignore[attr-defined]
    return found, key_type


class _Single:
    """Picks one field, as a tuple."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __call__(self, record: Any) -> tuple[Any]:
        return (record[self.index],)
