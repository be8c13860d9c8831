from __future__ import annotations

import pytest

from flott.errors import ExchangeError
from flott.runtime.batch import MAX_WATERMARK, Batch
from flott.runtime.blocks import BlockRow, ChannelWriter
from flott.runtime.input_gate import InputGate
from flott.runtime.operator import MultiInputOperator, Operator
from flott.runtime.partitioners import Forward, Rebalance
from flott.runtime.plan import EdgeSpec, EpochPlan, LevelSpec, VertexSpec


class Recorder(Operator):
    def __init__(self):
        self.events = []

    def process(self, batch):
        self.events.append(tuple(batch.values))

    def on_watermark(self, timestamp):
        self.events.append(timestamp)

    def on_status(self, active):
        self.events.append("active" if active else "idle")


NAMES = "first", "second", "third"


class MultiInputRecorder(MultiInputOperator):
    inputs = 3

    def __init__(self):
        self.events = []

    def process_input(self, index, batch):
        self.events.append((NAMES[index], *batch.values))

    def on_input_watermark(self, index, timestamp):
        self.events.append((NAMES[index], timestamp))


def plan(*, inputs=1, partitioner=None):
    source = [VertexSpec(i, f"source {i}", (), 2, 128, 0, 2 * i) for i in range(inputs)]
    sink = VertexSpec(inputs, "sink", (), 2, 128, 1, 0)
    edges = tuple(EdgeSpec(i, i, 0, inputs, i, partitioner or Rebalance(), None, 2 * i) for i in range(inputs))
    levels = (LevelSpec(0, tuple(range(inputs)), 2 * inputs), LevelSpec(1, (inputs,), 2))
    return EpochPlan("job", (*source, sink), edges, levels)


def channel(number, *steps, epoch=1, **closing):
    rows = []
    writer = ChannelWriter(lambda sequence, data: rows.append(BlockRow(0, number, 0, sequence, data)), lambda e: e)
    for step in steps:
        if isinstance(step, list):
            writer.add(Batch(step))
        elif isinstance(step, bool):
            writer.status(step)
        else:
            writer.watermark(step)
    writer.close(epoch, f"token {number}", **closing)
    return rows


def deliver(gate, rows, head=None):
    head = head or Recorder()
    for row in rows:
        gate.add(row)
    gate.complete(1)
    for _ in gate.deliver(head):
        pass
    return head.events


def gate_of(layout, subtask=0):
    return InputGate(layout, layout.vertices[-1], subtask)


def test_the_channel_that_is_behind_goes_first():
    rows = [*channel(0, ["a1"], 10, ["a2"], 20), *channel(1, ["b1"], 5, ["b2"], 15)]
    assert deliver(gate_of(plan()), rows) == [("a1",), ("b1",), 5, ("b2",), 10, ("a2",), 15]


def test_watermarks_of_earlier_epochs_still_count():
    layout = plan()
    first = gate_of(layout)
    assert deliver(first, [*channel(0, 10), *channel(1, 5)]) == [5]
    second = gate_of(layout)
    second.restore(first.snapshot())
    assert deliver(second, [*channel(0, ["a"]), *channel(1, ["b"], 12)]) == [("b",), 10, ("a",)]


def test_an_idle_channel_does_not_hold_back():
    assert deliver(gate_of(plan()), [*channel(0, ["a"], 10), *channel(1, False)]) == [("a",), 10]


def test_the_end_of_time_needs_every_channel():
    assert deliver(gate_of(plan()), [*channel(0, MAX_WATERMARK), *channel(1)]) == []
    assert deliver(gate_of(plan()), [*channel(0, MAX_WATERMARK), *channel(1, MAX_WATERMARK)]) == [MAX_WATERMARK]


def test_each_of_any_number_of_inputs_has_a_valve():
    rows = [
        *channel(0, ["a"], 3),
        *channel(1, 4),
        *channel(2, ["b"], 9),
        *channel(3, 8),
        *channel(4, 5),
        *channel(5, 6),
    ]
    events = deliver(gate_of(plan(inputs=3)), rows, MultiInputRecorder())
    assert sorted(events, key=str) == [
        ("first", "a"), ("first", 3), ("second", "b"), ("second", 8), ("third", 5)
    ]  # fmt: skip


def test_another_input_needs_an_operator_for_it():
    with pytest.raises(ExchangeError, match="Recorder has 1 input"):
        deliver(gate_of(plan(inputs=2)), [row for i in range(4) for row in channel(i)])


def test_a_silent_channel_is_an_error():
    gate = gate_of(plan())
    gate.add(channel(0)[0])
    with pytest.raises(ExchangeError, match="'sink' subtask 0, channel from 'source 0' subtask 1: no barrier"):
        gate.complete(1)


def test_pointwise_edges_expect_only_their_partner():
    gate = gate_of(plan(partitioner=Forward()), subtask=1)
    assert deliver(gate, channel(1, ["only"])) == [("only",)]
    with pytest.raises(ExchangeError, match="no such channel"):
        gate.add(channel(0)[0])
