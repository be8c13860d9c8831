"""Windows as the program describes them; what they do is tested with the runtime and in test_programs."""

from __future__ import annotations

import threading

import pytest

from flott.common import Duration, Time, Types
from flott.datastream import (
    AggregateFunction,
    AllWindowFunction,
    OutputTag,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from flott.datastream.window import (
    CountEvictor,
    CountSlidingWindowAssigner,
    CountTrigger,
    CountTumblingWindowAssigner,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    TumblingEventTimeWindows,
)
from flott.errors import GraphError

TEN_SECONDS = TumblingEventTimeWindows.of(Duration.of_seconds(10))


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Apply(WindowFunction):
    def apply(self, key, window, inputs):
        yield from inputs


class Process(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield from elements


class ApplyAll(AllWindowFunction):
    def apply(self, window, inputs):
        yield from inputs


class ProcessAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield from elements


@pytest.fixture
def windowed(env):
    return env.from_sequence(1, 9).key_by(lambda number: number % 2).window(TEN_SECONDS)


@pytest.fixture
def windowed_all(env):
    return env.from_sequence(1, 9).window_all(TEN_SECONDS)


def spec_of(stream):
    return stream.get_transformation().operator.spec


def test_the_assigner_brings_its_trigger(windowed):
    spec = spec_of(windowed.reduce(max))
    assert spec.assigner is TEN_SECONDS
    assert isinstance(spec.trigger, EventTimeTrigger)
    assert spec.evictor is None
    assert (spec.allowed_lateness, spec.late_tag, spec.over_all) == (0, None, False)


def test_everything_can_be_set(windowed):
    trigger, evictor, late = CountTrigger.of(3), CountEvictor.of(2), OutputTag("late")
    assert windowed.trigger(trigger) is windowed
    stream = windowed.evictor(evictor).allowed_lateness(5000).side_output_late_data(late).process(Process())
    spec = spec_of(stream)
    assert (spec.trigger, spec.evictor, spec.allowed_lateness, spec.late_tag) == (trigger, evictor, 5000, late)
    assert stream.get_side_output(late).get_type() == Types.PICKLED_BYTE_ARRAY()


def test_lateness_may_be_any_length_of_time(windowed):
    assert spec_of(windowed.allowed_lateness(Time.seconds(2)).reduce(max)).allowed_lateness == 2000


def test_the_operator_is_named_and_described(windowed):
    step = windowed.aggregate(Count()).get_transformation()
    assert step.name == "TumblingEventTimeWindows"
    assert "EventTimeTrigger, Count" in step.description


def test_functions_and_types(windowed):
    assert spec_of(windowed.reduce(max)).reduce.reduce(1, 2) == 2
    assert windowed.reduce(max).get_type() == Types.LONG()
    assert windowed.reduce(max, Apply(), Types.STRING()).get_type() == Types.STRING()
    assert isinstance(spec_of(windowed.reduce(max, Process())).function, Process)
    assert isinstance(spec_of(windowed.aggregate(Count(), Apply(), Types.LONG(), Types.INT())).function, Apply)
    assert windowed.aggregate(Count(), output_type=Types.INT()).get_type() == Types.INT()
    assert isinstance(spec_of(windowed.apply(Apply())).function, Apply)
    assert windowed.process(Process(), Types.INT()).get_type() == Types.INT()
    assert windowed.get_input_type() == Types.LONG()


@pytest.mark.parametrize("call", ["sum", "min", "max", "min_by", "max_by"])
def test_built_in_aggregates_keep_the_type(windowed, call):
    stream = getattr(windowed, call)()
    assert stream.get_type() == Types.LONG()
    assert spec_of(stream).reduce.reduce(1, 2) in {1, 2, 3}


def test_windows_of_all_records_run_as_one_subtask(windowed_all):
    for stream in (
        windowed_all.reduce(max),
        windowed_all.reduce(max, ApplyAll()),
        windowed_all.aggregate(Count(), ProcessAll()),
        windowed_all.apply(ApplyAll()),
        windowed_all.process(ProcessAll()),
        windowed_all.sum(),
    ):
        assert stream.get_parallelism() == 1
        assert spec_of(stream).over_all


def test_count_windows(env):
    numbers = env.from_sequence(1, 9)
    assert isinstance(spec_of(numbers.key_by(str).count_window(3).sum()).assigner, CountTumblingWindowAssigner)
    assert isinstance(spec_of(numbers.key_by(str).count_window(3, 2).sum()).assigner, CountSlidingWindowAssigner)
    assert isinstance(spec_of(numbers.count_window_all(3).sum()).assigner, CountTumblingWindowAssigner)
    for call in (numbers.key_by(str).count_window, numbers.count_window_all):
        with pytest.raises(GraphError, match=r"\(0, 0\): windows have 1 record or more"):
            call(0)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda w: w.trigger(3), "is no Trigger"),
        (lambda w: w.evictor(3), "is no Evictor"),
        (lambda w: w.allowed_lateness(-1), "0 ms or more"),
        (lambda w: w.side_output_late_data("late"), "give the OutputTag"),
        (lambda w: w.reduce(abs), r"window\(...\).reduce\(...\): abs takes"),
        (lambda w: w.reduce(max, max), "here goes a WindowFunction object"),
        (lambda w: w.aggregate(max), "here goes an AggregateFunction object"),
        (lambda w: w.aggregate(Count(), accumulator_type=Types.INT), "with parentheses"),
        (lambda w: w.apply(Process()), r"a ProcessWindowFunction, which belongs in window\(...\).process\(...\)"),
        (lambda w: w.process(ApplyAll()), r"an AllWindowFunction, which belongs in window_all\(...\).apply\(...\)"),
        (lambda w: w.sum(None), "a field is a position or a name"),
    ],
)
def test_wrong_use_fails_while_the_graph_is_built(windowed, build, message):
    with pytest.raises(GraphError, match=message):
        build(windowed)


@pytest.mark.parametrize("assigner", [10, TumblingEventTimeWindows, None])
def test_only_assigners_make_windows(env, assigner):
    with pytest.raises(GraphError, match="says no windows; give a WindowAssigner"):
        env.from_sequence(1, 9).window_all(assigner)


def test_windows_that_merge_need_a_trigger_that_does(env):
    sessions = env.from_sequence(1, 9).window_all(EventTimeSessionWindows.with_gap(Duration.of_seconds(1)))
    with pytest.raises(GraphError, match="can't be used with"):
        sessions.trigger(NeverTrigger()).reduce(max)


def test_a_trigger_that_can_not_travel_is_refused(env):
    class Locked(CountTrigger):
        def __init__(self):
            super().__init__(3)
            self.lock = threading.Lock()

    with pytest.raises(GraphError, match=r"window_all\(...\).*holds a lock: attribute 'lock' of .*Locked"):
        env.from_sequence(1, 9).window_all(GlobalWindows.create()).trigger(Locked()).sum()
