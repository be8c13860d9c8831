"""The engine's classes count as the API's, so that isinstance and annotations hold."""

from __future__ import annotations

import pytest

from flott.datastream import functions, state
from flott.runtime import timers
from flott.runtime.context import RuntimeContext
from flott.runtime.operators.process import ProcessContext, TimeOnlyService
from flott.runtime.operators.timed import KeyedContext
from flott.runtime.state import lists, maps, values


@pytest.mark.parametrize(
    ("engine", "api"),
    [
        (ProcessContext, functions.ProcessFunction.Context),
        (KeyedContext, functions.KeyedProcessFunction.Context),
        (KeyedContext, functions.KeyedProcessFunction.OnTimerContext),
        (timers.TimerService, functions.TimerService),
        (TimeOnlyService, functions.TimerService),
        (RuntimeContext, functions.KeyedStateStore),
        (values.ValueState, state.ValueState),
        (values.ReducingState, state.ReducingState),
        (values.AggregatingState, state.AggregatingState),
        (lists.ListState, state.ListState),
        (maps.MapState, state.MapState),
    ],
)
def test_the_engines_class_has_all_methods_and_counts_as_the_apis(engine, api):
    assert issubclass(engine, api)
    assert [name for name in api.__abstractmethods__ if not hasattr(engine, name)] == []


@pytest.mark.parametrize("name", [name for name in functions.__all__ if name.endswith("Function")])
def test_a_function_class_asks_for_its_methods(name):
    base = getattr(functions, name)
    if name in {"Function", "BaseBroadcastProcessFunction"}:
        assert not base.__abstractmethods__
    elif name.startswith("PassThrough"):
        base()
    else:
        with pytest.raises(TypeError):
            base()


def test_a_timeout_of_an_asynchronous_call_is_an_error_unless_the_user_says_otherwise():
    class Lookup(functions.AsyncFunction):
        async def async_invoke(self, value):
            return [value]

    with pytest.raises(TimeoutError, match="'key'"):
        Lookup().timeout("key")


def test_passing_through_hands_on_what_the_window_holds():
    assert functions.PassThroughWindowFunction().apply("key", None, [1, 2]) == [1, 2]
    assert functions.PassThroughAllWindowFunction().apply(None, [1, 2]) == [1, 2]
