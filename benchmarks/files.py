"""Parquet files into a vectorised aggregate: how many rows a second a FileSource reads.

    python benchmarks/files.py [--rows 100000000] [--rounds 3]

Files of three columns of 64-bit numbers, 2 subtasks, tumbling windows of 10 s with count and sum by 1 k users. A short
and a long input are read in each round; the rate is the difference in rows over the difference in time, so that
what a job costs besides drops out. The first job, which starts Spark, does not count. The target is 5 M rows/s on 2
idle cores.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from keyed_count import machine

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.fields import field
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.aggregates import Count, Sum
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.connectors.file_system import FileSource
from flott.datastream.formats.parquet import ParquetColumnarRowInputFormat
from flott.datastream.window import TumblingEventTimeWindows

FILES, USERS, RATE = 16, 1000, 1_000_000
TARGET = 5_000_000
ORDERS = Types.ROW_NAMED(["user", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()])


def write(folder: Path, rows: int) -> None:
    """Write files in the order of time, so that windows close as they are read."""
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.arange(rows, dtype=np.int64), FILES)):
        columns = {"user": part * 7919 % USERS, "amount": part % 100, "time": part * 1000 // RATE}
        pq.write_table(pa.table(columns), folder / f"{number:03}.parquet", row_group_size=1 << 20)


def seconds(folder: Path) -> float:
    """Return how long the job took."""
    configuration = Configuration().set_string("flott.spark.master", "local[2]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    source = FileSource.for_bulk_file_format(ParquetColumnarRowInputFormat(ORDERS), str(folder)).build()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    stream = env.from_source(source, strategy, "orders")
    windows = stream.key_by("user").window(TumblingEventTimeWindows.of(10_000))
    windows.aggregate([Count(), Sum("amount")]).sink_to(DiscardingSink())
    return env.execute("files").get_net_runtime() / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    short, long = options.rows // 4, options.rows
    with tempfile.TemporaryDirectory(prefix="flott-files-") as folder:
        write(Path(folder) / "short", short)
        write(Path(folder) / "long", long)
        seconds(Path(folder) / "short")
        rates = []
        for _ in range(options.rounds):
            few = seconds(Path(folder) / "short")
            rates.append((long - short) / (seconds(Path(folder) / "long") - few))
            print(f"{rates[-1] / 1e6:.1f} M rows/s", flush=True)
    median = statistics.median(rates)
    print(f"{machine()}: {median / 1e6:.1f} M rows/s (median; the target is {TARGET / 1e6:.0f} M)")


if __name__ == "__main__":
    main()
