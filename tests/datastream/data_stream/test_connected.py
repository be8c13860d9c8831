from __future__ import annotations

import pytest

from flott.common import Row, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import (
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedCoProcessFunction,
    OutputTag,
)
from flott.datastream.state import ListStateDescriptor, ValueStateDescriptor
from flott.errors import GraphError

SIDE = OutputTag("side", Types.STRING())


def run(stream):
    with stream.execute_and_collect() as results:
        return list(results)


class Maps(CoMapFunction):
    def map1(self, value):
        return value + 1

    def map2(self, value):
        return value.upper() if value else None


def test_map_takes_records_of_both(env):
    numbers, letters = env.from_collection([1, 2, 3]), env.from_collection(["a", "", "b"])
    mapped = numbers.connect(letters).map(Maps())
    assert mapped.get_name() == "Co-Map"
    assert sorted(run(mapped), key=str) == [2, 3, 4, "A", "B"]


def test_results_have_the_declared_shape(env):
    class Rows(CoMapFunction):
        def map1(self, value):
            return value, "one"

        def map2(self, value):
            return [value, "two"]

    types = Types.ROW_NAMED(["n", "from"], [Types.INT(), Types.STRING()])
    rows = env.from_collection([1]).connect(env.from_collection([2])).map(Rows(), output_type=types)
    assert sorted(run(rows), key=lambda row: row.n) == [Row(n=1, **{"from": "one"}), Row(n=2, **{"from": "two"})]


class Names(CoFlatMapFunction):
    """Remembers the name of an id, which comes from the second stream."""

    def open(self, runtime_context):
        self.name = runtime_context.get_state(ValueStateDescriptor("name", Types.STRING()))
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", Types.INT()))

    def flat_map1(self, value):
        name = self.name.value()
        if name is None:
            self.waiting.add(value[1])
        else:
            yield name, value[1]

    def flat_map2(self, value):
        self.name.update(value["name"])
        for amount in self.waiting:
            yield value["name"], amount
        self.waiting.clear()


def test_a_keyed_flat_map_has_state_of_the_key_both_sides_share(env):
    orders = env.from_collection([(1, 10), (2, 20), (1, 30)])
    users = env.from_collection([{"id": 1, "name": "ann"}, {"id": 2, "name": "bob"}])
    named = orders.connect(users).key_by(lambda order: order[0], lambda user: user["id"]).flat_map(Names())
    assert sorted(run(named)) == [("ann", 10), ("ann", 30), ("bob", 20)]


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Late(KeyedCoProcessFunction):
    """Joins what came by a moment of event time."""

    def open(self, runtime_context):
        self.left = runtime_context.get_list_state(ListStateDescriptor("left"))
        self.right = runtime_context.get_list_state(ListStateDescriptor("right"))

    def process_element1(self, value, ctx):
        self.left.add(value[1])
        ctx.timer_service().register_event_time_timer(100)

    def process_element2(self, value, ctx):
        self.right.add(value[1])
        yield SIDE, f"{ctx.get_current_key()} at {ctx.timestamp()}"
        ctx.timer_service().register_event_time_timer(100)

    def on_timer(self, timestamp, ctx):
        for left in self.left:
            for right in self.right:
                yield ctx.get_current_key(), left, right


def test_a_keyed_co_process_function_has_timers_and_side_outputs(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
    left = env.from_collection([("a", 1), ("b", 2), ("a", 3)]).assign_timestamps_and_watermarks(strategy)
    right = env.from_collection([("b", 4), ("a", 5)]).assign_timestamps_and_watermarks(strategy)
    joined = left.connect(right).key_by(lambda r: r[0], lambda r: r[0], Types.STRING()).process(Late())
    side = joined.get_side_output(SIDE)
    both = joined.map(str).union(side.map(str))
    assert sorted(run(both)) == ["('a', 1, 5)", "('a', 3, 5)", "('b', 2, 4)", "a at 5", "b at 4"]


class Plain(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield "left", value

    def process_element2(self, value, ctx):
        yield "right", value


def test_streams_that_are_not_both_keyed_share_nothing(env):
    left, right = env.from_collection([1, 2]), env.from_collection([3])
    connected = left.key_by(lambda n: n).connect(right)
    assert sorted(run(connected.process(Plain()))) == [("left", 1), ("left", 2), ("right", 3)]
    with pytest.raises(GraphError, match=r"Late is a KeyedCoProcessFunction, which belongs in connect.*key_by"):
        connected.process(Late())
    with pytest.raises(GraphError, match=r"belongs in connect.* that are not keyed"):
        connected.key_by(lambda n: n, lambda n: n).process(Plain())


def test_keys_of_different_types_never_meet(env):
    left = env.from_collection([1]).key_by(lambda n: n, Types.INT())
    right = env.from_collection(["1"]).key_by(lambda n: n, Types.STRING())
    with pytest.raises(GraphError, match="Integer and those of the second of type String"):
        left.connect(right)


def test_it_knows_its_inputs(env):
    left, right = env.from_collection([1], Types.INT()), env.from_collection(["a"], Types.STRING())
    connected = left.connect(right)
    assert (connected.get_first_input(), connected.get_second_input()) == (left, right)
    assert (connected.get_type1(), connected.get_type2()) == (Types.INT(), Types.STRING())
    assert connected.get_execution_environment() is env
