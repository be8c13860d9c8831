"""assign_timestamps_and_watermarks(): one generator beside each subtask of the stream in front of it."""

from __future__ import annotations

import pytest

from flott.common import Configuration, Time, WatermarkGenerator, WatermarkStrategy
from flott.datastream import OutputTag, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.window import TumblingEventTimeWindows
from flott.graph.stream_graph import generate_stream_graph

BY_VALUE = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda n, _: n)


def environment(parallelism):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(parallelism)
    return env


def parallelism_of_generators(env):
    nodes = generate_stream_graph(env.program()).nodes.values()
    return [node.parallelism for node in nodes if node.name == "Timestamps/Watermarks"]


def numbers(env, parallelism=None):
    source = DataGeneratorSource(lambda index: index, 6_000)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    return stream if parallelism is None else stream.set_parallelism(parallelism)


def test_records_that_come_in_order_are_not_late_behind_a_source_that_is_more_parallel(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 50)
    env, late = environment(1), OutputTag("late")
    pairs = numbers(env, 2).assign_timestamps_and_watermarks(BY_VALUE).map(lambda n: (0, 1))
    windows = pairs.key_by(lambda pair: pair[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(100)))
    counts = windows.side_output_late_data(late).reduce(lambda one, other: (0, one[1] + other[1]))
    found = list(counts.union(counts.get_side_output(late).map(lambda _: ("late", 1))).execute_and_collect())
    assert sum(count for key, count in found if key == "late") == 0
    assert sum(count for _, count in found) == 6_000


class AsTold(WatermarkGenerator):
    def on_event(self, event, event_timestamp, output):
        if event[0] == "watermark":
            output.emit_watermark(event[1])

    def on_periodic_emit(self, output):
        pass


@pytest.mark.parametrize("parallelism", [1, 4])
def test_a_watermark_behind_a_source_without_parallelism_holds_for_all_its_records(parallelism):
    told = WatermarkStrategy.for_generator(AsTold).with_timestamp_assigner(lambda event, _: event[1])
    env, late = environment(parallelism), OutputTag("late")
    events = env.from_collection([("a", 1), ("b", 2), ("watermark", 9), ("a", 3), ("a", 11)])
    counts = (
        events.assign_timestamps_and_watermarks(told)
        .filter(lambda event: event[0] != "watermark")
        .key_by(lambda event: event[0])
        .window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
        .side_output_late_data(late)
        .reduce(lambda one, other: (one[0], one[1] + other[1]))
    )
    found = counts.union(counts.get_side_output(late).map(lambda event: ("late", *event))).execute_and_collect()
    assert sorted(map(str, found)) == ["('a', 1)", "('a', 11)", "('b', 2)", "('late', 'a', 3)"]


def test_it_has_the_parallelism_of_its_input():
    env = environment(3)
    stream = numbers(env, 2)
    for one in (stream, stream.rebalance(), stream.union(numbers(env, 5)), numbers(env), env.from_collection([1])):
        one.assign_timestamps_and_watermarks(BY_VALUE).print()
    stream.assign_timestamps_and_watermarks(BY_VALUE).set_parallelism(4).print()
    assert parallelism_of_generators(env) == [2, 2, 5, 3, 1, 4]
