"""A time to live holds for the states of windows and triggers as for those of keys."""

from __future__ import annotations

import pytest

from flott.common import Types
from flott.common.time import Time
from flott.datastream import ProcessWindowFunction
from flott.datastream.functions import AggregateFunction
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from flott.datastream.window import (
    CountTrigger,
    EventTimeSessionWindows,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
)
from flott.runtime.windowing.spec import WindowSpec
from flott.testing.harness import KeyedOneInputOperatorHarness


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b


MADE = {
    "value": lambda: ValueStateDescriptor("s", Types.LONG()),
    "list": lambda: ListStateDescriptor("s", Types.LONG()),
    "map": lambda: MapStateDescriptor("s", Types.STRING(), Types.LONG()),
    "reducing": lambda: ReducingStateDescriptor("s", lambda a, b: a + b, Types.LONG()),
    "aggregating": lambda: AggregatingStateDescriptor("s", Sum(), Types.LONG()),
}
GET = {kind: f"get_{kind}_state" for kind in MADE} | {"value": "get_state"}


def expiring(kind):
    descriptor = MADE[kind]()
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.milliseconds(10)).build())
    return descriptor


def used(state, kind):
    """Return what the state holds, as a list, and write into it."""
    if kind == "value":
        found = [] if state.value() is None else [state.value()]
        state.update(1)
    elif kind == "map":
        found = list(state.values())
        state.put("x", 1)
    else:
        found = state.get()
        found = [] if found is None else list(found) if kind == "list" else [found]
        state.add(1)
    return found


class Uses(ProcessWindowFunction):
    def __init__(self, kind):
        self.kind = kind

    def process(self, key, context, elements):
        for store in (context.window_state(), context.global_state()):
            yield used(getattr(store, GET[self.kind])(expiring(self.kind)), self.kind)

    def clear(self, context):
        pass


@pytest.mark.parametrize("new_worker", [False, True])
@pytest.mark.parametrize("kind", MADE)
def test_state_of_a_window_expires(kind, new_worker):
    spec = WindowSpec(TumblingEventTimeWindows.of(Time.seconds(1)), CountTrigger.of(1), function=Uses(kind))
    with KeyedOneInputOperatorHarness(spec.operator(lambda value: value)) as harness:
        for now in (0, 5, 1_000):
            harness.set_processing_time(now)
            harness.process_element("a", 1)
            harness.end_epoch(new_worker=new_worker)
        found = [bool(held) for held in harness.extract_output_values()]
    assert found == [False, False, True, True, False, False]


class Remembers(Trigger):
    """Fires while it remembers an element of not long ago."""

    def __init__(self, kind):
        self.kind = kind

    def on_element(self, element, timestamp, window, ctx):
        held = used(ctx.get_partitioned_state(expiring(self.kind)), self.kind)
        return TriggerResult.FIRE if held else TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def can_merge(self):
        return True

    def on_merge(self, window, ctx):
        ctx.merge_partitioned_state(expiring(self.kind))

    def clear(self, window, ctx):
        ctx.get_partitioned_state(expiring(self.kind)).clear()


class Fired(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield len(list(elements))

    def clear(self, context):
        pass


@pytest.mark.parametrize("kind", MADE)
def test_state_of_a_trigger_expires(kind):
    spec = WindowSpec(TumblingEventTimeWindows.of(Time.seconds(1)), Remembers(kind), function=Fired())
    with KeyedOneInputOperatorHarness(spec.operator(lambda value: value)) as harness:
        for now in (0, 5, 1_000):
            harness.set_processing_time(now)
            harness.process_element("a", 1)
        assert harness.extract_output_values() == [2]


@pytest.mark.parametrize("kind", ["list", "reducing", "aggregating"])
@pytest.mark.parametrize(("now", "fired"), [(5, [2]), (1_000, [])])
def test_state_of_a_trigger_is_merged_as_far_as_it_lives(kind, now, fired):
    spec = WindowSpec(EventTimeSessionWindows.with_gap(Time.milliseconds(10)), Remembers(kind), function=Fired())
    with KeyedOneInputOperatorHarness(spec.operator(lambda value: value)) as harness:
        harness.process_element("a", 1)
        harness.set_processing_time(now)
        harness.process_element("a", 8)
        assert harness.extract_output_values() == fired
