from __future__ import annotations

import pytest

from flott.common import Types
from flott.datastream import BroadcastProcessFunction, KeyedBroadcastProcessFunction
from flott.datastream.state import (
    BroadcastState,
    MapStateDescriptor,
    ReadOnlyBroadcastState,
    ValueStateDescriptor,
)
from flott.errors import GraphError, JobExecutionError

RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())
TOTAL = ValueStateDescriptor("total", Types.INT())


def run(stream):
    with stream.execute_and_collect() as results:
        return list(results)


class Seen(BroadcastProcessFunction):
    """Every subtask tells which rules reached it; the other side leaves records alone."""

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def process_element(self, value, ctx):
        assert isinstance(ctx, BroadcastProcessFunction.ReadOnlyContext)
        assert isinstance(ctx.get_broadcast_state(RULES), ReadOnlyBroadcastState)
        yield "record", value

    def process_broadcast_element(self, value, ctx):
        state = ctx.get_broadcast_state(RULES)
        assert isinstance(state, BroadcastState)
        state.put(*value)
        yield self.subtask, sorted(state.items())


def test_every_subtask_sees_every_broadcast_record(env):
    records = env.from_collection([1, 2])
    rules = env.from_collection([("a", 1), ("b", 2)]).broadcast(RULES)
    results = run(records.connect(rules).process(Seen()))
    assert sorted(result for result in results if result[0] == "record") == [("record", 1), ("record", 2)]
    assert sorted(result for result in results if result[0] != "record") == [
        (0, [("a", 1)]), (0, [("a", 1), ("b", 2)]), (1, [("a", 1)]), (1, [("a", 1), ("b", 2)]),
    ]  # fmt: skip


class Totals(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.total = runtime_context.get_state(TOTAL)

    def process_element(self, value, ctx):
        total = (self.total.value() or 0) + value[1]
        self.total.update(total)
        yield ctx.get_current_key(), total

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)
        ctx.apply_to_keyed_state(TOTAL, lambda key, state: state.clear())


def test_a_keyed_stream_next_to_a_broadcast_one(env):
    orders = env.from_collection([("a", 1), ("b", 2), ("a", 3)])
    rules = env.from_collection([("limit", 5)]).broadcast(RULES)
    totals = (
        orders.key_by(lambda order: order[0])
        .connect(rules)
        .process(Totals(), Types.TUPLE([Types.STRING(), Types.INT()]))
    )
    assert totals.get_name() == "Keyed-Co-Process-Broadcast"
    last = dict(run(totals))
    assert last["b"] == 2
    assert last["a"] in {3, 4}


class Writes(Totals):
    def process_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("limit", 1)


def test_writing_on_the_keyed_side_teaches(env):
    rules = env.from_collection([("limit", 5)]).broadcast(RULES)
    with pytest.raises(JobExecutionError, match="only read it in process_element"):
        run(env.from_collection([("a", 1)]).key_by(lambda o: o[0]).connect(rules).process(Writes()))


def test_each_kind_of_stream_has_its_function(env):
    rules = env.from_collection([("a", 1)]).broadcast(RULES)
    records = env.from_collection([1])
    with pytest.raises(GraphError, match=r"Totals is a KeyedBroadcastProcessFunction, which belongs in key_by"):
        records.connect(rules).process(Totals())
    with pytest.raises(GraphError, match="that is not keyed"):
        records.key_by(lambda n: n).connect(rules).process(Seen())


def test_it_knows_its_inputs(env):
    records, rules = env.from_collection([1], Types.INT()), env.from_collection(["a"], Types.STRING()).broadcast(RULES)
    connected = records.connect(rules)
    assert (connected.get_first_input(), connected.get_second_input()) == (records, rules)
    assert (connected.get_type1(), connected.get_type2()) == (Types.INT(), Types.STRING())
    assert connected.get_execution_environment() is env
