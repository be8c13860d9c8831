"""How long a record takes from source to sink when the input is slow, against an empty Spark job of the same shape.

    python benchmarks/latency.py [--rate 1000] [--seconds 40]

A record's clock starts when it is due at the source and stops when the driver hands it to the sink, its epoch being
complete. The bare Spark job (range, map, exchange, map, collect; trivial functions, same session) is timed right before
and after, in the same process.
"""

from __future__ import annotations

import argparse
import statistics
import time

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

from flott.common import Configuration, Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.state import ValueStateDescriptor
from flott.spark.runner import BLOCKS
from flott.spark.session import epoch_session
from flott.spark.worker import SCHEMA


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield value


def source_side(batches):
    for batch in batches:
        number = batch.column(0)[0].as_py()
        rows = [[0, 1], [number] * 2, [0, 1], [0, 0], [b"x", b"x"]]
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, field.type) for column, field in zip(rows, SCHEMA, strict=True)], schema=SCHEMA
        )


def sink_side(batches):
    yield from batches


def bare_jobs(spark: SparkSession, count: int) -> list[float]:
    times = []
    for _ in range(count):
        started = time.perf_counter()
        frame = spark.range(0, 2, 1, 2).mapInArrow(source_side, BLOCKS)
        frame.repartitionById(2, col("target")).mapInArrow(sink_side, BLOCKS).collect()
        times.append((time.perf_counter() - started) * 1000)
    return times


def percentiles(values: list[float]) -> str:
    cuts = statistics.quantiles(values, n=100)
    return f"p50 {cuts[49]:.0f} ms, p95 {cuts[94]:.0f} ms, p99 {cuts[98]:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=40)
    options = parser.parse_args()
    configuration = Configuration()
    configuration.set_string("flott.spark.master", "local[2]")
    spark = epoch_session(configuration)
    bare_jobs(spark, 100)  # the first epochs of a Java process are slow on either side
    before = bare_jobs(spark, 60)

    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    source = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(options.rate))
    stream = (
        env.from_source(source, WatermarkStrategy.no_watermarks(), "trickle")
        .map(lambda n: (n % 100, n))
        .key_by(lambda pair: pair[0])
        .process(Count())
    )
    latencies: list[float] = []
    with stream.execute_and_collect("latency") as results:
        master = results.get_job_client().master
        epochs: list[float] = []
        master.listeners.append(lambda stats: epochs.append(stats.seconds * 1000))
        for _, number in results:
            # Record n is due n / rate seconds after the job began.
            latencies.append(time.time() - master.started / 1000 - number / options.rate)
            if number > options.rate * options.seconds:
                break
    settled = [latency * 1000 for latency in latencies[options.rate * 10 :]]
    after = bare_jobs(spark, 60)
    bare = statistics.median(before + after)
    p50 = statistics.median(settled)
    around = f"before {statistics.median(before):.0f}, after {statistics.median(after):.0f}"
    print(f"bare Spark job of the same shape: median {bare:.0f} ms ({around})")
    print(f"an epoch of the job: median {statistics.median(epochs[20:]):.0f} ms over {len(epochs)} epochs")
    print(f"source to sink at {options.rate} records/s: {percentiles(settled)}; p50 is {p50 / bare:.2f} x the bare job")


if __name__ == "__main__":
    main()
