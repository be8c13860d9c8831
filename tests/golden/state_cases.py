"""Every kind of keyed state and timers, and the operators that keep state of their own beside windows and joins."""

from __future__ import annotations

from tests.coordination.checkpoints.every_state_job import Average, lives_an_hour
from tests.golden.saved_case import END, STEP, Case

from flott.common import Types
from flott.datastream import (
    CoMapFunction,
    CoProcessFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
)
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)

KEYS = 5
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


def rest(value):
    return value % KEYS


class OneState(KeyedProcessFunction):
    """Keeps something of each key in one kind of state, and tells it with each record and at the end."""

    def __init__(self, kind, *, expires=False):
        self.kind = kind
        self.expires = expires

    def open(self, runtime_context):
        make = {
            "value": lambda: (runtime_context.get_state, ValueStateDescriptor("s", Types.LONG())),
            "list": lambda: (runtime_context.get_list_state, ListStateDescriptor("s", Types.LONG())),
            "map": lambda: (runtime_context.get_map_state, MapStateDescriptor("s", Types.LONG(), Types.LONG())),
            "reducing": lambda: (
                runtime_context.get_reducing_state,
                ReducingStateDescriptor("s", lambda a, b: a + b, Types.LONG()),
            ),
            "aggregating": lambda: (
                runtime_context.get_aggregating_state,
                AggregatingStateDescriptor("s", Average()),
            ),
            "pickled": lambda: (
                runtime_context.get_state,
                ValueStateDescriptor("s", Types.PICKLED_BYTE_ARRAY()),
            ),
        }
        get, descriptor = make[self.kind]()
        self.state = get(lives_an_hour(descriptor) if self.expires else descriptor)

    def process_element(self, value, ctx):
        state, kind = self.state, self.kind
        if kind == "value":
            state.update((state.value() or 0) + value)
        elif kind == "pickled":
            state.update({**(state.value() or {}), value % 3: [value]})
        elif kind == "map":
            state.put(value % 4, (state.get(value % 4) or 0) + 1)
        else:
            state.add(value)
        ctx.timer_service().register_event_time_timer(END)
        yield f"+{ctx.get_current_key()} {self.shown()}"

    def on_timer(self, timestamp, ctx):
        yield f"+end {ctx.get_current_key()} {self.shown()}"

    def shown(self):
        if self.kind in {"value", "pickled"}:
            return self.state.value()
        return sorted(self.state.items()) if self.kind == "map" else self.state.get()


def one_state(kind, *, expires=False):
    def build(numbers):
        return numbers.key_by(rest).process(OneState(kind, expires=expires), Types.STRING()).uid("states")

    return build


class Timers(KeyedProcessFunction):
    """Registers and deletes timers of both kinds."""

    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        timers.register_event_time_timer(value * STEP + 25 * STEP)
        timers.register_event_time_timer(END + value)
        timers.register_processing_time_timer(5_000 + value)
        if value % 3 == 0:
            timers.delete_event_time_timer(END + value - KEYS)

    def on_timer(self, timestamp, ctx):
        yield f"+{ctx.time_domain().name} {ctx.get_current_key()} {timestamp}"


def timers(numbers):
    return numbers.key_by(rest).process(Timers(), Types.STRING()).uid("timers")


class Totals(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.sums = runtime_context.get_map_state(MapStateDescriptor("sums", Types.STRING(), Types.LONG()))

    def _add(self, name, value, ctx):
        self.sums.put(name, (self.sums.get(name) or 0) + value)
        ctx.timer_service().register_event_time_timer(END)

    def process_element1(self, value, ctx):
        self._add("one", value, ctx)

    def process_element2(self, value, ctx):
        self._add("two", value, ctx)

    def on_timer(self, timestamp, ctx):
        yield f"+{ctx.get_current_key()} {sorted(self.sums.items())}"


def co_process(numbers):
    doubled = numbers.map(lambda value: value * 2, Types.LONG())
    both = numbers.key_by(rest).connect(doubled.key_by(rest))
    return both.process(Totals(), Types.STRING()).uid("co-process")


class Numbered(CoMapFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def map1(self, value):
        self.count.update((self.count.value() or 0) + 1)
        return f"+{value} {self.count.value()}"

    def map2(self, value):
        return None


def co_map(numbers):
    none = numbers.filter(lambda value: False)
    return numbers.key_by(rest).connect(none.key_by(rest)).map(Numbered(), Types.STRING()).uid("co-map")


class Every(FlatMapFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def flat_map(self, value):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        if count % 4 == 0:
            yield f"+{value} {count}"


def flat_map(numbers):
    return numbers.key_by(rest).flat_map(Every(), Types.STRING()).uid("flat map")


class Rules(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(END)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)

    def on_timer(self, timestamp, ctx):
        rules = sorted(ctx.get_broadcast_state(RULES).items())
        yield f"+{ctx.get_current_key()} {self.count.value()} {rules}"


def broadcast(numbers):
    book = numbers.get_execution_environment().from_collection([("a", 1), ("b", 2)]).uid("book").broadcast(RULES)
    return numbers.key_by(rest).connect(book).process(Rules(), Types.STRING()).uid("rules")


def rolling(numbers):
    pairs = numbers.map(lambda value: (value % KEYS, value), Types.TUPLE([Types.LONG(), Types.LONG()]))
    keyed = pairs.key_by(lambda pair: pair[0])
    found = [
        keyed.reduce(lambda a, b: (a[0], a[1] + b[1])).uid("reduce"),
        keyed.sum(1).uid("sum"),
        keyed.max(1).uid("max"),
        keyed.min_by(1).uid("min by"),
    ]
    texts = [one.map(lambda pair: f"+{tuple(pair)}", Types.STRING()) for one in found]
    return texts[0].union(*texts[1:])


class Joined(CoProcessFunction):
    """Not keyed: it keeps nothing, but its inputs have watermarks."""

    def process_element1(self, value, ctx):
        yield f"+one {value}"

    def process_element2(self, value, ctx):
        yield f"+two {value}"


def connected(numbers):
    return numbers.connect(numbers.filter(lambda value: value % 2)).process(Joined(), Types.STRING()).uid("joined")


CASES = [
    *(
        Case(f"state-{kind}", one_state(kind))
        for kind in ("value", "list", "map", "reducing", "aggregating", "pickled")
    ),
    *(Case(f"state-{kind}-ttl", one_state(kind, expires=True)) for kind in ("value", "list", "map")),
    Case("timers", timers),
    Case("co-process", co_process),
    Case("co-map", co_map),
    Case("flat-map", flat_map),
    Case("broadcast", broadcast),
    Case("rolling", rolling),
    Case("connected", connected),
]
