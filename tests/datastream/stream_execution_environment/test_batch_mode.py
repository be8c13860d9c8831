"""Programs in batch mode: one key after the other, time that stands still until its end, nothing late."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Configuration, Types, WatermarkStrategy
from flott.connectors import index_range
from flott.datastream import (
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    OutputTag,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
)
from flott.datastream.aggregates import Count
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import ListStateDescriptor, ValueStateDescriptor
from flott.datastream.stream_execution_environment.batch_mode import in_mode
from flott.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows
from flott.errors import JobExecutionError
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.operators.key_by_key import KeyByKey
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.testing.harness import KeyedOneInputOperatorHarness

pytestmark = pytest.mark.job

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
BY_TIME = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda pair, _: pair[1])
SOME = [("b", 30), ("a", 7), ("b", 1), ("a", 2), ("c", 9), ("a", 31)]
OTHERS = [("a", 5), ("c", 1), ("b", 12)]


def environment(parallelism=1, mode=RuntimeExecutionMode.BATCH):
    env = StreamExecutionEnvironment.get_execution_environment(
        Configuration().set_string("flott.execution.target", "in-process")
    )
    return env.set_parallelism(parallelism).set_runtime_mode(mode)


def pairs(env, some=SOME):
    return env.from_collection(some, PAIR).assign_timestamps_and_watermarks(BY_TIME)


def first(pair):
    return pair[0]


def collect(stream):
    with stream.execute_and_collect() as results:
        return list(results)


class Counting(KeyedProcessFunction):
    """Tells what it sees, and what it still knows of the key."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        self.all.add(value[1])
        ctx.timer_service().register_event_time_timer(value[1] + 5)
        yield (*value, self.count.value(), ctx.timer_service().current_watermark())

    def on_timer(self, timestamp, ctx):
        yield (ctx.get_current_key(), timestamp, list(self.all.get()), ctx.timer_service().current_watermark())


def test_each_key_has_its_records_in_order_and_then_its_timers():
    by_key = {}
    for result in collect(pairs(environment()).key_by(first).process(Counting())):
        by_key.setdefault(result[0], []).append(result)
    assert by_key["a"] == [
        ("a", 2, 1, MIN_TIMESTAMP),
        ("a", 7, 2, MIN_TIMESTAMP),
        ("a", 31, 3, MIN_TIMESTAMP),
        ("a", 7, [2, 7, 31], MAX_WATERMARK),
        ("a", 12, [2, 7, 31], MAX_WATERMARK),
        ("a", 36, [2, 7, 31], MAX_WATERMARK),
    ]
    assert by_key["c"] == [("c", 9, 1, MIN_TIMESTAMP), ("c", 14, [9], MAX_WATERMARK)]


def test_keys_come_one_after_the_other():
    keys = [result[0] for result in collect(pairs(environment()).key_by(first).process(Counting()))]
    changes = 1 + sum(one != other for one, other in pairwise(keys))
    assert changes == len(set(keys)) == 3


class Both(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", Types.LONG()))

    def process_element1(self, value, ctx):
        self.seen.add(value[1])
        ctx.timer_service().register_event_time_timer(100)

    def process_element2(self, value, ctx):
        self.seen.add(-value[1])

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), *self.seen.get()


def test_two_inputs_are_merged_by_time_within_each_key():
    env = environment()
    both = pairs(env).key_by(first).connect(pairs(env, OTHERS).key_by(first)).process(Both())
    assert sorted(collect(both)) == [("a", 2, -5, 7, 31), ("b", 1, -12, 30), ("c", -1, 9)]


@pytest.mark.parametrize(
    ("assigner", "expected"),
    [
        (TumblingEventTimeWindows.of(10), [("a", 9), ("a", 31), ("b", 1), ("b", 30), ("c", 9)]),
        (SlidingEventTimeWindows.of(10, 5), [("a", n) for n in (2, 9, 7, 31, 31)]),
        (EventTimeSessionWindows.with_gap(25), [("a", 40), ("b", 1), ("b", 30), ("c", 9)]),
    ],
)
def test_nothing_is_late_for_windows(assigner, expected):
    windows = pairs(environment()).key_by(first).window(assigner).side_output_late_data(OutputTag("late"))
    sums = collect(windows.reduce(lambda one, other: (one[0], one[1] + other[1])))
    assert sorted(set(expected)) == sorted({one for one in sums if one[0] in {key for key, _ in expected}})


def test_in_columns_nothing_is_late_either():
    orders = Types.ROW_NAMED(["user", "time"], [Types.STRING(), Types.LONG()])
    env = environment()
    timed = env.from_collection(SOME, orders).assign_timestamps_and_watermarks(BY_TIME)
    counts = collect(timed.key_by("user").window(TumblingEventTimeWindows.of(10)).aggregate([Count()]))
    assert sum(row[3] for row in counts) == len(SOME)


class Join(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[0], left[1], right[1]


def test_an_interval_join():
    env = environment()
    joined = pairs(env).key_by(first).interval_join(pairs(env, OTHERS).key_by(first)).between(-10, 10).process(Join())
    assert sorted(collect(joined)) == [("a", 2, 5), ("a", 7, 5), ("c", 9, 1)]


class Clock(KeyedProcessFunction):
    """Has timers by the time of day, which start the next."""

    def process_element(self, value, ctx):
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 3_600_000)

    def on_timer(self, timestamp, ctx):
        ctx.timer_service().register_processing_time_timer(timestamp + 3_600_000)
        yield ctx.get_current_key()


def test_timers_by_the_time_of_day_do_not_wait():
    told = Counter(collect(pairs(environment(2)).key_by(first).process(Clock())))
    assert set(told) == {"a", "b", "c"}


class Unhashable(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


def test_a_key_that_can_not_be_hashed_names_the_record():
    with pytest.raises(JobExecutionError, match=r"key of record .* of type dict, which has no canonical form"):
        collect(pairs(environment()).key_by(lambda pair: {"key": pair[0]}).process(Unhashable()))


def test_the_mode_may_change_before_the_next_run():
    env = environment()
    stream = pairs(env).key_by(first).process(Counting())
    operators = []
    for mode in (RuntimeExecutionMode.BATCH, RuntimeExecutionMode.STREAMING, RuntimeExecutionMode.AUTOMATIC):
        env.set_runtime_mode(mode)
        assert len(collect(stream)) == 12
        (step,) = in_mode([stream.get_transformation()], mode)
        operators.append(type(step.operator))
        assert type(stream.get_transformation().operator) is KeyedProcess, "the program stays as it was built"
    assert operators == [KeyByKey, KeyedProcess, KeyByKey]


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 50)), min_size=1, max_size=25),
    st.integers(1, 3),
    st.integers(1, 9),
)
def test_whatever_the_epochs_and_subtasks(some, parallelism, per_epoch):
    results = []
    for mode in (RuntimeExecutionMode.BATCH, RuntimeExecutionMode.STREAMING):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index_range, "RECORDS_PER_SUBTASK", per_epoch)
            env = environment(parallelism, mode)
            source = DataGeneratorSource(lambda index: some[index], len(some))
            stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "some")
            totals = stream.key_by(first).process(Summing()).key_by(lambda total: total[0] % 3).process(Summing())
            results.append(sorted(collect(totals)))
    # Without timestamps time stands still until the end in either mode.
    assert results[0] == results[1]


class Summing(KeyedProcessFunction):
    """Tells the sum of a key once, at the end of time."""

    def open(self, runtime_context):
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value, ctx):
        self.total.update((self.total.value() or 0) + value[1])
        ctx.timer_service().register_event_time_timer(MAX_WATERMARK - 1)

    def on_timer(self, timestamp, ctx):
        yield len(str(ctx.get_current_key())), self.total.value()


def test_input_waits_in_the_store_and_nothing_is_left_there():
    operator = KeyByKey(KeyedProcess(Counting(), first), (first,))
    with KeyedOneInputOperatorHarness(operator) as harness:
        for epoch in range(5):
            harness.process_batch([(f"key-{number}", epoch) for number in range(40)], [epoch] * 40)
            harness.process_watermark(epoch)
            assert harness.extract_output_records() == []
            harness.end_epoch(new_worker=True)
            assert harness.num_state_entries() > 0
        harness.process_watermark(MAX_WATERMARK)
        assert len(harness.extract_output_records()) == 40 * 5 * 2
        harness.end_epoch(new_worker=True)
        assert harness.num_state_entries() == 0
