"""Partitions of file sinks: when they are complete, and that no crash loses or hurries one."""

from __future__ import annotations

import pytest
from tests.failing_jobs import Die, abandon, environment, small_epochs
from tests.waiting import PATIENCE

from flott.common import Duration, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.common.watermark_strategy import TimestampAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream.connectors.file_system import (
    BucketAssigner,
    FileSink,
    PartitionCommit,
    PartitionCommitPolicy,
    PartitionTime,
    SuccessFile,
)
from flott.errors import GraphError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.crash_points import ARMED
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sinks import WriteContext, WriterInitContext

MINUTE = 60_000
NUMBERS = 600
"""One record a second: ten minutes."""


class ByMinute(BucketAssigner):
    def get_bucket_id(self, element, context):
        return f"minute={element // 60}"


def minute(partition):
    return int(partition.removeprefix("minute=").rstrip("/")) * MINUTE


class Noted(PartitionCommitPolicy):
    """Writes down what a partition held when it was committed."""

    def __init__(self, folder):
        self.folder = folder

    def commit(self, context):
        parts = context.file_system().glob(f"{context.partition_path()}/part-*")
        lines = sum(context.file_system().cat_file(part).count(b"\n") for part in parts)
        with (self.folder / "noted").open("a") as file:
            file.write(f"{context.partition_values()[0]} {lines}\n")


def sink(folder, rule):
    builder = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder())
    return builder.with_bucket_assigner(ByMinute()).with_partition_commit(rule).build()


def complete(folder):
    return sorted(path.parent.name for path in (folder / "out").glob("*/_SUCCESS"))


class Writers:
    """The writers of a sink, whose epochs are committed by hand."""

    def __init__(self, made, count=2, job="job"):
        self.sink = made
        self.clock = ManualClock(0)
        self.writers = [
            made.create_writer(
                WriterInitContext(OperatorContext("out", "op", None, n, count, 128, self.clock, job_id=job))
            )
            for n in range(count)
        ]

    def epoch(self, written, watermarks):
        """Write a number with each writer, and let event time go on; commit it."""
        prepared = []
        for writer, number, watermark in zip(self.writers, written, watermarks, strict=True):
            if number is not None:
                writer.write(number, WriteContext())
            if watermark is not None:
                writer.write_watermark(watermark)
            prepared += writer.prepare_commit()
        commit_all(self.sink, prepared, recovered=False)
        return prepared


EVENT_TIME = PartitionCommit.on_watermark(minute, Duration.of_millis(MINUTE))


def test_a_partition_is_complete_when_all_writers_are_past_it(tmp_path):
    writers = Writers(sink(tmp_path, EVENT_TIME))
    writers.epoch([0, 61], [MINUTE + 1, None])
    writers.epoch([None, None], [2 * MINUTE + 5, MINUTE])
    assert complete(tmp_path) == []
    writers.epoch([None, None], [None, MINUTE + 1])
    assert complete(tmp_path) == ["minute=0"]
    writers.epoch([None, None], [MAX_WATERMARK, MAX_WATERMARK])
    assert complete(tmp_path) == ["minute=0", "minute=1"]


def test_a_partition_that_gets_rows_too_late_is_committed_again(tmp_path):
    writers = Writers(sink(tmp_path, EVENT_TIME.with_policies(SuccessFile("_DONE"), Noted(tmp_path))), 1)
    writers.epoch([0], [5 * MINUTE])
    writers.epoch([None], [6 * MINUTE])
    writers.epoch([1], [7 * MINUTE])
    assert (tmp_path / "noted").read_text().split("\n") == ["0 1", "0 2", ""]
    assert (tmp_path / "out" / "minute=0" / "_DONE").exists()


def test_a_commit_that_is_done_again_changes_nothing(tmp_path):
    writers = Writers(sink(tmp_path, EVENT_TIME), 1)
    prepared = writers.epoch([0], [0])
    commit_all(writers.sink, prepared, recovered=True)
    assert complete(tmp_path) == []
    writers.epoch([None], [5 * MINUTE])
    assert complete(tmp_path) == ["minute=0"]


def test_another_job_starts_from_its_own_event_time(tmp_path):
    Writers(sink(tmp_path, EVENT_TIME)).epoch([0, None], [10 * MINUTE, 0])
    later = Writers(sink(tmp_path, EVENT_TIME), job="restored")
    later.epoch([None, None], [None, 10 * MINUTE])
    assert complete(tmp_path) == []
    later.epoch([None, None], [10 * MINUTE, None])
    assert complete(tmp_path) == ["minute=0"]


def test_by_the_clock(tmp_path):
    writers = Writers(sink(tmp_path, PartitionCommit.on_processing_time(Duration.of_millis(500))), 1)
    writers.epoch([0], [None])
    writers.clock.advance_to(500)
    writers.epoch([61], [None])
    assert complete(tmp_path) == []
    writers.clock.advance_to(501)
    writers.epoch([None], [None])
    assert complete(tmp_path) == ["minute=0"]


@pytest.mark.parametrize(
    ("pattern", "zone", "partition", "wanted"),
    [
        (None, "UTC", "dt=1970-01-02/", 86_400_000),
        ("$day $hour:00:00", "UTC", "day=1970-01-01/hour=03/", 3 * 3_600_000),
        ("$d", "Asia/Shanghai", "d=1970-01-01 08:00:00/", 0),
    ],
)
def test_the_time_of_a_partition(pattern, zone, partition, wanted):
    assert PartitionTime(pattern, zone)(partition) == wanted


def test_mistakes_are_told():
    with pytest.raises(ValueError, match="is no time such as"):
        PartitionTime("$a")("a=x/")
    with pytest.raises(GraphError, match="give SuccessFile"):
        EVENT_TIME.with_policies("success-file")
    with pytest.raises(GraphError, match=r"PartitionCommit\.on_watermark"):
        FileSink.for_row_format("out", Encoder.simple_string_encoder()).with_partition_commit("x")
    with pytest.raises(GraphError, match="before they begin"):
        PartitionCommit.on_processing_time(-1)


# -- whole jobs


class SecondOf(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * 1000


@pytest.fixture
def _small(monkeypatch):
    small_epochs(monkeypatch)
    yield
    ARMED.clear()


def write_seconds(env, folder, rate=None):
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(SecondOf())
    stream = env.from_source(DataGeneratorSource(lambda n: n, NUMBERS, limit), strategy, "seconds").uid("seconds")
    stream.sink_to(sink(folder, EVENT_TIME.with_policies(SuccessFile(), Noted(folder)))).uid("files")


def check(folder):
    assert complete(folder) == sorted(f"minute={n}" for n in range(10))
    found = sorted(int(line) for path in (folder / "out").glob("*/part-*") for line in path.read_text().splitlines())
    assert found == list(range(NUMBERS))
    # Whenever a partition was committed, all its records were there.
    assert {line.split()[1] for line in (folder / "noted").read_text().splitlines()} == {"60"}
    assert not list((folder / "out").glob(".staging/**/*"))


@pytest.mark.job
@pytest.mark.usefixtures("_small")
def test_no_partition_is_committed_before_its_last_record(tmp_path):
    env = environment()
    write_seconds(env, tmp_path)
    env.execute("seconds")
    check(tmp_path)


@pytest.mark.job
@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("point", ["metadata.after", "commit.before", "partitions.noted", "partitions.published"])
@pytest.mark.parametrize("after", [1, 3])
def test_a_new_driver_goes_on_where_one_was_killed(tmp_path, point, after):
    env = environment(tmp_path / "checkpoints")
    write_seconds(env, tmp_path, rate=200)  # slow enough: it dies long before the last record
    die = ARMED[point] = Die(after=after)
    abandon(env.execute_async("taken over"), die)
    env = environment(tmp_path / "checkpoints", parallelism=3)
    write_seconds(env, tmp_path)
    env.execute_async("taken over").get_job_execution_result().result(PATIENCE)
    check(tmp_path)
