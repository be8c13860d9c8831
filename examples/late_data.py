"""Orders that come when their minute is over: set aside, and added where they belong.

    flott run examples/late_data.py

A minute's revenue is told five seconds after the minute, for nobody wants to wait for a phone in a tunnel. What comes
later goes to a side output instead of being dropped. There it becomes a correction of its window, and corrections and
first results meet again, keyed by window: the report is early, and in the end it is right.
"""

from __future__ import annotations

from drawing import clock, table
from sample_data import MINUTE, SECOND, orders

from flott.common import Time, WatermarkStrategy
from flott.common.watermark_generators import WatermarkGenerator
from flott.datastream import OutputTag, ProcessWindowFunction, StreamExecutionEnvironment
from flott.datastream.window import TumblingEventTimeWindows

LATE = OutputTag("late orders")


class FiveSecondsBehind(WatermarkGenerator):
    """Says after each order how far time has come, so that every run finds the same orders late.

    `WatermarkStrategy.for_bounded_out_of_orderness` says it now and then, which is cheaper: then some orders that are
    a little late are in time.
    """

    def __init__(self):
        self.latest = 0

    def on_event(self, event, event_timestamp, output):
        self.latest = max(self.latest, event_timestamp)
        output.emit_watermark(self.latest - 5 * SECOND)

    def on_periodic_emit(self, output):
        pass


class Revenue(ProcessWindowFunction):
    """The first result of a window: its start, what came in time, and nothing late yet."""

    def process(self, key, context, elements):
        yield context.window().start, sum(order.cents for order in elements), 0, 0


def repaired_revenue(env, made):
    """Return (minute, cents in time, late orders, cents that came late), again whenever something is added."""
    strategy = WatermarkStrategy.for_generator(FiveSecondsBehind).with_timestamp_assigner(lambda order, _: order.at)
    in_time = (
        env.from_collection(made)
        .assign_timestamps_and_watermarks(strategy)
        .set_parallelism(1)  # one clock for all orders, in the order in which they come
        .key_by(lambda _: "all")
        .window(TumblingEventTimeWindows.of(Time.minutes(1)))
        .side_output_late_data(LATE)
        .process(Revenue())
    )
    corrections = in_time.get_side_output(LATE).map(lambda order: (order.at // MINUTE * MINUTE, 0, 1, order.cents))
    return (
        in_time.union(corrections)
        .key_by(lambda part: part[0])
        .reduce(lambda a, b: (a[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]))
    )


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    with repaired_revenue(env, orders()).execute_and_collect("late data") as results:
        final = {minute: rest for minute, *rest in results}
    rows = [
        (clock(minute), cents / 100, late, added / 100, (cents + added) / 100)
        for minute, (cents, late, added) in sorted(final.items())
    ]
    print(table(["minute", "first told", "late", "added", "in the end"], rows))
    told, right = (sum(row[place] for row in rows) for place in (1, 4))
    print(f"\nWithout the side output, {100 * (1 - told / right):.1f} % of the revenue would be missing.")


if __name__ == "__main__":
    main()
