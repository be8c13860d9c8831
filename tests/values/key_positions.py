"""Every place where a key decides: each counts the records of a key, and shows the key that it sees.

Records are ``(family, key)``. What leaves is ``(position, family, count, key)``, with a key of None where none is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.values.states import END

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern
from flott.common import Duration, Types
from flott.datastream import (
    AggregateFunction,
    BroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
)
from flott.datastream.functions import CoGroupFunction, ProcessJoinFunction
from flott.datastream.state import MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

JOB = f"{__name__}:every_position"
ANY = Types.PICKLED_BYTE_ARRAY()
COUNTS = MapStateDescriptor("counts of all", ANY, Types.LONG())
DAY = Duration.of_days(1)


def key_of(record):
    return record[1]


def keyed(stream):
    return stream.key_by(key_of)


class Counts(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, record, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield "process", record[0], count, ctx.get_current_key()


class Timed(KeyedProcessFunction):
    def open(self, context):
        self.last = context.get_state(ValueStateDescriptor("last", ANY))

    def process_element(self, record, ctx):
        self.last.update((record[0], (self.last.value() or (None, 0))[1] + 1))
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        yield "timer", *self.last.value(), ctx.get_current_key()


class OfOneKey(KeyedProcessFunction):
    """Counts in map state, all keys of one."""

    def open(self, context):
        self.counts = context.get_map_state(MapStateDescriptor("counts", ANY, Types.LONG()))

    def process_element(self, record, ctx):
        family, key = record
        count = (self.counts.get(key) or 0) + 1
        self.counts.put(key, count)
        yield "map state", family, count, None


class OfBroadcast(BroadcastProcessFunction):
    """Counts in broadcast state, all keys of one."""

    def process_element(self, value, ctx):
        pass

    def process_broadcast_element(self, record, ctx):
        family, key = record
        counts = ctx.get_broadcast_state(COUNTS)
        count = (counts.get(key) if counts.contains(key) else 0) + 1
        counts.put(key, count)
        yield "broadcast state", family, count, None


class OfBoth(KeyedCoProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element1(self, record, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield "connected", record[0], 1, ctx.get_current_key()
        ctx.timer_service().register_event_time_timer(END)

    def process_element2(self, record, ctx):
        return self.process_element1(record, ctx)

    def on_timer(self, timestamp, ctx):
        yield "connected, together", "any", self.count.value(), ctx.get_current_key()


class Listed(ProcessWindowFunction):
    def __init__(self, position):
        self.position = position

    def process(self, key, context, elements):
        records = list(elements)
        yield self.position, records[0][0], len(records), key


class Size(AggregateFunction):
    def create_accumulator(self):
        return None, 0

    def add(self, record, accumulator):
        return record[0], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, one, other):
        return one[0] or other[0], one[1] + other[1]


class Sized(ProcessWindowFunction):
    def process(self, key, context, elements):
        [(family, count)] = elements
        yield "window aggregate", family, count, key


class Pairs(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield "interval join", left[0], 1, None


class Groups(CoGroupFunction):
    def co_group(self, first, second):
        first = list(first)
        yield "co-group", first[0][0], len(first) + len(list(second)), None


def reduced(stream):
    counted = stream.map(lambda record: (*record, 1))
    return (
        keyed(counted)
        .reduce(lambda one, other: (*one[:2], one[2] + other[2]))
        .map(lambda one: ("reduce", one[0], one[2], None))
    )


def broadcast(stream):
    nothing = stream.filter(lambda _: False)
    return nothing.connect(stream.broadcast(COUNTS)).process(OfBroadcast()).set_parallelism(1)


def tumbling(stream):
    return keyed(stream).window(TumblingEventTimeWindows.of(DAY)).process(Listed("tumbling"))


def sessions(stream):
    return keyed(stream).window(EventTimeSessionWindows.with_gap(DAY)).process(Listed("session"))


def aggregated(stream):
    windows = keyed(stream).window(TumblingEventTimeWindows.of(DAY))
    return windows.aggregate(Size(), window_function=Sized(), accumulator_type=ANY, output_type=ANY)


def count_windows(stream):
    return keyed(stream).count_window(2).process(Listed("count window"))


def window_join(stream):
    joined = stream.join(stream).where(key_of).equal_to(key_of).window(TumblingEventTimeWindows.of(DAY))
    return joined.apply(lambda left, _: ("window join", left[0], 1, None))


def co_group(stream):
    grouped = stream.co_group(stream).where(key_of).equal_to(key_of).window(TumblingEventTimeWindows.of(DAY))
    return grouped.apply(Groups())


def interval_join(stream):
    return keyed(stream).interval_join(keyed(stream)).between(Duration.of_days(-1), DAY).process(Pairs())


def matched(stream):
    pattern = Pattern.begin("one", AfterMatchSkipStrategy.skip_past_last_event()).where(lambda _: True)
    found = CEP.pattern(keyed(stream), pattern.next("two").where(lambda _: True))
    return found.select(lambda match: ("CEP", match["one"][0][0], 2, None))


def all_up_to(count):
    return list(range(1, count + 1))


POSITIONS: dict[str, tuple[Callable[[DataStream], DataStream], Callable[[int], list[int]]]] = {
    "process": (lambda stream: keyed(stream).process(Counts()), all_up_to),
    "timer": (lambda stream: keyed(stream).process(Timed()), lambda count: [count]),
    "map state": (lambda stream: stream.key_by(lambda _: 0).process(OfOneKey()), all_up_to),
    "broadcast state": (broadcast, all_up_to),
    "connected": (lambda s: keyed(s).connect(keyed(s)).process(OfBoth()), lambda count: [1] * 2 * count),
    "reduce": (reduced, all_up_to),
    "tumbling": (tumbling, lambda count: [count]),
    "session": (sessions, lambda count: [count]),
    "window aggregate": (aggregated, lambda count: [count]),
    "count window": (count_windows, lambda count: [2] * (count // 2)),
    "window join": (window_join, lambda count: [1] * count**2),
    "co-group": (co_group, lambda count: [2 * count]),
    "interval join": (interval_join, lambda count: [1] * count**2),
    "CEP": (matched, lambda count: [2] * (count // 2)),
}
"""By name: how it is built, and which counts it shows for so many records of one key."""


def every_position(stream: DataStream) -> list[DataStream]:
    """Build one job with all of them."""
    return [build(stream) for build, _ in POSITIONS.values()]
