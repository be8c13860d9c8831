"""Windows: each strategy, row by row and in columns, with triggers, evictors and lateness."""

from __future__ import annotations

from tests.coordination.checkpoints.every_state_job import Average
from tests.golden.saved_case import Case

from flott.common import Duration, Types, WatermarkStrategy
from flott.datastream import OutputTag, ProcessAllWindowFunction, ProcessWindowFunction
from flott.datastream.aggregates import Avg, Count, Max, Min, Sum
from flott.datastream.state import ValueStateDescriptor
from flott.datastream.window import (
    ContinuousEventTimeTrigger,
    CountEvictor,
    CountTrigger,
    CumulativeEventTimeWindows,
    DynamicEventTimeSessionWindows,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)

KEYS = 5
ROW = Types.ROW_NAMED(["key", "text", "amount"], [Types.LONG(), Types.STRING(), Types.LONG()])
LATE = OutputTag("late", Types.LONG())


def millis(count):
    return Duration.of_millis(count)


TUMBLING = TumblingEventTimeWindows.of(millis(350))
SLIDING = SlidingEventTimeWindows.of(millis(400), millis(100))
CUMULATIVE = CumulativeEventTimeWindows.of(millis(400), millis(100))
SESSIONS = EventTimeSessionWindows.with_gap(millis(120))


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 60 + element % 3 * 40


class Listed(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"+{key} {context.window().start} {sorted(elements)}"


class ListedGlobal(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"+{key} {sorted(elements)}"


class ListedAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield f"+{context.window().start} {sorted(elements)}"


class Last(ProcessWindowFunction):
    """Emits what a window has at its end only, with the number of windows that its key had before.

    How often a trigger fires before that depends on where epochs are cut.
    """

    def process(self, key, context, elements):
        if context.current_watermark() < context.window().max_timestamp():
            return
        count = context.global_state().get_state(ValueStateDescriptor("windows", Types.LONG()))
        count.update((count.value() or 0) + 1)
        yield f"+{key} {context.window().start} {count.value()} {sorted(elements)}"


class OfWindow(ProcessWindowFunction):
    """Remembers the first elements that a window was looked at with."""

    def process(self, key, context, elements):
        first = context.window_state().get_state(ValueStateDescriptor("first", Types.LONG()))
        if first.value() is None:
            first.update(min(elements))
        if context.current_watermark() >= context.window().max_timestamp():
            yield f"+{key} {context.window().start} {first.value()} {sorted(elements)}"

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("first", Types.LONG())).clear()


def keyed(numbers):
    return numbers.key_by(lambda value: value % KEYS)


def bursts(numbers):
    """Keys that are quiet for a while now and then, so that sessions end."""
    return numbers.filter(lambda value: value % 20 < 12).key_by(lambda value: value % 3)


def text(one):
    return one.map(lambda value: f"+{value}", Types.STRING())


def listed(assigner, key=keyed):
    return lambda numbers: key(numbers).window(assigner).process(Listed(), Types.STRING()).uid("windows")


def reduced(assigner, key=keyed):
    return lambda numbers: text(key(numbers).window(assigner).reduce(lambda a, b: a + b).uid("windows"))


def aggregated(assigner, key=keyed):
    return lambda numbers: text(key(numbers).window(assigner).aggregate(Average()).uid("windows"))


def global_count(numbers):
    windows = keyed(numbers).window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(4)))
    return windows.process(ListedGlobal(), Types.STRING()).uid("windows")


def count_windows(numbers):
    plain = keyed(numbers).count_window(4).process(ListedGlobal(), Types.STRING()).uid("count")
    sliding = keyed(numbers).count_window(6, 2).process(ListedGlobal(), Types.STRING()).uid("sliding count")
    return plain.union(sliding)


def evicting(numbers):
    by_count = keyed(numbers).window(TUMBLING).evictor(CountEvictor.of(3))
    by_time = keyed(numbers).window(SLIDING).evictor(TimeEvictor.of(millis(150)))
    sessions = bursts(numbers).window(SESSIONS).evictor(CountEvictor.of(2))
    found = [
        by_count.process(Listed(), Types.STRING()).uid("by count"),
        by_time.process(Listed(), Types.STRING()).uid("by time"),
        sessions.process(Listed(), Types.STRING()).uid("sessions"),
        text(by_count.reduce(lambda a, b: a + b).uid("reduced")),
    ]
    return found[0].union(*found[1:])


def continuous(numbers):
    windows = keyed(numbers).window(TUMBLING).trigger(ContinuousEventTimeTrigger.of(millis(100)))
    sessions = bursts(numbers).window(SESSIONS).trigger(ContinuousEventTimeTrigger.of(millis(100)))
    found = [
        windows.process(Last(), Types.STRING()).uid("windows"),
        windows.process(OfWindow(), Types.STRING()).uid("state of windows"),
        sessions.process(Last(), Types.STRING()).uid("sessions"),
    ]
    return found[0].union(*found[1:])


def triggered_sessions(numbers):
    windows = bursts(numbers).window(SESSIONS).trigger(PurgingTrigger.of(CountTrigger.of(2)))
    return windows.process(Listed(), Types.STRING()).uid("windows")


def lateness(numbers):
    ahead = numbers.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(
            lambda value, _: value * 10 - (value % 7 == 0) * 200 - (value % 11 == 0) * 500
        )
    )
    windows = keyed(ahead).window(TumblingEventTimeWindows.of(millis(100))).allowed_lateness(millis(250))
    found = windows.side_output_late_data(LATE).reduce(lambda a, b: a + b).uid("windows")
    # How often a window fires again depends on where batches end; how many are late does not.
    return found.get_side_output(LATE).map(lambda value: f"+late {value}", Types.STRING())


def processing_time(numbers):
    found = [
        keyed(numbers).window(TumblingProcessingTimeWindows.of(millis(5_000))).reduce(lambda a, b: a + b).uid("fixed"),
        keyed(numbers).window(ProcessingTimeSessionWindows.with_gap(millis(6_000))).reduce(max).uid("sessions"),
    ]
    return text(found[0].union(found[1]))


def over_all(numbers):
    timed = numbers.window_all(TUMBLING).process(ListedAll(), Types.STRING()).uid("timed")
    counted = text(numbers.count_window_all(7).reduce(lambda a, b: a + b).uid("counted"))
    return timed.union(counted)


def columns(assigner, *, of_texts=False):
    """Windows whose aggregates are built in, over rows of declared types."""

    def build(numbers):
        rows = numbers.filter(lambda value: value % 20 < 12).map(
            lambda value: (value % KEYS, f"k{value % KEYS}", value), ROW
        )
        windows = rows.key_by("text" if of_texts else "key").window(assigner)
        aggregates = [Count(), Sum("amount"), Min("amount"), Max("amount"), Avg("amount")]
        return windows.aggregate(aggregates).uid("columns").map(lambda row: f"+{tuple(row)}", Types.STRING())

    return build


CASES = [
    *(
        Case(f"windows-{name}-{way}", build(assigner, bursts if name == "sessions" else keyed))
        for name, assigner in (
            ("tumbling", TUMBLING),
            ("sliding", SLIDING),
            ("cumulative", CUMULATIVE),
            ("sessions", SESSIONS),
        )
        for way, build in (("listed", listed), ("reduced", reduced), ("aggregated", aggregated))
    ),
    Case("windows-dynamic-sessions", listed(DynamicEventTimeSessionWindows.with_dynamic_gap(Gap()), bursts)),
    Case("windows-dynamic-sessions-reduced", reduced(DynamicEventTimeSessionWindows.with_dynamic_gap(Gap()), bursts)),
    Case("windows-global-count", global_count),
    Case("windows-count", count_windows),
    Case("windows-evicting", evicting),
    Case("windows-continuous-trigger", continuous),
    Case("windows-triggered-sessions", triggered_sessions),
    Case("windows-lateness", lateness),
    Case("windows-processing-time", processing_time),
    Case("windows-all", over_all),
    *(
        Case(f"columns-{name}{'-of-texts' if of_texts else ''}", columns(assigner, of_texts=of_texts))
        for name, assigner in (("tumbling", TUMBLING), ("sliding", SLIDING), ("sessions", SESSIONS))
        for of_texts in (False, True)
    ),
]
