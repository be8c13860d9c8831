"""Functions of every kind that keep an object, change it and emit it again.

Records are ``(shape, number)``, with the numbers from 1 on. What leaves is the kept object: after the n-th record, it
has changed n times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.values.changing_objects import SHAPES, after, change
from tests.values.in_place import IN_PLACE, OnlyEachElement, keyed
from tests.values.states import END

from flott.cep import CEP, Pattern
from flott.common import Duration, Types
from flott.datastream import (
    AggregateFunction,
    AsyncDataStream,
    AsyncFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    OutputTag,
    ProcessFunction,
    ProcessWindowFunction,
)
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import TumblingEventTimeWindows

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

ANY = Types.PICKLED_BYTE_ARRAY()
DAY = Duration.of_days(1)
SIDE = OutputTag("side")
RULES = MapStateDescriptor("rules", Types.STRING(), ANY)


class Keeps:
    """Keeps one object in memory."""

    kept = None

    def again(self, record):
        shape, _ = record
        if self.kept is None:
            self.kept = SHAPES[shape].make()
        return change(shape, self.kept)

    def listed(self, record):
        return [self.again(record)]


class KeepingMap(MapFunction, Keeps):
    def map(self, value):
        return self.again(value)


class KeepingFlatMap(FlatMapFunction, Keeps):
    def flat_map(self, value):
        yield self.again(value)


class ListFlatMap(FlatMapFunction, Keeps):
    flat_map = Keeps.listed


class KeepingProcess(ProcessFunction, Keeps):
    def process_element(self, value, ctx):
        yield self.again(value)


class ToTheSide(ProcessFunction, Keeps):
    def process_element(self, value, ctx):
        ctx.output(SIDE, self.again(value))


class KeepingAsync(AsyncFunction, Keeps):
    async def async_invoke(self, value):
        return [self.again(value)]


class KeepingCoMap(CoMapFunction, Keeps):
    def map1(self, value):
        return self.again(value)

    def map2(self, value):
        return None


class KeepingCoFlatMap(CoFlatMapFunction, Keeps):
    def flat_map1(self, value):
        yield self.again(value)

    def flat_map2(self, value):
        return []


class KeepingCoProcess(KeyedCoProcessFunction, Keeps):
    def process_element1(self, value, ctx):
        yield self.again(value)

    def process_element2(self, value, ctx):
        pass


class KeepingBroadcast(BroadcastProcessFunction, Keeps):
    def process_element(self, value, ctx):
        pass

    def process_broadcast_element(self, value, ctx):
        yield self.again(value)


class KeepingKeyedBroadcast(KeyedBroadcastProcessFunction, Keeps):
    def process_element(self, value, ctx):
        yield self.again(value)

    def process_broadcast_element(self, value, ctx):
        pass


class InValueState(KeyedProcessFunction):
    def open(self, context):
        self.state = context.get_state(ValueStateDescriptor("kept", ANY))

    def process_element(self, record, ctx):
        shape, _ = record
        kept = self.state.value()
        kept = change(shape, SHAPES[shape].make() if kept is None else kept)
        self.state.update(kept)
        yield kept


class InMapState(KeyedProcessFunction):
    def open(self, context):
        self.state = context.get_map_state(MapStateDescriptor("kept", Types.STRING(), ANY))

    def process_element(self, record, ctx):
        shape, _ = record
        kept = self.state.get("kept")
        kept = change(shape, SHAPES[shape].make() if kept is None else kept)
        self.state.put("kept", kept)
        yield kept


class InListState(KeyedProcessFunction):
    def open(self, context):
        self.state = context.get_list_state(ListStateDescriptor("kept", ANY))

    def process_element(self, record, ctx):
        shape, _ = record
        kept = next(iter(self.state.get() or ()), None)
        kept = change(shape, SHAPES[shape].make() if kept is None else kept)
        self.state.update([kept])
        yield kept


class AtTimers(KeyedProcessFunction, Keeps):
    def open(self, context):
        self.shape = context.get_state(ValueStateDescriptor("shape", Types.STRING()))

    def process_element(self, record, ctx):
        self.shape.update(record[0])
        ctx.timer_service().register_event_time_timer(END + record[1])

    def on_timer(self, timestamp, ctx):
        yield self.again((self.shape.value(), 0))


class Accumulates(AggregateFunction):
    def create_accumulator(self):
        return [None]

    def add(self, record, accumulator):
        shape, _ = record
        if accumulator[0] is None:
            accumulator[0] = SHAPES[shape].make()
        change(shape, accumulator[0])
        return accumulator

    def get_result(self, accumulator):
        return accumulator[0]

    def merge(self, one, other):
        raise NotImplementedError


class InWindows(ProcessWindowFunction, Keeps):
    def process(self, key, context, elements):
        [record] = elements
        yield self.again(record)


class Joins(ProcessJoinFunction, Keeps):
    def process_element(self, left, right, ctx):
        yield self.again(left)


def nothing(stream):
    return stream.filter(lambda _: False)


def reduced(stream):
    """The first argument is changed and returned, as many do; the second one is of the same shape."""
    made = stream.map(lambda record: (record[0], after(record[0], 1)))
    return keyed(made).reduce(lambda one, _: (one[0], change(*one))).map(lambda pair: pair[1])


def early(stream):
    windows = keyed(stream).window(TumblingEventTimeWindows.of(DAY)).trigger(OnlyEachElement())
    return windows.aggregate(Accumulates(), accumulator_type=ANY, output_type=ANY)


def interval_join(stream):
    first = keyed(stream.filter(lambda record: record[1] == 1))
    return keyed(stream).interval_join(first).between(Duration.of_days(-1), DAY).process(Joins())


class Selects:
    """A function for CEP that keeps an object."""

    def __init__(self):
        self.keeps = Keeps()

    def __call__(self, match):
        return self.keeps.again(match["one"][0])


def matched(stream):
    return CEP.pattern(keyed(stream), Pattern.begin("one").where(lambda _: True)).select(Selects())


def branches(stream):
    """One branch changes what both get."""
    made = stream.map(lambda record: (record[0], after(*record)))
    changing = nothing(made.map(lambda pair: (pair[0], change(*pair))))
    return changing.union(made).map(lambda pair: pair[1])


def side_branches(stream):
    """The same behind a side output."""
    made = stream.map(lambda record: (record[0], after(*record)))
    out = made.process(AllToTheSide()).get_side_output(SIDE)
    return nothing(out.map(lambda pair: (pair[0], change(*pair)))).union(out).map(lambda pair: pair[1])


class AllToTheSide(ProcessFunction):
    def process_element(self, value, ctx):
        ctx.output(SIDE, value)


EMITTERS: dict[str, Callable[[DataStream], DataStream]] = {
    "map": lambda stream: stream.map(KeepingMap()),
    "flat_map": lambda stream: stream.flat_map(KeepingFlatMap()),
    "flat_map of lists": lambda stream: stream.flat_map(ListFlatMap()),
    "process": lambda stream: stream.process(KeepingProcess()),
    "side output": lambda stream: stream.process(ToTheSide()).get_side_output(SIDE),
    "async": lambda stream: AsyncDataStream.ordered_wait(stream, KeepingAsync(), Duration.of_minutes(5), capacity=1),
    "co_map": lambda stream: stream.connect(nothing(stream)).map(KeepingCoMap()),
    "co_flat_map": lambda stream: stream.connect(nothing(stream)).flat_map(KeepingCoFlatMap()),
    "co_process": lambda stream: keyed(stream).connect(keyed(nothing(stream))).process(KeepingCoProcess()),
    "broadcast": lambda s: nothing(s).connect(s.broadcast(RULES)).process(KeepingBroadcast()),
    "keyed broadcast": lambda s: keyed(s).connect(nothing(s).broadcast(RULES)).process(KeepingKeyedBroadcast()),
    "value state": lambda stream: keyed(stream).process(InValueState()),
    "map state": lambda stream: keyed(stream).process(InMapState()),
    "list state": lambda stream: keyed(stream).process(InListState()),
    "timers": lambda stream: keyed(stream).process(AtTimers()),
    "reduce": reduced,
    "early aggregate": early,
    "windows": lambda stream: keyed(stream).count_window(1).process(InWindows()),
    "interval join": interval_join,
    "CEP": matched,
    "branches": branches,
    "branches of a side output": side_branches,
    **IN_PLACE,
}
"""Each emits one object for each record."""
IN_STATE = {"value state", "map state", "list state", "reduce", "early aggregate", *IN_PLACE}
"""Those that keep the object in state, where it survives a failure."""


def emitting(name):
    """Return a function that builds the job of an emitter."""
    return lambda stream: [EMITTERS[name](stream).map(lambda value: (value,))]


def kept_in_memory(stream):
    """Build one job of all emitters that keep the object in memory only."""
    return [_emitted_by(name, stream) for name in EMITTERS if name not in IN_STATE]


def kept_in_state(stream):
    """Build one job of all emitters that keep the object in state."""
    return [_emitted_by(name, stream) for name in EMITTERS if name in IN_STATE]


def _emitted_by(name, stream):
    return EMITTERS[name](stream).map(lambda value: (name, value))
