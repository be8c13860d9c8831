"""Operators whose results may depend on more than the order of each key and event time, each with the reason.

What they have in common: two runs on the same records differ. ``test_cuts.py`` shows that of each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.values.ordered_operators import TUMBLING, Listed, millis, some
from tests.values.states import keyed_by_first

from flott.cep import CEP, Pattern
from flott.common import Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import KeyedCoProcessFunction, KeyedProcessFunction, OutputTag
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import ValueStateDescriptor

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

CHANNELS = "several channels into one key: records of two channels have no order"
TIES = "ties: records of one time from several channels have no order"
PROCESSING_TIME = "processing time: results depend on the clock"
WATERMARKS = "between two records a watermark may come or not: watermarks come at the ends of batches"
LATE = OutputTag("late")


@dataclass(frozen=True)
class Exempt:
    """An operator that is exempt."""

    build: Callable[[DataStream], DataStream]
    reason: str
    same_records: bool
    """Whether only the order of what it emits differs."""


class Numbered(KeyedProcessFunction):
    """Numbers the records of a key as they come."""

    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, record, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield record[0], (self.count.value(), record[1])


class Both(KeyedCoProcessFunction):
    def process_element1(self, record, ctx):
        yield record[0], ("first", record[1])

    def process_element2(self, record, ctx):
        yield record[0], ("second", record[1])


class Pairs(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[0], (left[1], right[1])


class Clock(KeyedProcessFunction):
    def process_element(self, record, ctx):
        yield record[0], ctx.timer_service().current_processing_time()


class Watermarks(KeyedProcessFunction):
    def process_element(self, record, ctx):
        yield record[0], (record[1], ctx.timer_service().current_watermark())


class Pairwise(TimestampAssigner):
    """Gives each four records one time."""

    def extract_timestamp(self, value, record_timestamp):
        return record_timestamp // 40 * 40


def negative(record):
    return record[0], -record[1]


def interval_join(stream):
    left, right = keyed_by_first(stream), keyed_by_first(some(stream))
    return left.interval_join(right).between(millis(-60), millis(60)).process(Pairs())


def ties(stream):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Pairwise())
    timed = stream.assign_timestamps_and_watermarks(strategy)
    both = timed.rebalance().union(timed.map(negative))
    found = CEP.pattern(keyed_by_first(both), Pattern.begin("a").next("b"))
    return found.select(lambda match: (match["a"][0][0], (match["a"], match["b"])))


def late_records(stream):
    """Half of the records are 200 milliseconds older than those before them."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Backwards())
    windows = keyed_by_first(stream.assign_timestamps_and_watermarks(strategy)).window(TUMBLING)
    return windows.side_output_late_data(LATE).process(Listed()).get_side_output(LATE)


class Backwards(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return record_timestamp - value[1] % 2 * 200


EXEMPT = {
    "union": Exempt(lambda s: keyed_by_first(s.union(s.map(negative))).process(Numbered()), CHANNELS, False),
    "connected streams": Exempt(
        lambda s: keyed_by_first(s).connect(keyed_by_first(s)).process(Both()), CHANNELS, same_records=True
    ),
    "interval join": Exempt(interval_join, CHANNELS, same_records=True),
    "CEP on records of one time": Exempt(ties, TIES, same_records=False),
    "processing time": Exempt(lambda s: keyed_by_first(s).process(Clock()), PROCESSING_TIME, same_records=False),
    "current watermark": Exempt(lambda s: keyed_by_first(s).process(Watermarks()), WATERMARKS, same_records=False),
    "late records": Exempt(late_records, WATERMARKS, same_records=False),
}
