"""Operators whose results depend on the records of each key, in their order, and on event time: on nothing else.

Records are ``(key, number)``, ten milliseconds apart. What leaves is ``(key, result)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.values.states import END, Gather, keyed_by_first

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern
from flott.common import Duration, Types
from flott.datastream import (
    AggregateFunction,
    AsyncDataStream,
    AsyncFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
)
from flott.datastream.functions import CoGroupFunction
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import (
    ContinuousEventTimeTrigger,
    CountEvictor,
    CountTrigger,
    CumulativeEventTimeWindows,
    DynamicEventTimeSessionWindows,
    EventTimeSessionWindows,
    GlobalWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

ANY = Types.PICKLED_BYTE_ARRAY()


def millis(count):
    return Duration.of_millis(count)


TUMBLING = TumblingEventTimeWindows.of(millis(70))
SLIDING = SlidingEventTimeWindows.of(millis(80), millis(30))
CUMULATIVE = CumulativeEventTimeWindows.of(millis(90), millis(30))
SESSIONS = EventTimeSessionWindows.with_gap(millis(40))


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 20 + element[1] % 3 * 20


class EveryState(KeyedProcessFunction):
    """Its result shows all that came before, in order."""

    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.all = context.get_list_state(ListStateDescriptor("all", Types.LONG()))
        self.last = context.get_map_state(MapStateDescriptor("last", Types.LONG(), Types.LONG()))

    def process_element(self, record, ctx):
        key, number = record
        self.count.update((self.count.value() or 0) + 1)
        self.all.add(number)
        self.last.put(number % 3, number)
        yield key, (self.count.value(), list(self.all.get())[-3:], list(self.last.items()))


class Timers(KeyedProcessFunction):
    """Only timers emit, and what they emit does not depend on which records have come meanwhile."""

    def process_element(self, record, ctx):
        timers = ctx.timer_service()
        timers.register_event_time_timer(ctx.timestamp() + record[1] % 5 * 10)
        timers.register_event_time_timer(END - record[1] % 4)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp


class Listed(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, (repr(context.window()), [number for _, number in elements])


class Plain(ProcessWindowFunction):
    """For windows without a time."""

    def process(self, key, context, elements):
        yield key, [number for _, number in elements]


class Ends(ProcessWindowFunction):
    """With the number of windows that its key had before."""

    def process(self, key, context, elements):
        count = context.global_state().get_state(ValueStateDescriptor("windows", Types.LONG()))
        count.update((count.value() or 0) + 1)
        yield key, (count.value(), context.window().max_timestamp(), len(list(elements)))


class Of(ProcessWindowFunction):
    def process(self, key, context, elements):
        [records] = elements
        yield key, (context.window().start, [number for _, number in records])


class Firings(AggregateFunction):
    """Asking for the result changes the accumulator: what comes out says how often that was."""

    def create_accumulator(self):
        return [None, 0]

    def add(self, record, accumulator):
        return [record[0], accumulator[1]] if accumulator[0] is None else accumulator

    def get_result(self, accumulator):
        accumulator[1] += 1
        return tuple(accumulator)

    def merge(self, one, other):
        raise NotImplementedError


class Groups(CoGroupFunction):
    def co_group(self, first, second):
        one, other = list(first), list(second)
        yield (one or other)[0][0], ([n for _, n in one], [n for _, n in other])


class Slow(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


def same_subtask(stream):
    return keyed_by_first(stream).map(lambda record: record)


def sum_of(one, other):
    return one[0], one[1] * 3 + other[1]


def windowed(assigner, function=None):
    return lambda stream: keyed_by_first(stream).window(assigner).process(function or Listed())


def evicted(assigner, evictor):
    return lambda stream: keyed_by_first(stream).window(assigner).evictor(evictor).process(Listed())


def some(stream):
    return stream.filter(lambda record: record[1] % 3 != 1).set_parallelism(1)


def first(record):
    return record[0]


def co_group(stream):
    return stream.co_group(some(stream)).where(first).equal_to(first).window(TUMBLING).apply(Groups())


def window_join(stream):
    joined = stream.join(some(stream)).where(first).equal_to(first).window(TUMBLING)
    return joined.apply(lambda one, other: (one[0], (one[1], other[1])))


def small(record):
    return record[1] % 5 < 2


def odd(record):
    return record[1] % 2 == 1


def matched(pattern):
    def build(stream):
        found = CEP.pattern(keyed_by_first(stream), pattern)
        return found.select(lambda match: (next(iter(match.values()))[0][0], sorted(match.items())))

    return build


BEGIN = Pattern.begin("a").where(small)
SKIPPING = Pattern.begin("a", AfterMatchSkipStrategy.skip_past_last_event()).where(small)

ORDERED: dict[str, Callable[[DataStream], DataStream]] = {
    "map": lambda stream: keyed_by_first(stream).map(lambda record: (record[0], record[1] + 1)),
    "async, ordered": lambda stream: AsyncDataStream.ordered_wait(same_subtask(stream), Slow(), Duration.of_minutes(5)),
    "every state": lambda stream: keyed_by_first(stream).process(EveryState()),
    "timers": lambda stream: keyed_by_first(stream).process(Timers()),
    "reduce": lambda stream: keyed_by_first(stream).reduce(sum_of),
    "sum": lambda stream: keyed_by_first(stream).sum(1),
    "max": lambda stream: keyed_by_first(stream).max(1),
    "min_by": lambda stream: keyed_by_first(stream).min_by(1),
    "tumbling": windowed(TUMBLING),
    "sliding": windowed(SLIDING),
    "cumulative": windowed(CUMULATIVE),
    "sessions": windowed(SESSIONS),
    "dynamic sessions": windowed(DynamicEventTimeSessionWindows.with_dynamic_gap(Gap())),
    "global state of windows": windowed(TUMBLING, Ends()),
    "window reduce": lambda stream: keyed_by_first(stream).window(SLIDING).reduce(sum_of),
    "window aggregate": lambda stream: (
        keyed_by_first(stream)
        .window(SESSIONS)
        .aggregate(Gather(), window_function=Of(), accumulator_type=ANY, output_type=ANY)
    ),
    "firings": lambda stream: (
        keyed_by_first(stream)
        .window(TumblingEventTimeWindows.of(millis(200)))
        .trigger(ContinuousEventTimeTrigger.of(millis(20)))
        .aggregate(Firings(), accumulator_type=ANY, output_type=ANY)
    ),
    "count windows": lambda stream: keyed_by_first(stream).count_window(3).process(Plain()),
    "sliding count windows": lambda stream: keyed_by_first(stream).count_window(4, 2).process(Plain()),
    "global windows": lambda stream: (
        keyed_by_first(stream)
        .window(GlobalWindows.create())
        .trigger(PurgingTrigger.of(CountTrigger.of(3)))
        .process(Plain())
    ),
    "count evictor": evicted(TUMBLING, CountEvictor.of(2)),
    "time evictor": evicted(SLIDING, TimeEvictor.of(millis(30))),
    "co-group": co_group,
    "window join": window_join,
    "CEP next": matched(BEGIN.next("b").where(odd)),
    "CEP followed by": matched(SKIPPING.followed_by("b").where(odd).within(millis(300))),
    "CEP loops": matched(SKIPPING.one_or_more().greedy().followed_by("b").where(odd).within(millis(200))),
}
