"""Functions that change what an operator keeps, without writing it back: that is kept, on whichever runner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.values.changing_objects import SHAPES, after, change
from tests.values.states import END, EachElement

from flott.common import Duration, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import KeyedProcessFunction, ProcessWindowFunction
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor
from flott.datastream.window import (
    CountTrigger,
    GlobalWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    TriggerResult,
    TumblingEventTimeWindows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

ANY = Types.PICKLED_BYTE_ARRAY()
DAY = Duration.of_days(1)


def one_key(_):
    return 0


def keyed(stream):
    return stream.key_by(one_key)


class InPlace(KeyedProcessFunction):
    """Changes what is in a state."""

    def __init__(self, kind, *, expires=False):
        self.kind = kind
        self.expires = expires

    def open(self, context):
        if self.kind == "map":
            self.state = context.get_map_state(self.described(MapStateDescriptor("kept", Types.STRING(), ANY)))
        elif self.kind == "list":
            self.state = context.get_list_state(self.described(ListStateDescriptor("kept", ANY)))
        else:
            self.state = context.get_state(self.described(ValueStateDescriptor("kept", ANY)))

    def described(self, descriptor):
        if self.expires:
            descriptor.enable_time_to_live(StateTtlConfig.new_builder(DAY).build())
        return descriptor

    def process_element(self, record, ctx):
        shape, _ = record
        kept = self.read()
        if kept is None:
            kept = SHAPES[shape].make()
            self.write(kept)
        kept = change(shape, kept)
        if self.kind == "map":
            [kept] = self.state.values()  # the same object, however it is read
        yield kept

    def read(self):
        if self.kind == "list":
            return next(iter(self.state.get() or ()), None)
        return self.state.get("kept") if self.kind == "map" else self.state.value()

    def write(self, kept):
        if self.kind == "list":
            self.state.add(kept)
        elif self.kind == "map":
            self.state.put("kept", kept)
        else:
            self.state.update(kept)


class OnlyEachElement(EachElement):
    def on_event_time(self, time, window, ctx):
        return TriggerResult.PURGE


class ChangesFirst(ProcessWindowFunction):
    """Changes the first of its elements, which stays in the window."""

    def process(self, key, context, elements):
        yield change(*next(iter(elements)))


class ChangesEach(ProcessWindowFunction):
    """Changes its element in each of the windows that it is in, and emits that of the last one."""

    def process(self, key, context, elements):
        [element] = elements
        kept = change(*element)
        if context.window().start < 0:
            yield kept


class ChangesPartner(ProcessJoinFunction):
    """Changes the record that was there before."""

    def process_element(self, left, right, ctx):
        yield change(*right)


def made(record):
    return record[0], SHAPES[record[0]].make()


def window_in_place(stream):
    windows = keyed(stream.map(made)).window(TumblingEventTimeWindows.of(DAY)).trigger(OnlyEachElement())
    return windows.process(ChangesFirst())


class FirstAfterAll(TimestampAssigner):
    """The first record comes after all others in event time, so that each of those is late."""

    def extract_timestamp(self, value, record_timestamp):
        return END if value[1] == 1 else 5


class ChangesFirstOfLate(ProcessWindowFunction):
    def process(self, key, context, elements):
        if context.window().start == 0:
            yield (change(*next(iter(elements))),)


def late_window_in_place(stream):
    """Build a job whose window fires for each late record, and then changes the first one that it has."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(FirstAfterAll())
    timed = stream.assign_timestamps_and_watermarks(strategy).map(made)
    windows = keyed(timed).window(TumblingEventTimeWindows.of(Duration.of_millis(10))).allowed_lateness(2 * END)
    return [windows.process(ChangesFirstOfLate())]


def windows_at_once(stream):
    almost = stream.map(lambda record: (record[0], after(record[0], record[1] - 1)))
    windows = keyed(almost).window(SlidingEventTimeWindows.of(DAY, Duration.of_hours(12)))
    return windows.trigger(PurgingTrigger.of(CountTrigger.of(1))).process(ChangesEach())


def global_window_in_place(stream):
    windows = keyed(stream.map(made)).window(GlobalWindows.create()).trigger(CountTrigger.of(1))
    return windows.process(ChangesFirst())


def join_in_place(stream):
    first = keyed(stream.filter(lambda record: record[1] == 1).map(made))
    return keyed(stream).interval_join(first).between(Duration.of_days(-1), DAY).process(ChangesPartner())


IN_PLACE: dict[str, Callable[[DataStream], DataStream]] = {
    "value state in place": lambda stream: keyed(stream).process(InPlace("value")),
    "map state in place": lambda stream: keyed(stream).process(InPlace("map")),
    "list state in place": lambda stream: keyed(stream).process(InPlace("list")),
    "expiring map state in place": lambda stream: keyed(stream).process(InPlace("map", expires=True)),
    "window in place": window_in_place,
    "global window in place": global_window_in_place,
    "windows at once": windows_at_once,
    "interval join in place": join_in_place,
}
