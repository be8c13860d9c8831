"""fold: what Flink 2 no longer has, as a thin layer over aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from flott.datastream._checks.picklable import check_picklable
from flott.datastream._checks.roles import FOLD
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.keyed_functions import Delegate
from flott.datastream.functions.fold import FoldAggregate
from flott.datastream.state.descriptors import AggregatingStateDescriptor
from flott.errors import GraphError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.windowing.assigner import MergingWindowAssigner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import KeyedProcessFunction, RuntimeContext
    from flott.datastream.functions.fold import FoldFunction
    from flott.datastream.window import WindowAssigner

__all__ = ["FinalFold", "KeyedFolding", "RollingFold", "WindowFolding"]

STATE = "_fold_state"


def folded(call: str, initial: Any, function: Any) -> FoldAggregate:
    """Return the aggregate of a fold."""
    fold = FOLD.take(call, function)
    check_picklable(call, initial)
    return FoldAggregate(initial, fold)


class RollingFold(Delegate):
    """Folds each record into its key's value, and emits the new value."""

    function: FoldAggregate

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.folded = runtime_context.get_aggregating_state(AggregatingStateDescriptor(STATE, self.function))

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        self.folded.add(value)
        return (self.folded.get(),)


class FinalFold(RollingFold):
    """Emits only the last value, at the end of the input: what batch jobs want."""

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        ctx.timer_service().register_event_time_timer(MAX_WATERMARK)
        self.folded.add(value)
        return ()

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterable[Any]:
        yield self.folded.get()


class KeyedFolding:
    """``fold`` of a keyed stream."""

    _apply_keyed: Callable[[str, Any, TypeInformation], DataStream]

    def fold(
        self, initial: Any, function: Callable[[Any, Any], Any] | FoldFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Folds each record into the value of its key, and hands the new value on.

        In batch mode, only the last value of each key is handed on.

        Args:
            initial: What each key starts with; each gets a copy of its own.
            function: A callable of the value so far and the record, or a FoldFunction.
            output_type: The type of the results.
        """
        call = "fold(...)"
        return self._apply_keyed("Fold", RollingFold(folded(call, initial, function)), declared(call, output_type))


class WindowFolding:
    """``fold`` of the records of a window."""

    _call: ClassVar[str]
    _window_assigner: WindowAssigner[Any, Any]
    _window_function: Callable[[str, Any], Any]
    _result: Callable[..., DataStream]

    def fold(
        self,
        initial: Any,
        function: Callable[[Any, Any], Any] | FoldFunction,
        window_function: Any = None,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Folds the records of a window as they come.

        Args:
            initial: What each window starts with; each gets a copy of its own.
            function: A callable of the value so far and the record, or a FoldFunction.
            window_function: Makes results of the one value when the window fires; else it is handed on as it is.
            output_type: The type of the results.
        """
        call = f"{self._call}.fold(...)"
        if isinstance(self._window_assigner, MergingWindowAssigner):
            raise GraphError(
                f"{call}: {type(self._window_assigner).__name__} merges windows, and two folded values can't be made "
                "one; use aggregate(...) with an AggregateFunction, which can say how"
            )
        aggregate = folded(call, initial, function)
        firing = self._window_function(call, window_function)
        return self._result(declared(call, output_type), aggregate=aggregate, function=firing)
