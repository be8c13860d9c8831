"""Every kind of state, as a step that keeps each record and hands it on later, read back from the state.

Records are ``(edge, group, value)``. Each is kept until the next one of its key comes, or until the end of the input;
then it leaves as ``(edge, value)``, exactly once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern
from flott.common import Duration, Types
from flott.datastream import (
    AggregateFunction,
    CheckpointedFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessWindowFunction,
)
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from flott.datastream.window import (
    CountEvictor,
    EventTimeSessionWindows,
    EventTimeTrigger,
    SlidingEventTimeWindows,
    TriggerResult,
    TumblingEventTimeWindows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

END = 10**9
"""An event time after all records."""
ANY = Types.PICKLED_BYTE_ARRAY()
DAY = Duration.of_days(1)


class Nothing:
    """Stands for None in states where None means that nothing is there."""


def held(value):
    return Nothing() if value is None else value


def told(value):
    return None if type(value) is Nothing else value


def key_of(record):
    return record[0], record[1]


def keyed(stream):
    return stream.key_by(key_of)


def keyed_by_first(stream):
    return stream.key_by(lambda record: record[0])


class Keeps(KeyedProcessFunction):
    """Keeps records until the end of the input."""

    def process_element(self, record, ctx):
        self.keep(record)
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        edge, _ = ctx.get_current_key()
        for value in self.kept():
            yield edge, value


class Latest(KeyedProcessFunction):
    """Keeps the last record only; the one before leaves."""

    def process_element(self, record, ctx):
        edge, _, value = record
        before = self.read()
        if before is not None:
            yield edge, told(before)
        self.write(held(value))
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key()[0], told(self.read())


class InValue(Latest):
    def open(self, context):
        self.state = context.get_state(ValueStateDescriptor("value", ANY))

    def read(self):
        return self.state.value()

    def write(self, value):
        self.state.update(value)


class InReducing(Latest):
    def open(self, context):
        self.state = context.get_reducing_state(ReducingStateDescriptor("reducing", lambda _, new: new, ANY))

    def read(self):
        return self.state.get()

    def write(self, value):
        self.state.add(value)


class InList(Keeps):
    def open(self, context):
        self.state = context.get_list_state(ListStateDescriptor("list", ANY))

    def keep(self, record):
        self.state.add(record[2])

    def kept(self):
        return self.state.get()


class InMap(Keeps):
    def open(self, context):
        self.state = context.get_map_state(MapStateDescriptor("map", Types.LONG(), ANY))
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def keep(self, record):
        count = self.count.value() or 0
        self.state.put(count, record[2])
        self.count.update(count + 1)

    def kept(self):
        return list(self.state.values())


class Gather(AggregateFunction):
    def create_accumulator(self):
        return ()

    def add(self, value, accumulator):
        return (*accumulator, value)

    def get_result(self, accumulator):
        return accumulator

    def merge(self, one, other):
        return one + other


class InAggregating(Keeps):
    def open(self, context):
        self.state = context.get_aggregating_state(AggregatingStateDescriptor("aggregating", Gather(), ANY))

    def keep(self, record):
        self.state.add(held(record[2]))

    def kept(self):
        return map(told, self.state.get())


class InOperatorList(MapFunction, CheckpointedFunction):
    """Not keyed: what it holds goes into operator state with each snapshot."""

    def __init__(self, union):
        self.union = union
        self.held = []

    def initialize_state(self, context):
        store = context.get_operator_state_store()
        descriptor = ListStateDescriptor("held", ANY)
        self.state = store.get_union_list_state(descriptor) if self.union else store.get_list_state(descriptor)
        self.held = list(self.state.get())

    def snapshot_state(self, context):
        self.state.update(self.held)

    def map(self, record):
        before = self.held[0] if self.held else None
        self.held = [record]
        return None if before is None else (before[0], before[2])


RULES = MapStateDescriptor("rules", Types.STRING(), ANY)


class InBroadcast(KeyedBroadcastProcessFunction):
    """The last record of each key of the broadcast side is in broadcast state."""

    def process_element(self, value, ctx):
        pass

    def process_broadcast_element(self, record, ctx):
        edge, group, value = record
        rules = ctx.get_broadcast_state(RULES)
        name = f"{edge} {group}"
        if rules.contains(name):
            yield edge, rules.get(name)
        rules.put(name, value)


class InConnected(KeyedCoProcessFunction):
    """Both inputs share one state; the first one's records come back at the end."""

    def open(self, context):
        self.state = context.get_list_state(ListStateDescriptor("both", ANY))

    def process_element1(self, record, ctx):
        self.state.add(record[2])
        ctx.timer_service().register_event_time_timer(END)

    def process_element2(self, record, ctx):
        pass

    def on_timer(self, timestamp, ctx):
        for value in self.state.get():
            yield ctx.get_current_key()[0], value


class Unpacked(ProcessWindowFunction):
    def process(self, key, context, elements):
        for edge, _, value in elements:
            yield edge, value


class Results(ProcessWindowFunction):
    def process(self, key, context, elements):
        [records] = elements
        for edge, _, value in records:
            yield edge, value


class EachElement(EventTimeTrigger):
    """Fires for each element and at the end."""

    def on_element(self, element, timestamp, window, ctx):
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.FIRE


class InWindowState(ProcessWindowFunction):
    """The last element is in the state of the window, or of the key over all windows."""

    def process(self, key, context, elements):
        state = context.window_state().get_state(ValueStateDescriptor("last", ANY))
        before = state.value()
        if before is not None:
            yield key[0], told(before)
        state.update(held(list(elements)[-1][2]))

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("last", ANY)).clear()


class InGlobalState(ProcessWindowFunction):
    def process(self, key, context, elements):
        state = context.global_state().get_state(ValueStateDescriptor("last", ANY))
        before = state.value()
        [record] = elements
        if before is not None:
            yield key[0], told(before)
        state.update(held(record[2]))


class First(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[0], left[2]


def by_class(function):
    return lambda stream: keyed(stream).process(function)


def windowed(assigner):
    return lambda stream: keyed(stream).window(assigner).process(Unpacked())


def operator_state(union):
    return lambda stream: stream.map(InOperatorList(union)).set_parallelism(1).filter(lambda pair: pair is not None)


def broadcast_state(stream):
    data = stream.filter(lambda _: False)
    return keyed(data).connect(stream.broadcast(RULES)).process(InBroadcast()).set_parallelism(1)


def connected(stream):
    return keyed(stream).connect(keyed(stream.filter(lambda _: False))).process(InConnected())


def one_of_each(stream):
    """One record a key, to be the partner of each record of the other side."""
    return keyed(stream).process(OncePerKey())


class OncePerKey(KeyedProcessFunction):
    def open(self, context):
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))

    def process_element(self, record, ctx):
        if not self.seen.value():
            self.seen.update(True)
            yield record[0], record[1], None


def interval_join(stream):
    partners = keyed(one_of_each(stream))
    return keyed(stream).interval_join(partners).between(Duration.of_days(-1), DAY).process(First())


def window_join(stream):
    joined = stream.join(one_of_each(stream)).where(key_of).equal_to(key_of).window(TumblingEventTimeWindows.of(DAY))
    return joined.apply(lambda left, _: (left[0], left[2]))


def matched(stream):
    pattern = Pattern.begin("one", AfterMatchSkipStrategy.skip_past_last_event()).where(lambda _: True)
    found = CEP.pattern(keyed(stream), pattern.next("two").where(lambda _: True))
    return found.flat_select(lambda match: [(e[0], e[2]) for name in ("one", "two") for e in match[name]])


STATES: dict[str, Callable[[DataStream], DataStream]] = {
    "value": by_class(InValue()),
    "list": by_class(InList()),
    "map": by_class(InMap()),
    "reducing": by_class(InReducing()),
    "aggregating": by_class(InAggregating()),
    "operator list": operator_state(union=False),
    "operator union": operator_state(union=True),
    "broadcast": broadcast_state,
    "connected": connected,
    "tumbling": windowed(TumblingEventTimeWindows.of(DAY)),
    "sliding": windowed(SlidingEventTimeWindows.of(DAY, DAY)),
    "session": windowed(EventTimeSessionWindows.with_gap(DAY)),
    "evicting": lambda s: (
        keyed(s).window(TumblingEventTimeWindows.of(DAY)).evictor(CountEvictor.of(10**6)).process(Unpacked())
    ),
    "aggregate": lambda s: (
        keyed(s)
        .window(TumblingEventTimeWindows.of(DAY))
        .aggregate(Gather(), window_function=Results(), accumulator_type=ANY, output_type=ANY)
    ),
    "window state": lambda s: (
        keyed(s).window(TumblingEventTimeWindows.of(DAY)).trigger(EachElement()).process(InWindowState())
    ),
    "global state": lambda s: keyed(s).count_window(1).process(InGlobalState()),
    "interval join": interval_join,
    "window join": window_join,
    "CEP": matched,
}
HELD_AT_THE_END = {"operator list", "operator union", "broadcast", "global state", "CEP"}
"""What they keep to the last does not leave: at most one record of each key."""
