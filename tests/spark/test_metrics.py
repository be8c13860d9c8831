"""Metrics of functions in Spark's workers, and of the job, when a worker is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

from flott.common import WatermarkStrategy
from flott.datastream import KeyedProcessFunction, MapFunction
from flott.datastream.connectors.datagen import DataGeneratorSource

pytestmark = [pytest.mark.spark, pytest.mark.chaos]

RECORDS = 40_000


class CountingMap(MapFunction):
    def open(self, runtime_context):
        group = runtime_context.get_metrics_group()
        self.seen = group.counter("seen")
        self.rate = group.meter("rate")
        self.size = group.distribution("size")
        self.latest = group.histogram("latest")
        group.gauge("subtask", runtime_context.get_index_of_this_subtask)

    def map(self, value):
        self.seen.inc()
        self.rate.mark_event()
        self.size.update(value)
        self.latest.update(value)
        return value


class CountAndDie(KeyedProcessFunction):
    """Kills its worker, hard, once, in the middle of an epoch."""

    def __init__(self, mark):
        self.mark = mark

    def open(self, runtime_context):
        self.parity = {
            name: runtime_context.get_metric_group().add_group("parity", name).counter("seen")
            for name in ("even", "odd")
        }

    def process_element(self, value, ctx):
        self.parity["odd" if value % 2 else "even"].inc()
        if value == RECORDS // 2 and not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield value


def test_counts_are_exact_although_a_worker_was_killed(make_env, tmp_path, monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 4_000)
    env = make_env()
    source = DataGeneratorSource(lambda index: index, RECORDS)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").map(CountingMap()).name("map")
    numbers.key_by(lambda n: n % 10).process(CountAndDie(str(tmp_path / "died"))).name("die").print()
    client = env.execute_async("measured")
    client.get_job_execution_result().result(PATIENCE)
    assert (tmp_path / "died").exists()
    assert client.get_accumulators().result() == {
        "map.seen": RECORDS,
        "die.parity.even.seen": RECORDS // 2,
        "die.parity.odd.seen": RECORDS // 2,
    }
    samples = client.master.metrics.samples()
    mine = {(s.name, s.subtask): s.value for s in samples if s.operator is not None and s.operator.name == "map"}
    assert [mine["subtask", subtask] for subtask in (0, 1)] == [0, 1]
    assert sum(mine["seen", subtask] for subtask in (0, 1)) == RECORDS
    assert sum(mine["size_sum", subtask] for subtask in (0, 1)) == RECORDS * (RECORDS - 1) // 2
    assert all(mine["rate", subtask] > 0 for subtask in (0, 1))
    assert max(mine["latest", subtask].maximum for subtask in (0, 1)) == RECORDS - 1
    tasks = {(s.name, s.vertex.index, s.subtask): s.value for s in samples if s.vertex and s.operator is None}
    assert sum(tasks["numRecordsIn", 1, subtask] for subtask in (0, 1)) == RECORDS
    assert tasks["numBytesOut", 0, 0] > 0
