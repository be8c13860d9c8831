"""What a function changes in place without writing it back is kept, whatever the epochs and the workers."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Duration, Row, Types
from flott.datastream import AggregateFunction, KeyedProcessFunction, ProcessWindowFunction
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from flott.datastream.window import CountTrigger, TumblingEventTimeWindows
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.state.changed_in_place import may_change
from flott.runtime.windowing.spec import WindowSpec
from flott.testing.harness import KeyedOneInputOperatorHarness


@dataclass
class Profile:
    seen: list = field(default_factory=list)


def grow_dict(value, n):
    value[n] = [n]


def grow_list(value, n):
    value.append(n)


def grow_inside(value, n):
    value[1].append(n)


def grow_row(value, n):
    value["seen"] = [*value["seen"], n]


def grow_object(value, n):
    value.seen.append(n)


VALUES = {
    "dict": (dict, grow_dict),
    "list": (list, grow_list),
    "list in a tuple": (lambda: ("a", []), grow_inside),
    "row": (lambda: Row(seen=[]), grow_row),
    "object": (Profile, grow_object),
}


class Gather(AggregateFunction):
    def __init__(self, make):
        self.make = make

    def create_accumulator(self):
        return self.make()

    def add(self, value, accumulator):
        return accumulator

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a


class Changes(KeyedProcessFunction):
    """Writes a value once, and from then on only changes what it gets; what was written then shows what it saw."""

    def __init__(self, kind, value, *, expires):
        self.kind, self.expires = kind, expires
        self.make, self.grow = VALUES[value]

    def open(self, runtime_context):
        pickled = Types.PICKLED_BYTE_ARRAY()
        get, descriptor = {
            "value": (runtime_context.get_state, ValueStateDescriptor("s", pickled)),
            "list": (runtime_context.get_list_state, ListStateDescriptor("s", pickled)),
            "map": (runtime_context.get_map_state, MapStateDescriptor("s", None, pickled)),
            "map values": (runtime_context.get_map_state, MapStateDescriptor("s", None, pickled)),
            "reducing": (runtime_context.get_reducing_state, ReducingStateDescriptor("s", lambda a, b: a, pickled)),
            "aggregating": (
                runtime_context.get_aggregating_state,
                AggregatingStateDescriptor("s", Gather(self.make), pickled),
            ),
        }[self.kind]
        if self.expires:
            descriptor.enable_time_to_live(StateTtlConfig.new_builder(Duration.of_hours(1)).build())
        self.state = get(descriptor)

    def found(self):
        state, kind = self.state, self.kind
        if kind == "value":
            return state.value()
        if kind == "list":
            return next(iter(state.get()), None)
        if kind == "map":
            return state.get("k")
        if kind == "map values":
            return next(iter(state.values()), None)
        return state.get()

    def write(self, value):
        if self.kind == "value":
            self.state.update(value)
        elif self.kind.startswith("map"):
            self.state.put("k", value)
        else:
            self.state.add(value)

    def process_element(self, value, ctx):
        if self.found() is None:
            self.write(self.make())
        self.grow(self.found(), value[1])
        yield copy.deepcopy(self.found())


KINDS = ["value", "list", "map", "map values", "reducing", "aggregating"]


def run(function, ends):
    """Work on six records of two keys; after each one, go on, end the epoch, or end it and go to another worker."""
    with KeyedOneInputOperatorHarness(KeyedProcess(function, lambda value: value[0])) as harness:
        for number, end in enumerate(ends):
            harness.process_element(("ab"[number % 2], number), number)
            if end:
                harness.end_epoch(new_worker=end == 2)
        return list(map(repr, harness.extract_output_values()))


@pytest.mark.parametrize("expires", [False, True])
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("kind", KINDS)
def test_changes_are_kept_however_epochs_are_cut(kind, value, expires):
    wanted = run(Changes(kind, value, expires=expires), [0] * 6)
    make, grow = VALUES[value]
    both = make(), make()
    for number, line in enumerate(wanted):
        grow(both[number % 2], number)
        assert line == repr(both[number % 2])
    for ends in ([1] * 6, [2] * 6, [0, 0, 1, 0, 2, 0], [2, 1, 2, 1, 2, 1]):
        assert run(Changes(kind, value, expires=expires), ends) == wanted


@given(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.sampled_from(KINDS), st.sampled_from(sorted(VALUES)))
def test_changes_are_kept_wherever_epochs_are_cut(ends, kind, value):
    assert run(Changes(kind, value, expires=False), ends) == run(Changes(kind, value, expires=False), [0] * 6)


class Firings(ProcessWindowFunction):
    def process(self, key, context, elements):
        for store in (context.window_state(), context.global_state()):
            state = store.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))
            if state.value() is None:
                state.update([])
            state.value().append(len(list(elements)))
            yield list(state.value())

    def clear(self, context):
        pass


@pytest.mark.parametrize("new_worker", [False, True])
def test_state_of_windows_is_kept_too(new_worker):
    windows = TumblingEventTimeWindows.of(Duration.of_millis(100))
    spec = WindowSpec(windows, CountTrigger.of(1), function=Firings())
    with KeyedOneInputOperatorHarness(spec.operator(lambda value: "k")) as harness:
        for number in range(3):
            harness.process_element(number, number * 10)
            harness.end_epoch(new_worker=new_worker)
        assert harness.extract_output_values() == [[1], [1], [1, 2], [1, 2], [1, 2, 3], [1, 2, 3]]


class Reads(KeyedProcessFunction):
    def open(self, runtime_context):
        self.state = runtime_context.get_state(ValueStateDescriptor("s", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        if self.state.value() is None:
            self.state.update({"n": [1]})


def test_what_was_only_read_is_not_written_again():
    with KeyedOneInputOperatorHarness(KeyedProcess(Reads(), lambda value: value)) as harness:
        for new_worker in (False, True, False):
            harness.process_element("a", 1)
            harness.end_epoch(new_worker=new_worker)
        harness.process_element("a", 1)
        state = harness.operator.function.state
        state._keep_changed()
        assert state._written == {}


@pytest.mark.parametrize(
    ("value", "may"),
    [(1, False), ("a", False), (None, False), ((1, ("a", 2.5)), False), ((1, [2]), True), ([], True), (Row(1), True)],
)
def test_what_may_change(value, may):
    assert may_change(value) == may
