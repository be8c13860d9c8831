"""Programs with two inputs, broadcast state, operator state and asynchronous calls, on Spark."""

from __future__ import annotations

import asyncio

import pytest

from flott.common import Duration, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import (
    AsyncDataStream,
    AsyncFunction,
    CheckpointedFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    MapFunction,
)
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor

pytestmark = pytest.mark.spark


def collect(stream):
    with stream.execute_and_collect() as results:
        return list(results)


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(env, records):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
    return env.from_collection(records).assign_timestamps_and_watermarks(strategy)


def key(record):
    return record[0]


class DelayedJoin(KeyedCoProcessFunction):
    """Both sides only remember; a timer puts together what came until then."""

    def open(self, runtime_context):
        self.left = runtime_context.get_list_state(ListStateDescriptor("left", Types.LONG()))
        self.right = runtime_context.get_list_state(ListStateDescriptor("right", Types.LONG()))

    def process_element1(self, value, ctx):
        self.left.add(value[1])
        ctx.timer_service().register_event_time_timer(10_000)

    def process_element2(self, value, ctx):
        self.right.add(value[1])
        ctx.timer_service().register_event_time_timer(10_000)

    def on_timer(self, timestamp, ctx):
        for left in self.left:
            for right in self.right:
                yield ctx.get_current_key(), left, right


def test_a_delayed_join_of_two_keyed_streams(env):
    left = stamped(env, [(n % 7, n) for n in range(50)])
    right = stamped(env, [(n % 7, n) for n in range(20)])
    joined = left.connect(right).key_by(key, key).process(DelayedJoin())
    expected = [(a % 7, a, b) for a in range(50) for b in range(20) if a % 7 == b % 7]
    assert sorted(collect(joined)) == sorted(expected)


class Near(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[0], left[1], right[1]


def test_an_interval_join(env):
    left = stamped(env, [(n % 3, n) for n in range(60)])
    right = stamped(env, [(n % 3, n) for n in range(60)])
    near = left.key_by(key).interval_join(right.key_by(key)).between(Duration.of_millis(-3), Duration.of_millis(6))
    expected = [(a % 3, a, b) for a in range(60) for b in range(60) if a % 3 == b % 3 and -3 <= b - a <= 6]
    assert sorted(collect(near.process(Near()))) == sorted(expected)


RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class Limited(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting"))
        self.total = runtime_context.get_state(ValueStateDescriptor("total"))

    def process_element(self, value, ctx):
        self.waiting.add(value[1])
        ctx.timer_service().register_event_time_timer(10_000)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)

    def on_timer(self, timestamp, ctx):
        limit = ctx.get_broadcast_state(RULES).get("limit")
        yield ctx.get_current_key(), [number for number in self.waiting if number <= limit]


def test_broadcast_state_reaches_every_subtask(env):
    numbers = stamped(env, [(n % 5, n) for n in range(30)])
    rules = stamped(env, [("limit", 12)]).broadcast(RULES)
    limited = numbers.key_by(key).connect(rules).process(Limited())
    assert {k: sorted(found) for k, found in collect(limited)} == {
        k: [n for n in range(13) if n % 5 == k] for k in range(5)
    }


class Slow(AsyncFunction):
    async def open(self, runtime_context):
        self.loop = asyncio.get_running_loop()

    async def async_invoke(self, value):
        for _ in range(value % 7):
            await asyncio.sleep(0)
        return [value * 2]


class Numbered(MapFunction, CheckpointedFunction):
    def __init__(self):
        self.count = 0

    def initialize_state(self, context):
        self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("count"))
        self.count = sum(self.state.get())

    def snapshot_state(self, context):
        self.state.update([self.count])

    def map(self, value):
        self.count += 1
        return self.count, value


def test_asynchronous_calls_and_operator_state_over_epochs(make_env):
    env = make_env().set_parallelism(1)
    doubled = AsyncDataStream.ordered_wait(env.from_collection(list(range(200))), Slow(), Duration.of_seconds(30), 20)
    assert collect(doubled.map(Numbered())) == [(n + 1, 2 * n) for n in range(200)]


def test_what_feeds_back_goes_round_until_it_leaves(env):
    rounds = env.set_parallelism(2).from_sequence(1, 30).map(lambda n: n).iterate()
    less = rounds.map(lambda n: n - 4)
    rounds.close_with(less.filter(lambda n: n > 3))
    assert sorted(collect(less.filter(lambda n: n <= 3))) == sorted([-3, -2, -1] + [0, 1, 2] * 7 + [3] * 6)
