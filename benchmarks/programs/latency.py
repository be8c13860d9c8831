"""numbers at a steady rate → map → key_by → KeyedProcessFunction with ValueState → some of them, with their age.

Run by benchmarks/loaded_latency.py; prints one line of JSON. On Flott a record's clock starts when it is due at the
source and stops when the driver hands it to the sink, its epoch being complete. On PyFlink it starts when Java makes
the record and stops in the last Python function, which leaves out what a sink would add.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

KEYS, SAMPLES = 1_000, 200
"""Keys; and how many records of a second are looked at."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--rate", type=int, required=True, help="records per second")
    parser.add_argument("--seconds", type=int, required=True, help="how long; the first third does not count")
    return parser.parse_args()


options = arguments()
RATE, RECORDS = options.rate, options.rate * options.seconds
EVERY = max(1, RATE // SAMPLES)

if options.engine == "flott":
    from flott.common import Configuration, Types, WatermarkStrategy
    from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
    from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
    from flott.datastream.state import ValueStateDescriptor
else:
    from pyflink.common import Configuration, Types
    from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
    from pyflink.datastream.state import ValueStateDescriptor
    from pyflink.table import StreamTableEnvironment


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield value


def on_flott() -> list[float]:
    configuration = Configuration()
    configuration.set_string("flott.spark.master", "local[2]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    source = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(RATE))
    sampled = (
        env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
        .map(lambda n: (n % KEYS, n))
        .key_by(lambda pair: pair[0])
        .process(Count())
        .filter(lambda pair: pair[1] % EVERY == 0)
    )
    ages: list[float] = []
    with sampled.execute_and_collect("latency") as results:
        master = results.get_job_client().master
        for _, number in results:
            started = master.started / 1000
            if number >= RECORDS // 3:
                ages.append(time.time() - started - number / RATE)
            if number >= RECORDS - EVERY:
                break
    return ages


def on_pyflink() -> list[float]:
    """As it comes: a process for Python, and bundles of 1,000 records or a second."""
    configuration = Configuration()
    configuration.set_string("python.executable", sys.executable)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    tables = StreamTableEnvironment.create(env)
    tables.execute_sql(
        "CREATE TABLE numbers (n BIGINT, made AS CURRENT_ROW_TIMESTAMP()) WITH ('connector' = 'datagen', "
        f"'rows-per-second' = '{RATE}', 'fields.n.kind' = 'sequence', "
        f"'fields.n.start' = '0', 'fields.n.end' = '{RECORDS - 1}')"
    )
    numbers = tables.to_data_stream(tables.sql_query("SELECT n, made FROM numbers"))
    triple = Types.TUPLE([Types.LONG(), Types.LONG(), Types.LONG()])
    sampled = (
        numbers.map(lambda row: (row[0] % KEYS, row[0], row[1].to_epoch_milli()), output_type=triple)
        .key_by(lambda record: record[0], key_type=Types.LONG())
        .process(Count(), output_type=triple)
        .filter(lambda record: record[1] % EVERY == 0)
        .map(lambda record: (record[1], time.time() - record[2] / 1000), Types.TUPLE([Types.LONG(), Types.DOUBLE()]))
    )
    with sampled.execute_and_collect("latency") as results:
        return [age for number, age in results if number >= RECORDS // 3]


def main() -> None:
    began = time.monotonic()
    ages = on_flott() if options.engine == "flott" else on_pyflink()
    cuts = [1000 * cut for cut in statistics.quantiles(ages, n=100)]
    figures = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "samples": len(ages)}
    print(json.dumps({"net_seconds": time.monotonic() - began, **figures}))


main()
