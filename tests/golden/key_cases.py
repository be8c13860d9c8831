"""Keys of every type: those whose encoding stays for ever, and others."""

from __future__ import annotations

import datetime as dt
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from uuid import UUID

import numpy as np
from tests.golden.saved_case import END, Case

from flott.common import Duration, Row, Types
from flott.datastream import KeyedProcessFunction, ProcessWindowFunction
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows

Point = namedtuple("Point", "x y")  # noqa: PYI024 - without types, as programs have it


@dataclass(frozen=True)
class User:
    name: str
    age: int


class Color(Enum):
    RED = 1
    BLUE = "blue"


class Level(IntEnum):
    LOW = 101
    HIGH = 102


CET = dt.timezone(dt.timedelta(hours=1), "CET")
PLAIN = [
    "a", "ü", "", "x" * 400, 7, -7, 2**70, b"", b"b\0", None, 0.5, -1.25e300, 3.0, float("inf"),
    (), ("a", 7, None, b"b", 0.5), (("n", 1), -2), ("x" * 400, 1),
]  # fmt: skip
"""Of the types whose encoding does not change."""

OTHER = [
    True, Row("ann", 7), Row(name="ann", age=8), User("ann", 7), User("bob", 8), Point(1, "y"),
    Decimal("0.1"), Decimal("2.50"), Decimal(900), Fraction(1, 3), Fraction(1, 4),
    np.int64(77), np.float64(7.5), np.float32(0.1), np.str_("numpy"), np.datetime64("2024-05-01T13:00:00"),
    dt.date(2024, 5, 1), dt.datetime.fromisoformat("2024-05-01T12:00"), dt.datetime(2024, 5, 1, 12, tzinfo=CET),
    dt.time(12, 30), dt.timedelta(seconds=3), Color.RED, Color.BLUE, Level.LOW, frozenset({"a", "b", 3}), UUID(int=5),
    ("nested", Row("a", User("c", 1))), (np.int64(5), Decimal("0.25"), Color.RED),
]  # fmt: skip
"""Of types that were pickled, or written in a way that has changed."""


def nth(keys, value):
    return keys[value % len(keys)]


class Everything(KeyedProcessFunction):
    """Keeps a count in several states, and the number of the key, by which the output names it."""

    def __init__(self, keys):
        self.keys = keys

    def open(self, runtime_context):
        self.number = runtime_context.get_state(ValueStateDescriptor("number", Types.LONG()))
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", Types.LONG()))
        self.by_key = runtime_context.get_map_state(MapStateDescriptor("by key", None, Types.LONG()))

    def process_element(self, value, ctx):
        self.number.update(value % len(self.keys))
        self.count.update((self.count.value() or 0) + 1)
        self.seen.add(value)
        key = nth(self.keys, value // 2)
        self.by_key.put(key, (self.by_key.get(key) or 0) + 1)
        ctx.timer_service().register_event_time_timer(END)
        yield f"+{self.number.value()} {self.count.value()}"

    def on_timer(self, timestamp, ctx):
        counts = sorted(self.by_key.values())
        yield f"+end {self.number.value()} {self.count.value()} {self.seen.get()} {counts}"


class Listed(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"+{context.window().start} {sorted(elements)}"


def key_case(name, keys):
    def states(numbers):
        keyed = numbers.key_by(lambda value: nth(keys, value))
        return keyed.process(Everything(keys), Types.STRING()).uid("states")

    def windows(numbers):
        keyed = numbers.key_by(lambda value: nth(keys, value))
        tumbling = keyed.window(TumblingEventTimeWindows.of(Duration.of_millis(450)))
        sessions = keyed.window(EventTimeSessionWindows.with_gap(Duration.of_millis(500)))
        listed = tumbling.process(Listed(), Types.STRING()).uid("tumbling")
        summed = tumbling.reduce(lambda a, b: a + b).uid("summed").map(lambda total: f"+sum {total}", Types.STRING())
        return listed.union(summed, sessions.process(Listed(), Types.STRING()).uid("sessions"))

    return [Case(f"keys-{name}-states", states), Case(f"keys-{name}-windows", windows)]


class MapKeys(KeyedProcessFunction):
    """Counts by keys of a map, most of which were pickled, too."""

    def open(self, runtime_context):
        self.counts = runtime_context.get_map_state(MapStateDescriptor("counts", None, Types.LONG()))

    def process_element(self, value, ctx):
        key = nth(MAP_KEYS, value)
        self.counts.put(key, (self.counts.get(key) or 0) + 1)
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        yield f"+{ctx.get_current_key()} {[self.counts.get(key) for key in MAP_KEYS]} {sorted(self.counts.values())}"


def map_keys(numbers):
    return numbers.key_by(lambda value: value % 3).process(MapKeys(), Types.STRING()).uid("map keys")


MAP_KEYS = [*PLAIN, *(key for key in OTHER if not isinstance(key, frozenset))]

CASES = [Case("keys-of-maps", map_keys), *key_case("plain", PLAIN), *key_case("other", OTHER)]
