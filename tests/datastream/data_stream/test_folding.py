from __future__ import annotations

import pytest

from flott.common import Duration, Types, WatermarkStrategy
from flott.datastream import FoldFunction, KeyedProcessFunction, ProcessWindowFunction, RuntimeExecutionMode
from flott.datastream.state import FoldingState, FoldingStateDescriptor, StateTtlConfig
from flott.datastream.window import (
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    TumblingEventTimeWindows,
)
from flott.errors import GraphError, JobExecutionError

ORDERS = [("ann", 3), ("bob", 5), ("ann", 4), ("bob", 1), ("ann", 2)]


def by_name(order):
    return order[0]


def collected(stream):
    with stream.execute_and_collect() as results:
        return list(results)


@pytest.fixture
def orders(env):
    return env.from_collection(ORDERS).key_by(by_name)


@pytest.fixture
def seconds(env):
    """Numbers, each at its own second."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda n, _: n * 1000)
    return env.from_collection([1, 2, 3, 11, 12]).assign_timestamps_and_watermarks(strategy)


def gather(gathered, order):
    gathered.append(order[1])  # In place, as people do.
    return gathered


class Chain(FoldFunction):
    def open(self, runtime_context):
        self.arrow = ">"

    def fold(self, accumulator, value):
        return f"{accumulator}{self.arrow}{value[1]}"


def test_each_record_gives_the_new_value_of_its_key(orders):
    assert sorted(collected(orders.fold([], gather))) == [[3], [3, 4], [3, 4, 2], [5], [5, 1]]


def test_a_fold_function_is_opened_and_the_result_has_its_type(orders):
    stream = orders.fold("start", Chain(), Types.STRING())
    assert stream.get_type() == Types.STRING()
    assert stream.get_name() == "Fold"
    assert set(collected(stream)) == {"start>3", "start>3>4", "start>3>4>2", "start>5", "start>5>1"}


def test_in_batch_mode_only_the_last_value_of_a_key_is_told(env, orders):
    stream = orders.fold("start", Chain())
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    assert sorted(collected(stream)) == ["start>3>4>2", "start>5>1"]
    env.set_runtime_mode(RuntimeExecutionMode.STREAMING)
    assert len(collected(orders.fold("start", Chain()))) == len(ORDERS)


def test_what_does_not_fit_is_refused(orders):
    with pytest.raises(GraphError, match=r"fold\(...\): .*FoldFunction object or a callable"):
        orders.fold(0, "plus")
    with pytest.raises(GraphError, match="fold"):
        orders.fold(0, lambda total: total)


def test_windows_fold_their_records(seconds):
    windows = seconds.key_by(lambda _: "all").window(TumblingEventTimeWindows.of(Duration.of_seconds(10)))
    assert collected(windows.fold([], lambda gathered, n: sorted([*gathered, n]))) == [[1, 2, 3], [11, 12]]


class WithStart(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, *elements


def test_a_window_function_gets_the_folded_value(seconds):
    windows = seconds.key_by(lambda _: "all").window(TumblingEventTimeWindows.of(Duration.of_seconds(10)))
    assert collected(windows.fold(100, lambda total, n: total + n, WithStart())) == [
        ("all", 0, 106),
        ("all", 10_000, 123),
    ]


def test_a_window_that_fires_again_does_not_change_what_it_told_before(env):
    numbers = env.from_collection([("a", 1), ("a", 2), ("a", 3)]).key_by(by_name)
    windows = numbers.window(GlobalWindows.create()).trigger(CountTrigger.of(1))
    assert collected(windows.fold([], gather)) == [[1], [1, 2], [1, 2, 3]]


def test_with_an_evictor_only_what_is_left_is_folded(env):
    numbers = env.from_collection([("a", 1), ("a", 2), ("a", 3)]).key_by(by_name)
    windows = numbers.window(GlobalWindows.create()).trigger(CountTrigger.of(1)).evictor(CountEvictor.of(2))
    assert collected(windows.fold([], gather)) == [[1], [1, 2], [2, 3]]


def test_windows_of_all_records_fold_too(env):
    assert sorted(collected(env.from_collection([1, 2, 3, 4]).count_window_all(2).fold(0, lambda a, b: a + b))) == [
        3,
        7,
    ]


def test_windows_that_merge_are_refused(seconds):
    windows = seconds.key_by(lambda _: 0).window(EventTimeSessionWindows.with_gap(Duration.of_seconds(1)))
    with pytest.raises(GraphError, match=r"EventTimeSessionWindows merges windows.*aggregate"):
        windows.fold(0, lambda a, b: a + b)


class Remember(KeyedProcessFunction):
    def __init__(self, ttl=None):
        self.ttl = ttl

    def open(self, runtime_context):
        descriptor = FoldingStateDescriptor("gathered", [], gather)
        if self.ttl is not None:
            descriptor.enable_time_to_live(StateTtlConfig.new_builder(self.ttl).build())
        self.gathered = runtime_context.get_folding_state(descriptor)
        assert isinstance(self.gathered, FoldingState)

    def process_element(self, value, ctx):
        first = self.gathered.get()
        self.gathered.add(value)
        yield value[0], first, self.gathered.get()
        if value == ("ann", 4):
            self.gathered.clear()


@pytest.mark.parametrize("ttl", [None, Duration.of_hours(1)])
def test_folding_state_starts_anew_for_each_key_and_after_clear(orders, ttl):
    results = collected(orders.process(Remember(ttl)))
    assert [result for result in results if result[0] == "ann"] == [
        ("ann", None, [3]),
        ("ann", [3], [3, 4]),
        ("ann", None, [2]),
    ]
    assert ("bob", [5], [5, 1]) in results


class InWindow(ProcessWindowFunction):
    def process(self, key, context, elements):
        total = context.window_state().get_folding_state(FoldingStateDescriptor("total", 10, lambda a, b: a + b))
        for element in elements:
            total.add(element)
        yield total.get()

    def clear(self, context):
        context.window_state().get_folding_state(FoldingStateDescriptor("total", 10, lambda a, b: a + b)).clear()


def test_folding_state_of_a_window(seconds):
    windows = seconds.key_by(lambda _: "all").window(TumblingEventTimeWindows.of(Duration.of_seconds(10)))
    assert collected(windows.process(InWindow())) == [16, 33]


def test_a_descriptor_takes_only_functions():
    assert FoldingStateDescriptor("a", 0, Chain()).get_fold_function().fold.__name__ == "fold"
    for wrong in ("plus", Chain):
        with pytest.raises(TypeError, match=r"state 'a': .*is no fold function"):
            FoldingStateDescriptor("a", 0, wrong)


def test_a_fold_that_fails_names_the_record(orders):
    with pytest.raises(JobExecutionError, match=r"'Fold'.*failed on record \('(ann', 3|bob', 5)\)"):
        collected(orders.fold(None, lambda total, order: total + order[1]))
