"""What is done with a partition, as keyed process functions that gather until the input ends."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.data_stream.keyed_functions import Delegate
from flott.datastream.state import ListStateDescriptor, ValueStateDescriptor
from flott.runtime.batch import MAX_WATERMARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.datastream.functions import AggregateFunction, KeyedProcessFunction, ReduceFunction, RuntimeContext
    from flott.datastream.functions.partition import MapPartitionFunction

__all__ = ["AggregatePartition", "MapPartition", "PartitionFunction", "ReducePartition", "SortPartition"]

STATE = "_partition_state"


class PartitionFunction(Delegate):
    """Gathers what comes, and tells its results at the end of the input."""

    marked = False
    """Whether records come as pairs with their subtask's key, after which a lone key says that it has ended."""

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> None:
        ctx.timer_service().register_event_time_timer(MAX_WATERMARK)
        if not self.marked:
            self.add(value)
        elif len(value) > 1:
            self.add(value[1])

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterable[Any] | None:
        return self.results()

    @abstractmethod
    def add(self, value: Any) -> None:
        """Take a record in."""

    @abstractmethod
    def results(self) -> Iterable[Any] | None:
        """Return the results of all that was taken in, and let go of it."""


class MapPartition(PartitionFunction):
    """Keeps all records for a function that sees them together."""

    function: MapPartitionFunction

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.records = runtime_context.get_list_state(ListStateDescriptor(STATE))

    def add(self, value: Any) -> None:
        self.records.add(value)

    def results(self) -> Iterable[Any] | None:
        records = self.records.get()
        self.records.clear()
        return self.function.map_partition(records)


class SortPartition(PartitionFunction):
    """Keeps all records, and hands them on in order; of equal ones, the first first."""

    def __init__(self, function: Any, field: Callable[[Any], Any], *, descending: bool) -> None:
        super().__init__(function)
        self.field = field
        self.descending = descending

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.records = runtime_context.get_list_state(ListStateDescriptor(STATE))

    def add(self, value: Any) -> None:
        self.records.add(value)

    def results(self) -> Iterable[Any]:
        records = self.records.get()
        self.records.clear()
        return sorted(records, key=self.field, reverse=self.descending)


class ReducePartition(PartitionFunction):
    """Reduces record after record; a partition without records has no result."""

    function: ReduceFunction

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.reduced = runtime_context.get_state(ValueStateDescriptor(STATE))

    def add(self, value: Any) -> None:
        before = self.reduced.value()
        self.reduced.update(value if before is None else self.function.reduce(before, value))

    def results(self) -> Iterable[Any]:
        reduced = self.reduced.value()
        self.reduced.clear()
        return () if reduced is None else (reduced,)


class AggregatePartition(PartitionFunction):
    """Aggregates record after record; a subtask without records gives the result of an empty accumulator."""

    function: AggregateFunction

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.accumulator = runtime_context.get_state(ValueStateDescriptor(STATE))

    def add(self, value: Any) -> None:
        self.accumulator.update(self.function.add(value, self._current()))

    def results(self) -> Iterable[Any]:
        result = self.function.get_result(self._current())
        self.accumulator.clear()
        return (result,)

    def _current(self) -> Any:
        accumulator = self.accumulator.value()
        return self.function.create_accumulator() if accumulator is None else accumulator
