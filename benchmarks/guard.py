"""Have we lost speed? Flott's operators against a plain Python loop over the same data, in one process.

    python benchmarks/guard.py [--write]

The ratio of the two processor times hardly depends on the machine: it is compared with that in guard.json, and more
than 20 % on top of it fails. Both sides run in turn and the best of each counts; a busy machine gets several tries.
``--write`` keeps today's ratios (of three tries, the middle one), for a change that is meant to cost or to save time.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.fields import field
from flott.datastream import AggregateFunction, KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.aggregates import Count, Sum
from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.connectors.number_seq import NumberSequenceSource
from flott.datastream.state import ValueStateDescriptor
from flott.datastream.window import TumblingEventTimeWindows
from flott.runtime import native

RATIOS = Path(__file__).with_name("guard.json")
KEYS, RECORDS, SIZE = 1_000, 400_000, 10_000
LOSS, ROUNDS, TRIES = 1.2, 3, 10


class CountPerKey(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield value[0], count


class CountAndSum(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


def pair_of(n: int) -> tuple[int, int]:
    return n * 7919 % KEYS, n


def environment() -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env


def keyed_count() -> None:
    env = environment()
    numbers = env.from_source(NumberSequenceSource(0, RECORDS - 1), WatermarkStrategy.no_watermarks(), "numbers")
    pairs = numbers.map(pair_of, output_type=Types.TUPLE([Types.LONG(), Types.LONG()]))
    pairs.key_by(lambda pair: pair[0], key_type=Types.LONG()).process(CountPerKey()).sink_to(DiscardingSink())
    env.execute("keyed count")


def keyed_count_in_a_loop() -> None:
    counts: dict[int, int] = {}

    def process(value: tuple[int, int]) -> tuple[int, int]:
        count = counts.get(value[0], 0) + 1
        counts[value[0]] = count
        return value[0], count

    for n in range(RECORDS):
        process(pair_of(n))


def windows() -> None:
    env = environment()
    numbers = env.from_source(NumberSequenceSource(0, RECORDS - 1), WatermarkStrategy.no_watermarks(), "numbers")
    pairs = numbers.map(pair_of, output_type=Types.TUPLE([Types.LONG(), Types.LONG()]))
    in_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda pair, _: pair[1])
    keyed = pairs.assign_timestamps_and_watermarks(in_time).key_by(lambda pair: pair[0], key_type=Types.LONG())
    keyed.window(TumblingEventTimeWindows.of(SIZE)).aggregate(CountAndSum()).sink_to(DiscardingSink())
    env.execute("windows")


def windows_in_a_loop() -> None:
    function = CountAndSum()
    accumulators: dict[tuple[int, int], tuple[int, int]] = {}
    for n in range(RECORDS):
        pair = pair_of(n)
        window = pair[0], pair[1] - pair[1] % SIZE
        accumulator = accumulators.get(window)
        accumulators[window] = function.add(pair, accumulator or function.create_accumulator())


def columns() -> None:
    env = environment()
    orders = ColumnGenerator(
        lambda n: {"user": n * 7919 % KEYS, "amount": n % 100, "time": n},
        Types.ROW_NAMED(["user", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    )
    in_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    stream = env.from_source(DataGeneratorSource(orders, 20 * RECORDS), in_time, "orders")
    totals = stream.key_by("user").window(TumblingEventTimeWindows.of(20 * SIZE)).aggregate([Count(), Sum("amount")])
    totals.sink_to(DiscardingSink())
    env.execute("columns")


SCENARIOS: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
    "keyed count": (keyed_count, keyed_count_in_a_loop),
    "windows, functions": (windows, windows_in_a_loop),
    "windows, columns, 20 times the records": (columns, windows_in_a_loop),
}


def ratio_of(name: str) -> float:
    """Return the processor time of Flott over that of the loop, the best of some rounds each."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for side, run in enumerate(SCENARIOS[name]):
            gc.collect()
            gc.disable()  # as a worker does while a task runs
            started = time.process_time()
            run()
            best[side] = min(best[side], time.process_time() - started)
            gc.enable()
    return best[0] / best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="keep today's ratios")
    options = parser.parse_args()
    if native.entries is None:
        sys.exit("the ratios are those of Flott with its compiled parts: make native")
    if options.write:
        known = {name: round(statistics.median(ratio_of(name) for _ in range(3)), 2) for name in SCENARIOS}
        RATIOS.write_text(json.dumps(known, indent=1) + "\n")
    lost = False
    for name, known in json.loads(RATIOS.read_text()).items():
        for _ in range(TRIES):
            found = ratio_of(name)
            if found <= LOSS * known:
                break
        lost |= found > LOSS * known
        verdict = "TOO SLOW" if found > LOSS * known else "ok"
        print(f"{name}: {found:.2f} x a plain loop, {known:.2f} when it was written down: {verdict}", flush=True)
    if lost:
        sys.exit("speed was lost: find out where (py-spy), or write the new ratios down with --write and say why")


if __name__ == "__main__":
    main()
