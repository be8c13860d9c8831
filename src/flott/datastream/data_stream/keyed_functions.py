"""Functions of one record, and reductions, as keyed process functions: so that they may use keyed state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream.functions import Function, KeyedProcessFunction
from flott.datastream.state import ValueStateDescriptor
from flott.runtime.batch import MAX_WATERMARK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.datastream.functions import (
        FilterFunction,
        FlatMapFunction,
        MapFunction,
        ReduceFunction,
        RuntimeContext,
    )

__all__ = ["Delegate", "FinalReduce", "KeyedFilter", "KeyedFlatMap", "KeyedMap", "may_use_state"]


def may_use_state(function: Any) -> bool:
    """Say whether a function could have state: handles come from ``open``, so it needs one of its own."""
    return type(function).open is not Function.open


class Delegate(KeyedProcessFunction):
    """Opens and closes the function inside."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        self.function.open(runtime_context)

    def close(self) -> None:
        self.function.close()


class KeyedMap(Delegate):
    """A MapFunction, called with its record's key set."""

    function: MapFunction

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        return (self.function.map(value),)


class KeyedFlatMap(Delegate):
    """A FlatMapFunction, called with its record's key set."""

    function: FlatMapFunction

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any] | None:
        return self.function.flat_map(value)


class KeyedFilter(Delegate):
    """A FilterFunction, called with its record's key set."""

    function: FilterFunction

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        return (value,) if self.function.filter(value) else ()


class FinalReduce(Delegate):
    """A ReduceFunction that tells only its last value, at the end of the input: what batch jobs want."""

    function: ReduceFunction

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.reduced = runtime_context.get_state(ValueStateDescriptor("_reduce_state"))

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        before = self.reduced.value()
        if before is None:
            ctx.timer_service().register_event_time_timer(MAX_WATERMARK)
        self.reduced.update(value if before is None else self.function.reduce(before, value))
        return ()

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterable[Any]:
        yield self.reduced.value()
