"""Somebody sets the machine's clock back by an hour: what waits for intervals and rates goes on as before."""

from __future__ import annotations

import threading

import pytest
from tests.waiting import PATIENCE, wait_while_running

from flott.common import Configuration, Duration, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.file_system import FileSource, StreamFormat
from flott.runtime.batch import Batch
from flott.runtime.watermark_run import GeneratorRun
from flott.testing.cluster import submit

HOUR = 3_600_000


class SetBack:
    """A second passes each time somebody asks; the time of day is an hour back from the second look on."""

    def __init__(self):
        self.passed = 0
        self.looks = 0

    def now(self):
        self.looks += 1
        return 10 * HOUR + self.passed - (HOUR if self.looks > 1 else 0)

    def steady(self):
        self.passed += 1_000
        return 10 * HOUR + self.passed


def environment():
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.set_buffer_timeout(1)
    return env


def test_a_source_with_a_rate_goes_on():
    env = environment()
    source = DataGeneratorSource(lambda index: index, 20, RateLimiterStrategy.per_second(1))
    env.from_source(source, WatermarkStrategy.no_watermarks(), "slow").filter(lambda _: False).print()
    client = submit(env.program("rate"), Configuration(), SetBack())
    client.get_job_execution_result().result(PATIENCE)
    assert sum(stats.records_in for stats in client.master.history) == 20


def test_a_watched_directory_is_looked_at_again(tmp_path):
    (tmp_path / "first").write_text("1\n")
    env = environment()
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path))
        .monitor_continuously(Duration.of_seconds(5))
        .build()
    )
    env.from_source(source, WatermarkStrategy.no_watermarks(), "watched").print()
    program, found = env.program("watched"), threading.Event()

    def receive(subtask, parallelism, values):
        if "1" in values:
            (tmp_path / "second").write_text("2\n")
        if "2" in values:
            found.set()

    for step in program.transformations:
        if step.is_sink:
            step.operator.receive = receive
    client = submit(program, Configuration(), SetBack())
    wait_while_running(client, "the second file", found.is_set)
    client.cancel().result(PATIENCE)


@pytest.mark.parametrize("back", [0, HOUR])
def test_a_silent_stream_becomes_idle_after_its_timeout(back):
    heard = []

    class Target:
        def emit_watermark(self, timestamp):
            pass

        def mark_idle(self):
            heard.append("idle")

        def mark_active(self):
            heard.append("active")

    strategy = WatermarkStrategy.for_monotonous_timestamps().with_idleness(Duration.of_millis(100))
    run = GeneratorRun(strategy, Target(), lambda _: None)
    run.process(Batch([1], [1]))
    run.emit_periodically(2 * HOUR)
    run.emit_periodically(2 * HOUR - back + 50)
    assert heard == []
    run.emit_periodically(2 * HOUR - back + 151)
    assert heard == ["idle"]
