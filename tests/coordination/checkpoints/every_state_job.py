"""A job with every kind of state, whose output does not depend on order or parallelism; it can be built in variants."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from tests.waiting import PATIENCE

from flott.cep import CEP, Pattern
from flott.common import Configuration, Duration, Row, Types, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.common.watermark_strategy import TimestampAssigner
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.file_sink import FileSink
from flott.datastream import (
    AggregateFunction,
    CheckpointedFunction,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessWindowFunction,
    StreamExecutionEnvironment,
)
from flott.datastream.aggregates import Count, Sum
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from flott.datastream.window import (
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)

RECORDS = 360
HOLD_AT = 200
KEYS = 7
STEP = 10
"""Milliseconds of event time from one record to the next."""
END = RECORDS * STEP + 1
PROCESSING_TIMERS = 5_000
"""The time of day that all processing-time timers stand at."""
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())
RULE_BOOK = [(f"rule {number}", number) for number in range(5)]
ROW = Types.ROW_NAMED(["key", "amount"], [Types.LONG(), Types.LONG()])
LONG_KEY = "x" * 500
FROM = "execution.state-recovery.path"
SAME, NEW_OPERATOR, REMOVED_OPERATOR, OTHER_ORDER = "same", "new operator", "removed operator", "other order"
WIDENED = "widened schema"
NARROW_ROW = Types.ROW_NAMED(["old", "count", "total"], [Types.STRING(), Types.INT(), Types.LONG()])
WIDE_ROW = Types.ROW_NAMED(["total", "new", "count"], [Types.DOUBLE(), Types.STRING(), Types.LONG()])


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * STEP


class Hold(MapFunction):
    """Stops the job at a record, so that a test can ask for a savepoint just there."""

    at: int | None = None
    reached = threading.Event()
    go_on = threading.Event()

    def map(self, value):
        if value == Hold.at:
            Hold.reached.set()
            assert Hold.go_on.wait(PATIENCE)
        return value


class SplitTotal(MapFunction, CheckpointedFunction):
    """How many records there were, in an even-split list."""

    totals: dict = {}  # noqa: RUF012 - shared by all copies in this process

    def initialize_state(self, context):
        self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("total", Types.LONG()))
        self.counts = self.state.get()

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def map(self, value):
        self.counts.append(1)
        return value

    def snapshot_state(self, context):
        # Three elements, so that there is something to split.
        total = sum(self.counts)
        self.counts = [total // 3, total // 3, total - 2 * (total // 3)]
        self.state.update(self.counts)
        SplitTotal.totals[self.subtask] = total


class UnionTotal(MapFunction, CheckpointedFunction):
    """How many records there were, in a union list: whoever starts takes its share of what all have counted."""

    totals: dict = {}  # noqa: RUF012 - shared by all copies in this process

    def initialize_state(self, context):
        self.state = context.get_operator_state_store().get_union_list_state(
            ListStateDescriptor("all totals", Types.LONG())
        )

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()
        everything = sorted(self.state.get())
        self.total = sum(everything[self.subtask :: runtime_context.get_number_of_parallel_subtasks()])

    def map(self, value):
        self.total += 1
        return value

    def snapshot_state(self, context):
        self.state.update([self.total])
        UnionTotal.totals[self.subtask] = self.total


class Average(AggregateFunction):
    def create_accumulator(self):
        return (0, 0)

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


def lives_an_hour(descriptor):
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Duration.of_hours(1)).build())
    return descriptor


class EveryState(KeyedProcessFunction):
    """Keeps the same in every kind of keyed state, and tells all of it at the end."""

    def open(self, runtime_context):
        get = runtime_context
        self.count = get.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.numbers = get.get_list_state(ListStateDescriptor("numbers", Types.LONG()))
        self.rests = get.get_map_state(MapStateDescriptor("rests", Types.LONG(), Types.LONG()))
        self.total = get.get_reducing_state(ReducingStateDescriptor("total", lambda a, b: a + b, Types.LONG()))
        self.average = get.get_aggregating_state(AggregatingStateDescriptor("average", Average()))
        self.ttl_count = get.get_state(lives_an_hour(ValueStateDescriptor("ttl count", Types.LONG())))
        self.ttl_numbers = get.get_list_state(lives_an_hour(ListStateDescriptor("ttl numbers", Types.LONG())))
        self.ttl_rests = get.get_map_state(lives_an_hour(MapStateDescriptor("ttl rests", Types.LONG(), Types.LONG())))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        self.numbers.add(value)
        self.rests.put(value % 3, (self.rests.get(value % 3) or 0) + 1)
        self.total.add(value)
        self.average.add(value)
        self.ttl_count.update((self.ttl_count.value() or 0) + 1)
        self.ttl_numbers.add(value)
        self.ttl_rests.put(value % 3, value)
        if count == 1:
            ctx.timer_service().register_event_time_timer(END)
            ctx.timer_service().register_processing_time_timer(PROCESSING_TIMERS)
        if value % 10 == 0:
            ctx.timer_service().register_event_time_timer(value * STEP + 35 * STEP)
        yield f"record {name(ctx.get_current_key())} {count}"

    def on_timer(self, timestamp, ctx):
        key = name(ctx.get_current_key())
        if ctx.timer_service().current_watermark() < timestamp:
            yield f"processing timer {key}"
        elif timestamp < END:
            yield f"timer {key} {timestamp}"
        else:
            ttl = (self.ttl_count.value(), sum(self.ttl_numbers.get()), len(list(self.ttl_rests.keys())))
            yield f"end {key} {self.count.value()} {sorted(self.numbers.get())} {sorted(self.rests.items())}"
            yield f"end {key} {self.total.get()} {self.average.get()} {ttl}"


class RowStates(KeyedProcessFunction):
    """Keeps rows in state. Widened, they have lost a field and won one, and the others hold more."""

    def __init__(self, *, wide):
        self.row = WIDE_ROW if wide else NARROW_ROW
        self.whole = Types.LONG() if wide else Types.SHORT()

    def open(self, runtime_context):
        get = runtime_context
        self.value = get.get_state(ValueStateDescriptor("row", self.row))
        self.listed = get.get_list_state(ListStateDescriptor("rows", self.row))
        self.mapped = get.get_map_state(MapStateDescriptor("rows by rest", Types.LONG(), self.row))
        self.ttl_value = get.get_state(lives_an_hour(ValueStateDescriptor("ttl row", self.row)))
        self.ttl_listed = get.get_list_state(lives_an_hour(ListStateDescriptor("ttl rows", self.row)))
        self.ttl_mapped = get.get_map_state(lives_an_hour(MapStateDescriptor("ttl rows by rest", None, self.row)))
        self.plain = get.get_state(ValueStateDescriptor("plain", self.whole))

    def make(self, count, total):
        fields = {"old": "dropped", "count": count, "total": total, "new": None}
        return Row(**{name: fields[name] for name in self.row.get_field_names()})

    def process_element(self, value, ctx):
        before = self.value.value() or self.make(0, 0)
        row = self.make(before["count"] + 1, before["total"] + value)
        rest = self.mapped.get(value % 3) or self.make(0, 0)
        rest = self.make(rest["count"] + 1, rest["total"] + value)
        self.value.update(row)
        self.ttl_value.update(row)
        self.listed.add(self.make(1, value))
        self.ttl_listed.add(self.make(1, value))
        self.mapped.put(value % 3, rest)
        self.ttl_mapped.put(value % 3, rest)
        self.plain.update((self.plain.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        rows = [self.value.value(), *self.listed.get(), *(row for _, row in sorted(self.mapped.items()))]
        rows += [self.ttl_value.value(), *self.ttl_listed.get(), *(row for _, row in sorted(self.ttl_mapped.items()))]
        assert {tuple(row.get_field_names()) for row in rows} == {tuple(self.row.get_field_names())}
        pairs = sorted((row["count"], int(row["total"])) for row in rows)
        yield f"rows {ctx.get_current_key()} {self.plain.value()} {pairs}"


class Rules(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(END)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)

    def on_timer(self, timestamp, ctx):
        yield f"rules {ctx.get_current_key()} {self.count.value()} {sorted(ctx.get_broadcast_state(RULES).items())}"


class Listed(ProcessWindowFunction):
    def __init__(self, title):
        self.title = title

    def process(self, key, context, elements):
        yield f"{self.title} {key} {context.window().start} {sorted(elements)}"


class Counted(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"counted {key} {len(list(elements))}"


class NewCount(KeyedProcessFunction):
    """An operator that a savepoint knows nothing of."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield value


def name(key):
    return key if len(str(key)) < 100 else "long"


def by_seven(value):
    return LONG_KEY if value % KEYS == 0 else value % KEYS


def burst(value):
    return value // 20 % 5


@dataclass
class Job:
    """How the job is built and run."""

    out: object
    variant: str = SAME
    parallelism: int = 2
    max_parallelism: int | None = None
    options: dict = field(default_factory=dict)
    checkpoints: bool = True
    """Without checkpoints, a sink shows its output at once, and a savepoint has none that waits."""

    def environment(self):
        configuration = Configuration().set_string("flott.execution.target", "in-process")
        if self.checkpoints:
            configuration.set_string("execution.checkpointing.interval", "1 h")
        for option, value in self.options.items():
            configuration.set_string(option, value)
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(self.parallelism)
        if self.max_parallelism is not None:
            env.set_max_parallelism(self.max_parallelism)
        return env

    def build(self):
        """Return an environment with the job in it."""
        env = self.environment()
        stream = self.numbers(env)
        branches = [
            self.states,
            self.row_states,
            self.rules,
            self.plain_windows,
            self.sessions,
            self.columns,
            self.patterns,
        ]
        if self.variant == OTHER_ORDER:
            branches.reverse()
        if self.variant == REMOVED_OPERATOR:
            branches.remove(self.sessions)
        lines = [branch(stream) for branch in branches]
        lines[0].union(*lines[1:]).sink_to(text_sink(self.out)).uid("out")
        return env

    def numbers(self, env):
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
        stream = env.from_source(DataGeneratorSource(lambda index: index, RECORDS), strategy, "numbers").uid("numbers")
        steps = [(Hold(), "hold"), (SplitTotal(), "split total"), (UnionTotal(), "union total")]
        if self.variant == OTHER_ORDER:
            steps.reverse()
        for function, uid in steps:
            stream = stream.map(function, Types.LONG()).uid(uid)
            if self.variant == NEW_OPERATOR:
                stream = stream.map(lambda value: value, Types.LONG())
        if self.variant == NEW_OPERATOR:
            stream = stream.key_by(lambda value: value % 11).process(NewCount(), Types.LONG()).uid("new count")
        return stream

    def states(self, stream):
        return stream.key_by(by_seven).process(EveryState(), Types.STRING()).uid("every state")

    def row_states(self, stream):
        function = RowStates(wide=self.variant == WIDENED)
        return stream.key_by(lambda value: value % KEYS).process(function, Types.STRING()).uid("row states")

    def rules(self, stream):
        book = stream.get_execution_environment().from_collection(RULE_BOOK).uid("rule book").broadcast(RULES)
        return stream.key_by(lambda value: value % KEYS).connect(book).process(Rules(), Types.STRING()).uid("rules")

    def plain_windows(self, stream):
        keyed = stream.key_by(lambda value: value % KEYS)
        reduced = (
            keyed.window(TumblingEventTimeWindows.of(Duration.of_millis(700)))
            .reduce(lambda a, b: a + b)
            .uid("tumbling")
            .map(lambda total: f"tumbling {total}", Types.STRING())
        )
        listed = (
            keyed.window(SlidingEventTimeWindows.of(Duration.of_millis(900), Duration.of_millis(300)))
            .process(Listed("listed"), Types.STRING())
            .uid("listed")
        )
        counted = keyed.count_window(8).process(Counted(), Types.STRING()).uid("counted")
        return reduced.union(listed, counted)

    def sessions(self, stream):
        windows = stream.key_by(burst).window(EventTimeSessionWindows.with_gap(Duration.of_millis(50)))
        short = windows.reduce(lambda a, b: a + b).uid("sessions").map(lambda total: f"session {total}", Types.STRING())
        long = stream.key_by(burst).window(EventTimeSessionWindows.with_gap(Duration.of_millis(900)))
        return short.union(long.process(Listed("listed session"), Types.STRING()).uid("listed sessions"))

    def columns(self, stream):
        rows = stream.map(lambda value: (value % KEYS, value), ROW).uid("rows")
        windows = rows.key_by("key").window(TumblingEventTimeWindows.of(Duration.of_millis(800)))
        return (
            windows.aggregate([Count(), Sum("amount")])
            .uid("columns")
            .map(lambda row: f"columns {tuple(row)}", Types.STRING())
        )

    def patterns(self, stream):
        pattern = (
            Pattern.begin("small").where(lambda value: value % 2 == 0)
            .followed_by("odd").where(lambda value: value % 3 == 0)
            .within(Duration.of_millis(600))
        )  # fmt: skip
        keyed = stream.key_by(lambda value: value % KEYS)
        return CEP.pattern(keyed, pattern).select(match_text, output_type=Types.STRING()).uid("patterns")


def match_text(match):
    return f"match {match['small'][0]} {match['odd'][0]}"


def text_sink(path):
    return (
        FileSink.for_row_format(str(path), Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .build()
    )


def lines(path):
    return sorted(line for file in path.glob("part-*") if file.is_file() for line in file.read_text().splitlines())
