"""A job that has every kind of state and knows what must come out: lost or doubled records show at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from flott.common import Duration, Types, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.common.watermark_strategy import TimestampAssigner
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.file_sink import FileSink
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import (
    CheckpointedFunction,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessWindowFunction,
)
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import TumblingEventTimeWindows

SECOND = 1_000
RULES = 20
RULE_STATE = MapStateDescriptor("rules", Types.LONG(), Types.LONG())


class EventTime(TimestampAssigner):
    """A record's number is its time in milliseconds."""

    def extract_timestamp(self, value, record_timestamp):
        return value


class Totals(MapFunction, CheckpointedFunction):
    """Operator state: numbers the records of a subtask; every tenth number is kept with its record."""

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def initialize_state(self, context):
        self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("total", Types.LONG()))
        self.total = sum(self.state.get())

    def snapshot_state(self, context):
        self.state.update([self.total])

    def map(self, value):
        self.total += 1
        return value, self.total, self.subtask


class Sequence(KeyedProcessFunction):
    """Keyed state: numbers the records of a key. Timers: counts them per second."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.since = runtime_context.get_map_state(MapStateDescriptor("since", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        end = (ctx.timestamp() // SECOND + 1) * SECOND - 1
        self.since.put(end, (self.since.get(end) or 0) + 1)
        ctx.timer_service().register_event_time_timer(end)
        yield f"record {ctx.get_current_key()} {number}"
        if number % 10 == 0:
            yield f"total {value[2]} {value[1]}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {ctx.get_current_key()} {timestamp} {self.since.get(timestamp)}"
        self.since.remove(timestamp)


class WindowCount(ProcessWindowFunction):
    """Windows: counts the records of a key per second."""

    def process(self, key, context, elements):
        yield f"window {key} {context.window().max_timestamp()} {len(list(elements))}"


class WithRules(KeyedBroadcastProcessFunction):
    """Broadcast state: at the end of a key's time, says how many rules there are."""

    def process_broadcast_element(self, value, ctx):
        state = ctx.get_broadcast_state(RULE_STATE)
        state.put(value, (state.get(value) or 0) + 1)

    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(10**12)

    def on_timer(self, timestamp, ctx):
        rules = dict(ctx.get_broadcast_state(RULE_STATE).items())
        yield f"rules {ctx.get_current_key()} {sorted(rules.items()) == [(rule, 1) for rule in range(RULES)]}"


def file_sink(path):
    return (
        FileSink.for_row_format(str(path), Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .build()
    )


def key_of(value):
    return value[0] % 7


def build(env, out, records, *, rate=None, before=None, sinks=()):
    """Build the job; ``before`` is a function that all records pass first, ``sinks`` get all that comes out too."""
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(50))
    times = times.with_timestamp_assigner(EventTime())
    numbers = env.from_source(DataGeneratorSource(int, records, limit), times, "numbers").uid("numbers")
    if before is not None:
        numbers = numbers.map(before).uid("before")
    keyed = numbers.map(Totals()).uid("totals").key_by(key_of)
    sequence = keyed.process(Sequence()).uid("sequence")
    windows = keyed.window(TumblingEventTimeWindows.of(Duration.of_seconds(1))).process(WindowCount()).uid("windows")
    rules = env.from_source(DataGeneratorSource(int, RULES), WatermarkStrategy.no_watermarks(), "rules").uid("rules")
    ruled = keyed.connect(rules.broadcast(RULE_STATE)).process(WithRules()).uid("ruled")
    everything = sequence.union(windows, ruled)
    everything.sink_to(file_sink(out)).uid("out")
    for number, sink in enumerate(sinks):
        everything.sink_to(sink).uid(f"sink-{number}")


def expected(records):
    """Return what must come out, but for the totals of subtasks."""
    lines = [f"record {n % 7} {n // 7 + 1}" for n in range(records)]
    seconds = Counter((n % 7, n // SECOND * SECOND + SECOND - 1) for n in range(records))
    lines += [f"{kind} {key} {end} {count}" for (key, end), count in seconds.items() for kind in ("timer", "window")]
    return sorted(lines + [f"rules {key} True" for key in range(min(7, records))])


def written(out):
    return [line for file in Path(out).glob("part-*") for line in file.read_text().splitlines()]


def check(lines, records, *, rescaled=False):
    """Check that nothing was lost and nothing doubled. A rescaled job deals the totals of subtasks out anew."""
    rest = sorted(line for line in lines if not line.startswith("total"))
    assert Counter(rest) - Counter(expected(records)) == Counter(), "too much came out"
    assert Counter(expected(records)) - Counter(rest) == Counter(), "something is missing"
    totals = [line for line in lines if line.startswith("total")]
    assert len(totals) == sum(len(range(key, records, 7)) // 10 for key in range(7))
    assert rescaled or len(totals) == len(set(totals))
