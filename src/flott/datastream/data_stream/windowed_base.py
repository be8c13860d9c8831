"""What windows of each key and windows of all records have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.time import to_milliseconds
from flott.datastream._checks.describe import describe
from flott.datastream._checks.picklable import check_picklable
from flott.datastream._checks.roles import AGGREGATE, REDUCE
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.rolling import RollingBest, RollingField, add, check_field, larger, smaller
from flott.datastream.data_stream.windowed_builtin import BuiltIn, built_in_aggregates, in_columns, whole_record
from flott.errors import GraphError
from flott.runtime.output_tag import OutputTag
from flott.runtime.windowing.assigner import WindowAssigner
from flott.runtime.windowing.count_assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from flott.runtime.windowing.evictors import Evictor
from flott.runtime.windowing.spec import WindowSpec
from flott.runtime.windowing.trigger import Trigger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import ClassVar

    from typing_extensions import Self

    from flott.common.time import TimeInterval
    from flott.common.typeinfo import TypeInformation
    from flott.datastream._checks.roles import Role
    from flott.datastream.data_stream.keyed import KeyedStream
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import AggregateFunction, ReduceFunction
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.runtime.windowing.vectorised.aggregates import Aggregate
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

__all__ = ["Windowed", "count_assigner"]


class Windowed:
    """A stream cut into windows, until one says what becomes of each window."""

    _call: ClassVar[str]
    """How a user writes the cutting, for error messages."""
    _over_all: ClassVar[bool]
    _applied: ClassVar[Role]
    """What ``apply`` takes."""
    _processed: ClassVar[Role]
    """What ``process`` takes."""

    def __init__(self, keyed_stream: KeyedStream, window_assigner: WindowAssigner[Any, Any]) -> None:
        if not isinstance(window_assigner, WindowAssigner):
            raise GraphError(
                f"{self._call}: {describe(window_assigner)} says no windows; give a WindowAssigner such as "
                "TumblingEventTimeWindows.of(Duration.of_seconds(10)) from flott.datastream.window"
            )
        self._keyed_stream = keyed_stream
        self._window_assigner = window_assigner
        self._trigger: Trigger[Any, Any] | None = None
        self._evictor: Evictor[Any, Any] | None = None
        self._allowed_lateness = 0
        self._late_data_output_tag: OutputTag | None = None

    def get_execution_environment(self) -> StreamExecutionEnvironment:
        """Returns the environment this stream belongs to."""
        return self._keyed_stream.get_execution_environment()

    def get_input_type(self) -> TypeInformation:
        """Returns the type of the records."""
        return self._keyed_stream.get_type()

    # -- when windows fire, and with which records ---------------------------------------------------------

    def trigger(self, trigger: Trigger[Any, Any]) -> Self:
        """Sets what decides when a window fires, instead of the assigner's own trigger."""
        if not isinstance(trigger, Trigger):
            raise GraphError(f"trigger(...): {describe(trigger)} is no Trigger; give one such as CountTrigger.of(100)")
        self._trigger = trigger
        return self

    def evictor(self, evictor: Evictor[Any, Any]) -> Self:
        """Sets what takes records out of a window when it fires; every record is kept until then."""
        if not isinstance(evictor, Evictor):
            raise GraphError(f"evictor(...): {describe(evictor)} is no Evictor; give one such as CountEvictor.of(10)")
        self._evictor = evictor
        return self

    def allowed_lateness(self, time_ms: TimeInterval) -> Self:
        """Sets for how long a window waits for late records after its end: each lets it fire again."""
        lateness = to_milliseconds(time_ms)
        if lateness < 0:
            raise GraphError(f"allowed_lateness({time_ms}): give 0 ms or more")
        self._allowed_lateness = lateness
        return self

    def side_output_late_data(self, output_tag: OutputTag) -> Self:
        """Sends records that come too late for all their windows to a side output, instead of dropping them."""
        if not isinstance(output_tag, OutputTag):
            raise GraphError(f"side_output_late_data({output_tag!r}): give the OutputTag, as in OutputTag('late')")
        self._late_data_output_tag = output_tag
        return self

    # -- what becomes of a window ----------------------------------------------------------------------------

    def reduce(
        self,
        reduce_function: Callable[[Any, Any], Any] | ReduceFunction,
        window_function: Any = None,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Reduces the records of a window as they come.

        Args:
            reduce_function: Makes one value of two.
            window_function: Makes results of the one value when the window fires; else it is handed on as it is.
            output_type: The type of the results; by default that of the records, if there is no window function.
        """
        call = f"{self._call}.reduce(...)"
        reduce = REDUCE.take(call, reduce_function)
        if window_function is None and output_type is None:
            return self._result(self.get_input_type(), reduce=reduce)
        function = self._window_function(call, window_function)
        return self._result(declared(call, output_type), reduce=reduce, function=function)

    def aggregate(
        self,
        aggregate_function: AggregateFunction | Aggregate | Sequence[Aggregate],
        window_function: Any = None,
        accumulator_type: DeclaredType | None = None,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Aggregates the records of a window as they come.

        With built-in aggregates, as in ``aggregate([Count(), Sum("amount")])`` of flott.datastream.aggregates, each
        result is a Row of the key, ``window_start``, ``window_end`` and the value of each aggregate.

        Args:
            aggregate_function: Keeps the accumulator; or one or several built-in aggregates.
            window_function: Makes results of the one result when the window fires; else it is handed on as it is.
            accumulator_type: The type of the accumulator.
            output_type: The type of the results.
        """
        call = f"{self._call}.aggregate(...)"
        built_in = built_in_aggregates(aggregate_function)
        if built_in is not None:
            return self._built_in(call, built_in)
        declared(call, accumulator_type)
        aggregate = AGGREGATE.take(call, aggregate_function)
        function = self._window_function(call, window_function)
        return self._result(declared(call, output_type), aggregate=aggregate, function=function)

    def count(self) -> DataStream:
        """Counts the records of a window: Rows of the key, ``window_start``, ``window_end`` and ``count``."""
        from flott.datastream.aggregates import Count

        return self._built_in(f"{self._call}.count()", (Count(),))

    def avg(self, field: int | str) -> DataStream:
        """Averages a field: Rows of the key, ``window_start``, ``window_end`` and ``avg_`` with the field's name."""
        from flott.datastream.aggregates import Avg

        return self._built_in(f"{self._call}.avg(...)", (Avg(check_field("avg", field)),))

    def sum(self, position_to_sum: int | str = 0) -> DataStream:
        """Adds up a field of the records of a window; the other fields are those of its first record."""
        return self._rolling("sum", position_to_sum, add)

    def min(self, position_to_min: int | str = 0) -> DataStream:
        """Takes the smallest value of a field; the other fields are those of the first record of the window."""
        return self._rolling("min", position_to_min, smaller)

    def max(self, position_to_max: int | str = 0) -> DataStream:
        """Takes the largest value of a field; the other fields are those of the first record of the window."""
        return self._rolling("max", position_to_max, larger)

    def min_by(self, position_to_min_by: int | str = 0) -> DataStream:
        """Takes the whole record with the smallest value of a field; of equal ones, the first."""
        return self._result(self.get_input_type(), reduce=RollingBest("min_by", position_to_min_by, smaller))

    def max_by(self, position_to_max_by: int | str = 0) -> DataStream:
        """Takes the whole record with the largest value of a field; of equal ones, the first."""
        return self._result(self.get_input_type(), reduce=RollingBest("max_by", position_to_max_by, larger))

    def apply(self, window_function: Any, output_type: DeclaredType | None = None) -> DataStream:
        """Calls a window function with all records of a window when it fires."""
        call = f"{self._call}.apply(...)"
        return self._result(declared(call, output_type), function=self._applied.take(call, window_function))

    def process(self, process_window_function: Any, output_type: DeclaredType | None = None) -> DataStream:
        """Calls a process window function, which also sees time and state, with all records of a window."""
        call = f"{self._call}.process(...)"
        return self._result(declared(call, output_type), function=self._processed.take(call, process_window_function))

    # -- how it is done ----------------------------------------------------------------------------------------

    def _window_function(self, call: str, function: Any) -> Any:
        if function is None:
            return None
        role = self._processed if isinstance(function, self._processed.base) else self._applied
        return role.take(call, function)

    def _rolling(self, label: str, field: int | str, combine: Callable[[Any, Any], Any]) -> DataStream:
        reduce = RollingField(label, field, combine)
        if not self._over_all:
            plan = whole_record(self._keyed_stream, self._spec(reduce=reduce), label, field)
            if plan is not None:
                return self._in_columns(plan, self.get_input_type())
        return self._result(self.get_input_type(), reduce=reduce)

    def _built_in(self, call: str, aggregates: Sequence[Aggregate]) -> DataStream:
        from flott.runtime.windowing.vectorised.aggregates import RowAggregates, RowResults

        built_in = BuiltIn(call, self._keyed_stream, aggregates, over_all=self._over_all)
        plan = built_in.plan(self._spec())
        if plan is not None:
            return self._in_columns(plan, built_in.output_type)
        one_by_one = RowAggregates(built_in.aggregates, built_in.fields)
        results = RowResults(with_key=not self._over_all)
        return self._result(built_in.output_type, aggregate=one_by_one, function=results)

    def _in_columns(self, plan: AggregatePlan, output_type: TypeInformation) -> DataStream:
        from flott.datastream.data_stream.stream import DataStream

        spec = self._spec()
        step = in_columns(self._keyed_stream, plan, spec.name, output_type)
        return DataStream(self.get_execution_environment(), step).set_description(f"{spec.description} in columns")

    def _spec(self, reduce: Any = None, aggregate: Any = None, function: Any = None) -> WindowSpec:
        assigner = self._window_assigner
        return WindowSpec(
            assigner=assigner,
            trigger=self._trigger or assigner.get_default_trigger(self.get_execution_environment()),
            reduce=reduce,
            aggregate=aggregate,
            function=function,
            over_all=self._over_all,
            evictor=self._evictor,
            allowed_lateness=self._allowed_lateness,
            late_tag=self._late_data_output_tag,
        )

    def _result(
        self, output_type: TypeInformation, reduce: Any = None, aggregate: Any = None, function: Any = None
    ) -> DataStream:
        spec = self._spec(reduce, aggregate, function)
        check_picklable(self._call, spec)
        select = self._keyed_stream.get_key_selector()
        stream = self._keyed_stream._apply(spec.name, spec.operator(select), output_type, select)  # noqa: SLF001
        return stream.set_description(spec.description)


def count_assigner(call: str, size: int, slide: int) -> WindowAssigner[Any, Any]:
    """Return the assigner of windows of so many records; a slide of 0 stands for windows that do not overlap."""
    if size < 1 or slide < 0:
        raise GraphError(f"{call}({size}, {slide}): windows have 1 record or more, and so do the steps between them")
    return CountTumblingWindowAssigner.of(size) if slide == 0 else CountSlidingWindowAssigner.of(size, slide)
