"""User metrics in every kind of function, through a whole job, over failures."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration, Types
from flott.datastream import (
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    ReduceFunction,
    StreamExecutionEnvironment,
)
from flott.datastream.functions import ProcessWindowFunction
from flott.testing.cluster import submit

pytestmark = pytest.mark.job

RECORDS = 2_000


class Counts:
    def open(self, runtime_context):
        self.seen = runtime_context.get_metrics_group().add_group("mine").counter("seen")


class CountingMap(Counts, MapFunction):
    def map(self, value):
        self.seen.inc()
        return value


class CountingFlatMap(Counts, FlatMapFunction):
    def flat_map(self, value):
        self.seen.inc()
        yield value


class CountingFilter(Counts, FilterFunction):
    def filter(self, value):
        self.seen.inc()
        return True


class CountingProcess(Counts, ProcessFunction):
    def process_element(self, value, ctx):
        self.seen.inc()
        yield value


class CountingKeyed(Counts, KeyedProcessFunction):
    def process_element(self, value, ctx):
        self.seen.inc()
        yield value


class CountingReduce(Counts, ReduceFunction):
    def reduce(self, value1, value2):
        self.seen.inc()
        return value2


class CountingCoMap(Counts, CoMapFunction):
    def map1(self, value):
        self.seen.inc()
        return value

    map2 = map1


class CountingCoFlatMap(Counts, CoFlatMapFunction):
    def flat_map1(self, value):
        self.seen.inc()
        yield value

    flat_map2 = flat_map1


class CountingCoProcess(Counts, CoProcessFunction):
    def process_element1(self, value, ctx):
        self.seen.inc()
        yield value

    process_element2 = process_element1


class CountingWindow(Counts, ProcessWindowFunction):
    def process(self, key, context, elements):
        self.seen.inc(len(list(elements)))
        return [key]


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 150)


def environment(tmp_path=None, **options):
    configuration = Configuration()
    if tmp_path is not None:
        configuration.set_string("execution.checkpointing.dir", str(tmp_path))
    for key, value in options.items():
        configuration.set_string(key.replace("__", "-").replace("_", "."), value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env, configuration


def finished(env, configuration):
    client = submit(env.program("measured"), configuration)
    client.get_job_execution_result().result(PATIENCE)
    return client


def test_every_rich_function_counts():
    env, configuration = environment()
    numbers = env.from_sequence(1, RECORDS)
    stream = numbers.map(CountingMap()).name("map").flat_map(CountingFlatMap()).name("flat_map")
    stream = stream.filter(CountingFilter()).name("filter").process(CountingProcess()).name("process")
    keyed = stream.key_by(lambda n: n % 10)
    keyed.process(CountingKeyed()).name("keyed").print()
    keyed.reduce(CountingReduce()).name("reduce").print()
    keyed.count_window(100).process(CountingWindow()).name("window").print()
    both = stream.connect(stream)
    both.map(CountingCoMap()).name("co_map").print()
    both.flat_map(CountingCoFlatMap()).name("co_flat_map").print()
    both.process(CountingCoProcess()).name("co_process").print()
    counts = finished(env, configuration).get_accumulators().result()
    twice = dict.fromkeys(("co_map", "co_flat_map", "co_process"), 2 * RECORDS)
    once = dict.fromkeys(("map", "flat_map", "filter", "process", "keyed", "window"), RECORDS)
    assert counts == {f"{name}.mine.seen": n for name, n in (twice | once | {"reduce": RECORDS - 10}).items()}


class FailsOnce(MapFunction):
    """Fails at a record, after which a checkpoint was complete; counts on after each failure."""

    def __init__(self, mark):
        self.mark = mark

    def open(self, runtime_context):
        group = runtime_context.get_metric_group()
        self.seen = group.counter("seen")
        self.size = group.distribution("size")
        group.gauge("asked", self.seen.get_count)

    def map(self, value):
        self.seen.inc()
        self.size.update(value)
        if value > RECORDS * 3 // 4 and not Path(self.mark).exists():
            Path(self.mark).touch()
            message = "on purpose"
            raise ValueError(message)
        return value


def test_after_a_restart_from_a_checkpoint_each_record_is_counted_once(tmp_path):
    env, configuration = environment(
        tmp_path / "checkpoints",
        execution_checkpointing_interval="1 ms",
        restart__strategy_type="fixed-delay",
        restart__strategy_fixed__delay_delay="1 ms",
    )
    env.from_sequence(1, RECORDS).map(FailsOnce(str(tmp_path / "failed")), Types.LONG()).name("fails").print()
    client = submit(env.program("measured"), configuration)
    client.get_job_execution_result().result(PATIENCE)
    assert (tmp_path / "failed").exists()
    assert client.get_accumulators().result() == {"fails.seen": RECORDS}
    samples = client.master.metrics.samples()
    whole = {one.name: one.value for one in samples if one.vertex is None}
    assert whole["numRestarts"] == 1
    assert whole["numberOfCompletedCheckpoints"] >= 1
    mine = [one for one in samples if one.operator and one.operator.name == "fails"]
    told = {(one.name, one.subtask): one.value for one in mine}
    assert sum(told["seen", subtask] for subtask in (0, 1)) == RECORDS
    assert [told["asked", subtask] for subtask in (0, 1)] == [told["seen", subtask] for subtask in (0, 1)]
    assert sum(told["size_sum", subtask] for subtask in (0, 1)) == RECORDS * (RECORDS + 1) // 2
