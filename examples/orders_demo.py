"""A live table of revenue per city: orders without end, counted in event time, on embedded Spark.

    python examples/orders_demo.py [--seconds 15] [--rate 2000] [--master "local[*]"]

Orders come from a seeded generator and reach us up to two seconds late and out of order. Every five seconds of event
time a window per city closes and its row is updated. Stops by itself, or on Ctrl-C.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass

from flott.common import Configuration, Duration, Time, WatermarkStrategy
from flott.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy, SeededGenerator
from flott.datastream.window import TumblingEventTimeWindows

CITIES = ["Berlin", "Lagos", "Lima", "Osaka", "Pune", "Quebec"]


@dataclass
class Order:
    city: str
    cents: int
    at: int
    """When the customer paid, in milliseconds since 1970."""


def make_order(started: int, rate: int):
    def order(dice: random.Random, index: int) -> Order:
        paid = started + index * 1000 // rate - dice.randrange(2000)
        return Order(dice.choice(CITIES), dice.randrange(100, 20_000), paid)

    return order


class Revenue(AggregateFunction):
    """Orders and cents of one city in one window."""

    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value.cents

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class WithWindow(ProcessWindowFunction):
    """Adds to a city's revenue the window it belongs to."""

    def process(self, key, context, elements):
        for orders, cents in elements:
            yield key, context.window().end, orders, cents


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15, help="stop this long after the first window (default: 15)")
    parser.add_argument("--rate", type=int, default=2000, help="orders per second (default: 2000)")
    parser.add_argument("--master", default="local[*]", help="where Spark runs (default: local[*])")
    options = parser.parse_args()

    configuration = Configuration()
    configuration.set_string("flott.spark.master", options.master)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    print(f"Starting Spark at {options.master} …", flush=True)

    started = time.time_ns() // 1_000_000
    orders = env.from_source(
        DataGeneratorSource(
            SeededGenerator(42, make_order(started, options.rate)),
            None,
            RateLimiterStrategy.per_second(options.rate),
        ),
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2)).with_timestamp_assigner(
            lambda order, _: order.at
        ),
        "orders",
    )
    revenue = (
        orders.key_by(lambda order: order.city)
        .window(TumblingEventTimeWindows.of(Time.seconds(5)))
        .aggregate(Revenue(), WithWindow())
    )
    try:
        with revenue.execute_and_collect("orders demo") as results:
            show(results, options.seconds)
    except KeyboardInterrupt:
        print("\nStopped.")
    return 0


def show(results, seconds: float) -> None:
    """Draw the table again whenever a window closes, until the time is up."""
    deadline = time.monotonic() + seconds
    table = {}
    live = sys.stdout.isatty()
    drawn = 0
    for city, end, orders, cents in results:
        known = table.get(city, (0, 0, 0, 0))
        table[city] = (end, orders, cents, known[3] + cents)
        if len({row[0] for row in table.values()}) == 1 and len(table) == len(CITIES):
            if live and drawn:
                print(f"\x1b[{len(table) + 2}A", end="")
            if not drawn:
                deadline = time.monotonic() + seconds  # starting Spark does not count
            draw(table)
            drawn += 1
            if time.monotonic() > deadline:
                print(f"{drawn} windows closed. That's the demo; the job is cancelled.")
                return


def draw(table) -> None:
    end = time.strftime("%H:%M:%S", time.localtime(next(iter(table.values()))[0] / 1000))
    print(f"5 seconds to {end}    orders      revenue        total")
    print("-" * 54)
    for city, (_, orders, cents, total) in sorted(table.items()):
        print(f"{city:16} {orders:10,} {cents / 100:12,.2f} {total / 100:12,.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
