"""PartitionWindowedStream: all records of each subtask, or of each key, once the input has ended."""

from __future__ import annotations

from enum import Enum
from hashlib import md5
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from flott.common.fields import Field
from flott.common.typeinfo import Types
from flott.datastream._checks.roles import AGGREGATE, MAP_PARTITION, REDUCE
from flott.datastream._key_functions import key_function
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.data_stream.partition_functions import (
    AggregatePartition,
    MapPartition,
    PartitionFunction,
    ReducePartition,
    SortPartition,
)
from flott.datastream.data_stream.rolling import check_field
from flott.datastream.functions import Function
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.partitions import EndOfPartition, MarkPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import AggregateFunction, KeySelector, ReduceFunction
    from flott.datastream.functions.partition import MapPartitionFunction

__all__ = ["Order", "PartitionWindowedStream"]


class Order(Enum):
    """Which records come first."""

    ASCENDING = "ascending"
    DESCENDING = "descending"


class PartitionWindowedStream:
    """All records of each subtask, or of each key of a keyed stream: what ``full_window_partition()`` returns.

    Results come when the input has ended, so it has to be bounded.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> numbers = env.from_collection([3, 1, 2]).full_window_partition()
    >>> numbers.sort_partition(lambda number: number, Order.DESCENDING).get_name()
    'SortPartition'
    """

    def __init__(self, stream: DataStream) -> None:
        self._stream = stream

    def map_partition(
        self, func: Callable[[Iterable[Any]], Iterable[Any] | None] | MapPartitionFunction,
        output_type: DeclaredType | None = None,
    ) -> DataStream:  # fmt: skip
        """Makes any number of results of all the records of a partition.

        Args:
            func: A callable that returns or yields the results of a list of records, or a MapPartitionFunction.
            output_type: The type of the results.
        """
        call = "map_partition(...)"
        function = MapPartition(MAP_PARTITION.take(call, func))
        return self._apply("MapPartition", function, declared(call, output_type))

    def sort_partition(
        self, field: int | str | Callable[[Any], Any] | KeySelector, order: Order = Order.ASCENDING
    ) -> DataStream:
        """Sorts the records of a partition; of equal ones, the first stays first.

        Args:
            field: What to sort by: the position or the name of a field, or a function of the record.
            order: Whether the smallest or the largest comes first.
        """
        if not isinstance(order, Order):
            raise GraphError(f"sort_partition(...): {order!r} is no order; give Order.ASCENDING or Order.DESCENDING")
        select = self._field(field)
        function = SortPartition(_Nothing(), select, descending=order is Order.DESCENDING)
        name = "KeyedSortPartition" if isinstance(self._stream, KeyedStream) else "SortPartition"
        return self._apply(name, function, self._stream.get_type(), stamped=False)

    def reduce(self, func: Callable[[Any, Any], Any] | ReduceFunction) -> DataStream:
        """Reduces the records of a partition to one value; a partition without records has none."""
        function = ReducePartition(REDUCE.take("reduce(...)", func))
        return self._apply("PartitionReduce", function, self._stream.get_type())

    def aggregate(
        self, aggregate_function: AggregateFunction, output_type: DeclaredType | None = None
    ) -> DataStream:  # fmt: skip
        """Aggregates the records of a partition to one result; a subtask without records has that of none."""
        call = "aggregate(...)"
        function = AggregatePartition(AGGREGATE.take(call, aggregate_function))
        return self._apply("PartitionAggregate", function, declared(call, output_type))

    # -- how it is done ----------------------------------------------------------------------------------------

    def _field(self, field: Any) -> Callable[[Any], Any]:
        call = "sort_partition(...)"
        if not isinstance(field, (int, str)):
            return key_function(call, field)
        try:
            return Field(check_field("sort_partition", field)).within(self._stream.get_type())
        except ValueError as error:
            raise GraphError(f"{call}: {error}") from None

    def _apply(
        self, name: str, function: PartitionFunction, output_type: TypeInformation, *, stamped: bool = True
    ) -> DataStream:
        stream = self._stream
        if isinstance(stream, KeyedStream):
            select = stream.get_key_selector()
            operator = (KeyedProcess if stamped else EndOfPartition)(function, select)
            return stream._apply(name, operator, output_type, select)  # noqa: SLF001 - streams know each other
        function.marked = True
        parallelism = _parallelism(stream)
        marked = self._marked(stream).set_parallelism(parallelism).key_by(itemgetter(0))
        operator = EndOfPartition(function, marked.get_key_selector())
        result = marked._apply(name, operator, output_type, marked.get_key_selector())  # noqa: SLF001
        return result.set_parallelism(parallelism)

    def _marked(self, stream: DataStream) -> DataStream:
        marked = stream._apply("MarkPartition", MarkPartition(), Types.PICKLED_BYTE_ARRAY())  # noqa: SLF001
        step = marked.get_transformation()
        if (
            isinstance(step, PhysicalTransformation)
            and not stream.get_execution_config().has_auto_generated_uids_enabled()
        ):
            # It keeps nothing, so its id need not outlive a change of program.
            step.uid_hash = md5(f"mark partition {step.id}".encode(), usedforsecurity=False).hexdigest()
        return marked


def _parallelism(stream: DataStream) -> int:
    """Return the parallelism of the operator that a stream comes from, as Flink has it here."""
    step = stream.get_transformation()
    while not isinstance(step, PhysicalTransformation) and len(step.inputs) == 1:
        step = step.inputs[0]
    if isinstance(step, PhysicalTransformation) and step.parallelism_fixed:
        return 1
    return step.parallelism or stream.get_execution_environment().get_parallelism()


class _Nothing(Function):
    """In place of a user's function, where there is none."""
