"""payments → three in a row on a card, small, small, large, within a minute → discard: on Flott, and as Flink SQL.

Run by benchmarks/cep.py; prints one line of JSON. On Flott, conditions are Python functions of Python objects
(``--way function``), or expressions on columns (``--way columns``); Flink's MATCH_RECOGNIZE runs on the JVM alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

PER_MILLI = 10
"""Payments in a millisecond of event time: with 100 k cards, one on each card every ten seconds."""
SMALL, LARGE = 100, 950
"""A tenth of the payments are below, a twentieth above."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--way", choices=["function", "columns"], default="function", help="Flott's conditions")
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--parallelism", type=int, default=2)
    return parser.parse_args()


options = arguments()
KEYS = options.keys
PART = options.records // options.parallelism


def payment(number):
    """Make a payment of a number, or columns of payments of an array of numbers: card, amount, time."""
    # The source hands out two halves side by side; together they make one sequence in the order of time.
    number = number % PART * options.parallelism + number // PART
    return number * 7919 % KEYS, number * number % 1000003 % 1000, number // PER_MILLI


def flott() -> tuple[float, list[int]]:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from peers import Watch

    from flott.cep import CEP, AfterMatchSkipStrategy, Pattern
    from flott.common import Configuration, Duration
    from flott.datastream import StreamExecutionEnvironment
    from flott.datastream.connectors.discard import DiscardingSink

    configuration = Configuration().set_string("flott.spark.master", f"local[{options.parallelism}]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(options.parallelism)
    payments, small, large = objects(env) if options.way == "function" else columns(env)
    pattern = (
        Pattern.begin("first", AfterMatchSkipStrategy.skip_past_last_event())
        .where(small)
        .next("second")
        .where(small)
        .next("third")
        .where(large)
        .within(Duration.of_minutes(1))
    )
    alerts = CEP.pattern(payments, pattern).select(lambda match: (match["first"][0][0], match["third"][0][1]))
    alerts.sink_to(DiscardingSink())
    client = env.execute_async("cep")
    watch = Watch(os.getpid())
    seconds = client.get_job_execution_result().result().get_net_runtime() / 1000
    watch.stop()
    return seconds, [round(held / 2**20) for held in watch.python_curve]


def objects(env):
    from flott.common import TimestampAssigner, Types, WatermarkStrategy
    from flott.datastream.connectors.number_seq import NumberSequenceSource

    class EventTime(TimestampAssigner):
        def extract_timestamp(self, value, record_timestamp):
            return value[2]

    source = NumberSequenceSource(0, options.records - 1)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers", Types.LONG())
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(EventTime())
    payments = numbers.map(payment).assign_timestamps_and_watermarks(strategy).key_by(lambda payment: payment[0])
    return payments, lambda payment: payment[1] < SMALL, lambda payment: payment[1] > LARGE


def columns(env):
    from flott.cep import col
    from flott.common import Types, WatermarkStrategy
    from flott.common.fields import field
    from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource

    generator = ColumnGenerator(
        lambda n: dict(zip(["card", "amount", "time"], payment(n), strict=True)),
        Types.ROW_NAMED(["card", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    payments = env.from_source(DataGeneratorSource(generator, options.records), strategy, "payments").key_by("card")
    return payments, col("amount") < SMALL, col("amount") > LARGE


def sql() -> tuple[float, list[int]]:
    from pyflink.common import Configuration
    from pyflink.table import EnvironmentSettings, TableEnvironment

    configuration = Configuration().set_string("pipeline.object-reuse", "true")
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
    tables = TableEnvironment.create(settings)
    tables.get_config().set("parallelism.default", str(options.parallelism))
    tables.execute_sql(f"""
        CREATE TABLE payments (
            n BIGINT,
            card AS MOD(n * 7919, {KEYS}),
            amount AS MOD(MOD(n * n, 1000003), 1000),
            ts AS TO_TIMESTAMP_LTZ(n / {PER_MILLI}, 3),
            WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND
        ) WITH (
            'connector' = 'datagen', 'rows-per-second' = '1000000000',
            'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '{options.records - 1}'
        )""")
    tables.execute_sql("CREATE TABLE alerts (card BIGINT, amount BIGINT) WITH ('connector' = 'blackhole')")
    job = tables.execute_sql(f"""
        INSERT INTO alerts SELECT card, amount FROM payments MATCH_RECOGNIZE (
            PARTITION BY card
            ORDER BY ts
            MEASURES C.amount AS amount
            ONE ROW PER MATCH
            AFTER MATCH SKIP PAST LAST ROW
            PATTERN (A B C) WITHIN INTERVAL '1' MINUTE
            DEFINE A AS A.amount < {SMALL}, B AS B.amount < {SMALL}, C AS C.amount > {LARGE}
        )""")  # noqa: S608 - our own numbers
    return job.get_job_client().get_job_execution_result().result().get_net_runtime() / 1000, []


def main() -> None:
    seconds, memory = sql() if options.engine == "pyflink" else flott()
    print(json.dumps({"net_seconds": seconds, "records": options.records, "memory_mb": memory}))


main()
