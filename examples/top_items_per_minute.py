"""The three items with the most clicks, for every minute of event time.

    flott run examples/top_items_per_minute.py

Two steps, as in any ranking over windows. First a window per item counts its clicks, and hands on one number when its
minute is over. Then all counts of a minute come together under the window's end as their key; they wait in state until
a timer says that none is missing, and are ranked. Clicks come up to two seconds out of order: the watermark waits for
them.
"""

from __future__ import annotations

from drawing import bars, clock
from sample_data import clicks

from flott.common import Duration, Time, Types, WatermarkStrategy
from flott.datastream import (
    AggregateFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
    StreamExecutionEnvironment,
)
from flott.datastream.state import ListStateDescriptor
from flott.datastream.window import TumblingEventTimeWindows


class Count(AggregateFunction):
    """A window holds this number, and not its clicks."""

    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class WithWindow(ProcessWindowFunction):
    """Says which item a count is of, and when its window ended."""

    def process(self, key, context, elements):
        for count in elements:
            yield context.window().end, key, count


class Ranking(KeyedProcessFunction):
    """Collects the counts of a window, and ranks them when there are all."""

    def __init__(self, places):
        self.places = places

    def open(self, runtime_context):
        self.counts = runtime_context.get_list_state(ListStateDescriptor("counts", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        end, item, count = value
        self.counts.add((item, count))
        # All windows of a minute fire with the same watermark. The next millisecond comes with a later one.
        ctx.timer_service().register_event_time_timer(end)

    def on_timer(self, timestamp, ctx):
        ranked = sorted(self.counts.get(), key=lambda pair: (-pair[1], pair[0]))
        self.counts.clear()
        yield ctx.get_current_key(), ranked[: self.places]


def top_items(env, made, places=3):
    in_time = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2))
    stream = env.from_collection(made).assign_timestamps_and_watermarks(
        in_time.with_timestamp_assigner(lambda click, _: click.at)
    )
    counts = (
        stream.key_by(lambda click: click.item)
        .window(TumblingEventTimeWindows.of(Time.minutes(1)))
        .aggregate(Count(), WithWindow())
    )
    return counts.key_by(lambda count: count[0]).process(Ranking(places))


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    with top_items(env, clicks()).execute_and_collect("top items per minute") as results:
        for end, ranked in sorted(results):
            print(f"the minute to {clock(end)}")
            print(bars(ranked, width=30), end="\n\n")


if __name__ == "__main__":
    main()
