"""generator → key_by → event-time window → aggregate → discard: on Flott, on PyFlink, and as Flink SQL.

Run by benchmarks/windows.py; prints one line of JSON. With ``--way function`` the aggregates are Python functions, and
apart from imports and the discarding sink the program is the same on both engines. With ``--way built-in`` it is
Flott's built-in aggregates on one side, and on the other Flink SQL, which runs on the JVM without any Python.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from discarding import discard

SIZE, SLIDE, GAP = 10_000, 2_000, 5_000
SESSION = 1_000_000
"""With session windows, every key pauses after so many records."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--way", choices=["function", "built-in"], required=True)
    parser.add_argument("--window", choices=["tumbling", "sliding", "session"], required=True)
    parser.add_argument("--keys", type=int, required=True)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--rate", type=int, required=True, help="records per second of event time")
    parser.add_argument("--parallelism", type=int, default=2)
    return parser.parse_args()


options = arguments()
KEYS, RATE = options.keys, options.rate
PAUSE = 20_000 if options.window == "session" else 0


def configured(configuration):
    if options.engine == "pyflink":
        configuration.set_string("python.execution-mode", "thread")
        configuration.set_string("python.executable", sys.executable)
        configuration.set_string("pipeline.object-reuse", "true")
    else:
        configuration.set_string("flott.spark.master", f"local[{options.parallelism}]")
    return configuration


def functions() -> float:
    if options.engine == "flott":
        from flott.common import Configuration, Duration, Types, WatermarkStrategy
        from flott.common.watermark_strategy import TimestampAssigner
        from flott.datastream import AggregateFunction, StreamExecutionEnvironment
        from flott.datastream.connectors.number_seq import NumberSequenceSource
        from flott.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows
    else:
        from pyflink.common import Configuration, Duration, Time, Types, WatermarkStrategy
        from pyflink.common.watermark_strategy import TimestampAssigner
        from pyflink.datastream import AggregateFunction, StreamExecutionEnvironment
        from pyflink.datastream.connectors.number_seq import NumberSequenceSource
        from pyflink.datastream.window import (
            EventTimeSessionWindows,
            SlidingEventTimeWindows,
            TumblingEventTimeWindows,
        )

    class EventTime(TimestampAssigner):
        def extract_timestamp(self, value, record_timestamp):
            return value[2]

    class CountAndSum(AggregateFunction):
        def create_accumulator(self):
            return 0, 0, 0

        def add(self, value, accumulator):
            return value[0], accumulator[1] + 1, accumulator[2] + value[1]

        def get_result(self, accumulator):
            return accumulator

        def merge(self, acc_a, acc_b):
            return acc_a[0], acc_a[1] + acc_b[1], acc_a[2] + acc_b[2]

    millis = Duration.of_millis if options.engine == "flott" else Time.milliseconds
    env = StreamExecutionEnvironment.get_execution_environment(configured(Configuration()))
    env.set_parallelism(options.parallelism)
    source = NumberSequenceSource(0, options.records - 1)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers", Types.LONG())

    def triple():
        # A new one each time: once PyFlink has used a type it can't pickle it, which it does with an accumulator's.
        return Types.TUPLE([Types.LONG(), Types.LONG(), Types.LONG()])

    orders = numbers.map(
        lambda n: (n * 7919 % KEYS, n % 100, n * 1000 // RATE + n // SESSION * PAUSE), output_type=triple()
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(EventTime())
    keyed = orders.assign_timestamps_and_watermarks(strategy).key_by(lambda order: order[0], key_type=Types.LONG())
    if options.window == "tumbling":
        windows = keyed.window(TumblingEventTimeWindows.of(millis(SIZE)))
        results = windows.aggregate(CountAndSum(), accumulator_type=triple(), output_type=triple())
    elif options.window == "sliding":
        windows = keyed.window(SlidingEventTimeWindows.of(millis(SIZE), millis(SLIDE)))
        results = windows.reduce(lambda one, other: (one[0], one[1] + other[1], other[2]))
    else:
        windows = keyed.window(EventTimeSessionWindows.with_gap(millis(GAP)))
        results = windows.aggregate(CountAndSum(), accumulator_type=triple(), output_type=triple())
    discard(results, options.engine)
    return env.execute("windows").get_net_runtime() / 1000


def built_in() -> float:
    from flott.common import Configuration, Types, WatermarkStrategy
    from flott.common.fields import field
    from flott.datastream import StreamExecutionEnvironment
    from flott.datastream.aggregates import Count, Sum
    from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
    from flott.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows

    env = StreamExecutionEnvironment.get_execution_environment(configured(Configuration()))
    env.set_parallelism(options.parallelism)
    orders = ColumnGenerator(
        lambda n: {"user": n * 7919 % KEYS, "amount": n % 100, "time": n * 1000 // RATE + n // SESSION * PAUSE},
        Types.ROW_NAMED(["user", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    stream = env.from_source(DataGeneratorSource(orders, options.records), strategy, "orders")
    assigner = {
        "tumbling": TumblingEventTimeWindows.of(SIZE),
        "sliding": SlidingEventTimeWindows.of(SIZE, SLIDE),
        "session": EventTimeSessionWindows.with_gap(GAP),
    }[options.window]
    results = stream.key_by("user").window(assigner).aggregate([Count(), Sum("amount")])
    discard(results, options.engine)
    return env.execute("windows").get_net_runtime() / 1000


def sql() -> float:
    from pyflink.common import Configuration
    from pyflink.table import EnvironmentSettings, TableEnvironment

    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configured(Configuration()))
    tables = TableEnvironment.create(settings.build())
    tables.get_config().set("parallelism.default", str(options.parallelism))
    tables.execute_sql(f"""
        CREATE TABLE orders (
            n BIGINT,
            `user` AS MOD(n * 7919, {KEYS}),
            amount AS MOD(n, 100),
            `time` AS TO_TIMESTAMP_LTZ(n * 1000 / {RATE} + n / {SESSION} * {PAUSE}, 3),
            WATERMARK FOR `time` AS `time` - INTERVAL '0.001' SECOND
        ) WITH (
            'connector' = 'datagen', 'rows-per-second' = '1000000000',
            'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '{options.records - 1}'
        )""")
    tables.execute_sql("""
        CREATE TABLE nothing (`user` BIGINT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), c BIGINT, s BIGINT)
        WITH ('connector' = 'blackhole')""")
    windows = {
        "tumbling": "TUMBLE(TABLE orders, DESCRIPTOR(`time`), INTERVAL '10' SECOND)",
        "sliding": "HOP(TABLE orders, DESCRIPTOR(`time`), INTERVAL '2' SECOND, INTERVAL '10' SECOND)",
        "session": "SESSION(TABLE orders PARTITION BY `user`, DESCRIPTOR(`time`), INTERVAL '5' SECOND)",
    }[options.window]
    result = tables.execute_sql(f"""
        INSERT INTO nothing
        SELECT `user`, window_start, window_end, COUNT(*), SUM(amount) FROM TABLE({windows})
        GROUP BY `user`, window_start, window_end""")  # noqa: S608 - our own words
    return result.get_job_client().get_job_execution_result().result().get_net_runtime() / 1000


def main() -> None:
    started = time.time()
    run = functions if options.way == "function" else built_in if options.engine == "flott" else sql
    net = run()
    print(json.dumps({"seconds": time.time() - started, "net_seconds": net, "records": options.records}))


main()
