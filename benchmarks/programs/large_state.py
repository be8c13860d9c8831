"""numbers → key_by → a value of some bytes per key, updated → discard. Run by benchmarks/large_state.py.

Prints a line of JSON after every epoch; runs until it is killed, and goes on where it was. Before the job starts, Spark
is up and has run a job of the same shape: what Java takes to start is told apart.
"""

from __future__ import annotations

import argparse
import json
import random
import time

from flott.common import Configuration, Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.state import ValueStateDescriptor
from flott.spark.first_job import version_of_workers
from flott.spark.session import epoch_session

parser = argparse.ArgumentParser()
parser.add_argument("--keys", type=int, required=True)
parser.add_argument("--bytes", type=int, required=True)
parser.add_argument("--directory", required=True)
parser.add_argument("--random", action="store_true", help="values that can't be packed")
options = parser.parse_args()
KEYS, SIZE = options.keys, options.bytes
NOISE = random.Random(1).randbytes(2**24) if options.random else b""


class Remember(KeyedProcessFunction):
    def open(self, runtime_context):
        self.state = runtime_context.get_state(ValueStateDescriptor("value", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        before = self.state.value()
        count = 1 if before is None else int.from_bytes(before[:8], "big") + 1
        self.state.update(count.to_bytes(8, "big") + filling(value))


def filling(number: int) -> bytes:
    if not NOISE:
        return b"x" * (SIZE - 8)
    start = number * 99_991 % (len(NOISE) - SIZE)
    return NOISE[start : start + SIZE - 8]


def main() -> None:
    configuration = Configuration()
    for key, value in {
        "flott.spark.master": "local[2]",
        "flott.state.dir": f"{options.directory}/state",
        "execution.checkpointing.interval": "1 s",
        "execution.checkpointing.dir": f"{options.directory}/checkpoints",
    }.items():
        configuration.set_string(key, value)
    began = time.monotonic()
    version_of_workers(epoch_session(configuration))
    spark_up = time.monotonic() - began
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    numbers = env.from_source(DataGeneratorSource(int, None), WatermarkStrategy.no_watermarks(), "numbers")
    numbers.key_by(lambda n: n * 7919 % KEYS).process(Remember()).sink_to(DiscardingSink())
    started = time.monotonic()
    client = env.execute_async("large state")
    total = 0

    def tell(stats) -> None:
        nonlocal total
        total += stats.records_in
        latest = client.master.checkpoints.statistics.latest_completed
        print(
            json.dumps(
                {
                    "epoch": stats.epoch,
                    "stores": [report.store_path for report in stats.reports if report.store_path],
                    "records": stats.records_in,
                    "seconds": stats.seconds,
                    "total": total,
                    "since_start": time.monotonic() - started,
                    "spark_up": spark_up,
                    "state": 0 if latest is None else latest.full_size,
                }
            ),
            flush=True,
        )

    client.master.listeners.append(tell)
    client.get_job_execution_result().result()


main()
