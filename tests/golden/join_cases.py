"""Joins of streams: by interval, by window, and groups of both."""

from __future__ import annotations

from tests.golden.saved_case import Case

from flott.common import Duration, Types
from flott.datastream.functions import CoGroupFunction, ProcessJoinFunction
from flott.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows

KEYS = 4


class Pair(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield f"+{left} {right} {ctx.get_timestamp()}"


def key(value):
    return value % KEYS


def some(numbers):
    return numbers.filter(lambda value: value % 3 != 0)


def intervals(numbers):
    lower, upper = Duration.of_millis(-150), Duration.of_millis(80)
    joined = numbers.key_by(key).interval_join(some(numbers).key_by(key)).between(lower, upper)
    return joined.process(Pair(), Types.STRING()).uid("joined")


def outer_intervals(numbers):
    lower, upper = Duration.of_millis(0), Duration.of_millis(40)
    joined = numbers.key_by(key).interval_join(some(numbers).key_by(key)).between(lower, upper).full_outer()
    return joined.process(Pair(), Types.STRING()).uid("joined")


def windows(assigner):
    def build(numbers):
        joined = numbers.join(some(numbers)).where(key).equal_to(key).window(assigner)
        return joined.apply(lambda a, b: f"+{a} {b}", Types.STRING()).uid("joined")

    return build


class Both(CoGroupFunction):
    def co_group(self, first, second):
        yield f"+{sorted(first)} {sorted(second)}"


def groups(numbers):
    assigner = TumblingEventTimeWindows.of(Duration.of_millis(170))
    grouped = numbers.co_group(some(numbers)).where(key).equal_to(key).window(assigner)
    return grouped.apply(Both(), Types.STRING()).uid("grouped")


CASES = [
    Case("join-interval", intervals),
    Case("join-interval-outer", outer_intervals),
    Case("join-tumbling", windows(TumblingEventTimeWindows.of(Duration.of_millis(170)))),
    Case("join-sliding", windows(SlidingEventTimeWindows.of(Duration.of_millis(160), Duration.of_millis(80)))),
    Case("join-sessions", windows(EventTimeSessionWindows.with_gap(Duration.of_millis(30)))),
    Case("co-group", groups),
]
