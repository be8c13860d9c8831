"""Whole programs on Spark: what comes out is what the program says, whatever the shape of the graph."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

import pytest
from tests.waiting import PATIENCE, wait_while_running

from flott.common import JobStatus, Types, WatermarkStrategy
from flott.datastream import AggregateFunction, KeyedProcessFunction, MapFunction, OutputTag, ProcessFunction
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from flott.errors import JobCanceledError, JobExecutionError

pytestmark = pytest.mark.spark


def collect(stream):
    with stream.execute_and_collect() as results:
        return list(results)


@dataclass
class Order:
    user: str
    amount: int


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class EveryState(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.LONG()))
        self.seen = runtime_context.get_map_state(MapStateDescriptor("seen", Types.LONG(), Types.LONG()))
        self.sum = runtime_context.get_reducing_state(ReducingStateDescriptor("sum", lambda a, b: a + b, Types.LONG()))
        self.mean = runtime_context.get_aggregating_state(
            AggregatingStateDescriptor("mean", Mean(), Types.PICKLED_BYTE_ARRAY())
        )

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        self.all.add(value)
        self.seen[value % 3] = (self.seen[value % 3] or 0) + 1
        self.sum.add(value)
        self.mean.add(value)
        yield (
            ctx.get_current_key(),
            self.count.value(),
            sum(self.all.get()),
            dict(self.seen.items()),
            self.sum.get(),
            self.mean.get(),
        )


def test_every_kind_of_state_over_many_epochs(make_env):
    # A tiny target keeps epochs small: state crosses from epoch to epoch, and from worker to worker.
    env = make_env(flott_epoch_target__duration="10 ms")
    numbers = 300_000
    source = DataGeneratorSource(lambda index: index, numbers)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    keyed = stream.filter(lambda n: n % 997 == 0).key_by(lambda n: n % 7)
    last = {}
    for key, *rest in collect(keyed.process(EveryState())):
        if key not in last or rest[0] > last[key][0]:
            last[key] = rest
    for key in range(7):
        values = [n for n in range(0, numbers, 997) if n % 7 == key]
        expected = [len(values), sum(values), Counter(n % 3 for n in values), sum(values), sum(values) / len(values)]
        assert last[key] == expected


def test_a_graph_of_many_shapes_at_once(env):
    evens = OutputTag("evens", Types.LONG())

    class Split(ProcessFunction):
        def process_element(self, value, ctx):
            if value % 2:
                yield value
            else:
                yield evens, value

    numbers = env.from_sequence(1, 1000)
    split = numbers.process(Split())
    tens = env.from_sequence(1, 10).map(lambda n: n * 10_000)
    long_way = split.rebalance().map(lambda n: n).shuffle().map(lambda n: n).rescale().map(lambda n: -n)
    skips_levels = split.get_side_output(evens).map(lambda n: n)
    merged = long_way.union(skips_levels, tens).rebalance().map(lambda n: n)
    result = Counter(collect(merged))
    expected = Counter([-n for n in range(1, 1001, 2)] + list(range(2, 1001, 2)) + [n * 10_000 for n in range(1, 11)])
    assert result == expected


def test_two_sinks_get_the_same_stream(env, capfd):
    stream = env.from_collection([1, 2, 3])
    stream.print("a")
    stream.map(lambda n: n * 10).print().set_parallelism(1)
    env.execute("two sinks")
    lines = sorted(capfd.readouterr().out.splitlines())
    assert [line for line in lines if ">" not in line] == ["10", "20", "30"]
    assert sorted(line.split("> ")[1] for line in lines if line.startswith("a")) == ["1", "2", "3"]


def test_objects_of_classes_of_this_module_travel_and_are_kept(env):
    orders = env.from_collection([Order("a", 1), Order("b", 2), Order("a", 3)])
    summed = orders.key_by(lambda order: order.user).reduce(lambda x, y: Order(x.user, x.amount + y.amount))
    assert sorted((order.user, order.amount) for order in collect(summed)) == [("a", 1), ("a", 4), ("b", 2)]


def test_an_empty_input_ends_the_job(env):
    assert collect(env.from_collection([]).map(lambda n: n)) == []


def test_parallelism_per_operator_and_different_max_parallelism(env):
    stream = env.from_sequence(1, 100).map(lambda n: (n % 5, n)).set_parallelism(3)
    keyed = stream.key_by(lambda pair: pair[0]).sum(1).set_parallelism(4).set_max_parallelism(10)
    last = {}
    for key, total in collect(keyed.map(lambda pair: pair).set_parallelism(1)):
        last[key] = max(total, last.get(key, 0))
    assert last == {key: sum(n for n in range(1, 101) if n % 5 == key) for key in range(5)}


class Fails(MapFunction):
    def map(self, value):
        return 10 // (value - 3)


def test_a_failure_names_operator_uid_subtask_record_and_the_users_line(env):
    stream = env.from_collection([1, 2, 3, 4]).map(Fails()).name("divide").uid("divider")
    with pytest.raises(JobExecutionError) as caught:
        collect(stream)
    text = str(caught.value)
    assert "operator 'divide', uid=divider, subtask" in text
    assert "failed on record 3" in text
    assert "return 10 // (value - 3)" in text
    assert "ZeroDivisionError" in text
    assert "flott/runtime" not in text


def test_a_failure_behind_an_exchange_names_the_operator_too(env):
    class Boom(KeyedProcessFunction):
        def process_element(self, value, ctx):
            raise ValueError("not this one")

    stream = env.from_collection([1]).key_by(lambda n: n).process(Boom()).name("boom")
    with pytest.raises(JobExecutionError, match=r"operator 'boom'.*failed on record 1"):
        collect(stream.rebalance().map(lambda n: n))


def test_cancel_ends_an_unbounded_job(env):
    source = DataGeneratorSource(lambda index: index, None)
    env.from_source(source, WatermarkStrategy.no_watermarks(), "for ever").map(lambda n: n).print()
    client = env.execute_async("for ever")
    client.cancel().result(PATIENCE)
    assert client.get_job_status().result() is JobStatus.CANCELED
    with pytest.raises(JobCanceledError):
        client.get_job_execution_result().result()


class CountsOpens(MapFunction):
    def __init__(self, directory):
        self.directory = directory

    def open(self, runtime_context):
        import os
        import uuid
        from pathlib import Path

        name = f"{os.getpid()}-{runtime_context.get_index_of_this_subtask()}-{uuid.uuid4().hex}"
        Path(self.directory, name).touch()

    def map(self, value):
        return value


def test_functions_are_opened_once_per_worker_not_per_epoch(env, tmp_path):
    source = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(1_000))
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    stream.map(CountsOpens(str(tmp_path))).filter(lambda n: n < 0).print()
    client = env.execute_async("opens")
    enough = threading.Event()
    client.master.listeners.append(lambda stats: stats.epoch >= 20 and enough.set())
    wait_while_running(client, "epoch 20", enough.is_set)
    client.cancel().result(PATIENCE)
    epochs = client.master.history[-1].epoch
    opened = [path.name.split("-")[:2] for path in tmp_path.iterdir()]
    assert len({tuple(name) for name in opened}) == len(opened)
    assert len(opened) < epochs


def test_modules_and_packages_are_sent_along(env, tmp_path):
    (tmp_path / "sent_module.py").write_text("def double(n):\n    return n * 2\n")
    package = tmp_path / "sent_package"
    package.mkdir()
    (package / "__init__.py").write_text("def triple(n):\n    return n * 3\n")
    env.add_python_file(str(tmp_path / "sent_module.py"))
    env.add_python_file(str(package))

    def both(n):
        from sent_module import double
        from sent_package import triple

        return double(n) + triple(n)

    assert sorted(collect(env.from_collection([1, 2]).map(both))) == [5, 10]


def test_a_key_without_canonical_form_is_refused_with_its_record(env):
    stream = env.from_sequence(1, 3).map(lambda n: {"n": n}).name("dicts").key_by(lambda values: values)
    refused = r"operator 'dicts'.*key of record \{'n': .\}.*of type dict, which has no canonical form"
    with pytest.raises(JobExecutionError, match=refused):
        collect(stream.reduce(lambda a, b: a))
