"""The same work as plain Spark does it: Structured Streaming, native aggregation and stateful Python.

Run by benchmarks/bench.py; prints one line of JSON. Rows come in micro-batches of a fixed number, from Spark's own
source for such tests; the time is that of the batches, from the first to the last.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time

from pyspark.sql import Row, SparkSession
from pyspark.sql.functions import col, count, session_window, timestamp_millis, window
from pyspark.sql.functions import sum as sum_of
from pyspark.sql.streaming import StatefulProcessor

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["spark"], required=True)
    parser.add_argument("--work", choices=["stateless", "keyed-count", "tumbling", "sliding", "session"], required=True)
    parser.add_argument("--keys", type=int, default=1_000)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True, help="rows of a micro-batch")
    parser.add_argument("--rate", type=int, default=1_000_000, help="records per second of event time")
    parser.add_argument("--parallelism", type=int, default=2)
    return parser.parse_args()


class Count(StatefulProcessor):
    """Counts the rows of a key, one by one, as the KeyedProcessFunction of the others does."""

    def init(self, handle) -> None:
        self.count = handle.getValueState("count", "count long")

    def handleInputRows(self, key, rows, timerValues):  # noqa: N803 - the name that Spark gives it
        state = self.count.get()
        number = 0 if state is None else state[0]
        for _ in rows:
            number += 1
            yield Row(key=key[0], count=number)
        self.count.update((number,))

    def close(self) -> None:
        pass


def session(parallelism: int) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{parallelism}]").appName("structured streaming")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "3g",
        "spark.sql.shuffle.partitions": str(parallelism),
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def query(spark: SparkSession, options: argparse.Namespace):
    numbers = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", options.batch)
        .option("numPartitions", options.parallelism)
        .load()
        .select(col("value").alias("n"))
    )
    pause = 20_000 if options.work == "session" else 0
    millis = (col("n") * 1000 / options.rate).cast("long") + (col("n") / 1_000_000).cast("long") * pause
    orders = numbers.select(
        (col("n") * 7919 % options.keys).alias("user"),
        (col("n") % 100).alias("amount"),
        timestamp_millis(millis).alias("time"),
    )
    if options.work == "stateless":
        return orders.where(col("amount") < 50).select("user", (col("amount") * 2).alias("amount")), "append"
    if options.work == "keyed-count":
        return orders.groupBy("user").transformWithState(Count(), "key long, count long", "Update", "None"), "update"
    windows = {
        "tumbling": window("time", "10 seconds"),
        "sliding": window("time", "10 seconds", "2 seconds"),
        "session": session_window("time", "5 seconds"),
    }[options.work]
    totals = orders.withWatermark("time", "0 seconds").groupBy("user", windows)
    return totals.agg(count("*"), sum_of("amount")), "append"


def main() -> None:
    options = arguments()
    spark = session(options.parallelism)
    frame, mode = query(spark, options)
    with tempfile.TemporaryDirectory() as directory:
        writer = frame.writeStream.format("noop").outputMode(mode).option("checkpointLocation", directory)
        running = writer.start()
        rows = milliseconds = 0
        known = -1
        while rows < options.records:
            time.sleep(0.05)
            if running.exception() is not None:
                raise running.exception()
            for progress in running.recentProgress:
                if progress.batchId > known and progress.numInputRows:
                    known = progress.batchId
                    rows += progress.numInputRows
                    milliseconds += progress.durationMs["triggerExecution"]
        running.stop()
    print(json.dumps({"net_seconds": milliseconds / 1000, "records": rows}))


main()
