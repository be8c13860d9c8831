"""Two ways to files as a program of its own, whose driver is killed, hard, at one point after the other.

    python files_job.py MASTER DIRECTORY

Numbers go to partitions by the minute, committed by the watermark; files in DIRECTORY/in come as a streaming DataFrame
and are written by Spark. The program runs until it is killed (run it again then), or until every point had its victim
and DIRECTORY/last says how many rows there are in the files; when all are written it drains the job and ends.
"""

from __future__ import annotations

import operator
import os
import sys
from pathlib import Path

import pyarrow.dataset as ds
from tests.chaos.crash_job import SetTrap, Trap, quick_configuration
from tests.waiting import PATIENCE, at_least, wait_while_running

from flott.common import Duration, Types, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.common.watermark_strategy import TimestampAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.file_system import (
    BucketAssigner,
    FileSink,
    PartitionCommit,
    PartitionCommitPolicy,
    SuccessFile,
)
from flott.spark.session import embedded_session

POINTS = (
    "sink.after-prepare",
    "metadata.after",
    "commit.before",
    "partitions.noted",
    "partitions.published",
    "rows.before-write",
    "rows.noted",
    "rows.moved",
    "rows.after-write",
    "commit.after",
)
"""Ten moments between the end of an epoch and that of its commit."""
RATE = 2_000
PER_MINUTE = 600
MINUTE = 60_000
ROW = Types.ROW_NAMED(["number"], [Types.LONG()])


class TenASecond(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * MINUTE // PER_MINUTE


class ByMinute(BucketAssigner):
    def get_bucket_id(self, element, context):
        return f"minute={element // PER_MINUTE}"


def start_of(partition):
    return int(partition.removeprefix("minute=").rstrip("/")) * MINUTE


class Noted(PartitionCommitPolicy):
    """Writes down how many records a partition had when it was committed."""

    def __init__(self, directory):
        self.directory = directory

    def commit(self, context):
        parts = Path(context.partition_path()).glob("part-*")
        records = sum(len(part.read_text().splitlines()) for part in parts)
        with Path(self.directory, "noted").open("a") as file:
            file.write(f"{context.partition_values()[0]} {records}\n")


def build(env, directory, frame, trap):
    times = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(TenASecond())
    numbers = DataGeneratorSource(int, None, RateLimiterStrategy.per_second(RATE))
    rule = PartitionCommit.on_watermark(start_of, Duration.of_millis(MINUTE))
    files = FileSink.for_row_format(f"{directory}/minutes", Encoder.simple_string_encoder())
    files = files.with_bucket_assigner(ByMinute()).with_partition_commit(
        rule.with_policies(SuccessFile(), Noted(directory))
    )
    seconds = env.from_source(numbers, times, "numbers").uid("numbers").map(SetTrap(trap)).uid("trap")
    seconds.sink_to(files.build()).uid("minutes")
    rows = env.from_spark(frame).uid("frame").map(SetTrap(trap), ROW).uid("rows")
    rows.sink_to_spark(format="parquet", path=f"{directory}/out").uid("out")


def rows_in(folder):
    """The numbers that Spark has written."""
    parts = [str(path) for path in Path(folder).glob("part-*")]
    return ds.dataset(parts).to_table().column("number").to_pylist() if parts else []


def main():
    master, directory = sys.argv[1:]
    deaths = Path(directory, "deaths")
    deaths.mkdir(exist_ok=True)
    configuration = quick_configuration(directory, {"flott.spark.master": master})
    spark = embedded_session(configuration)
    frame = spark.readStream.schema("number LONG").option("maxFilesPerTrigger", 20).json(f"{directory}/in")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    trap = Trap(deaths, "driver", os.getpid(), POINTS)
    build(env, directory, frame, trap)
    client = env.execute_async("files and crashes")
    trap.set()
    last = Path(directory, "last")
    wait_while_running(client, "a victim at every point", trap.next_point, operator.not_)
    wait_while_running(client, "the last file", last.exists)
    wait_while_running(client, "all rows", lambda: len(rows_in(f"{directory}/out")), at_least(int(last.read_text())))
    client.stop_with_savepoint(True).result(PATIENCE)


if __name__ == "__main__":
    main()
