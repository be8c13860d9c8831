"""Records and state as users write them: dicts, Rows, lists inside tuples, dataclasses, list and map state."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.compare.streams import numbers

from flott.common import Row, Types
from flott.datastream import KeyedProcessFunction
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor

KEYS = 1_000
ROW = Types.ROW_NAMED(["user", "amount", "item"], [Types.LONG(), Types.DOUBLE(), Types.STRING()])
LATEST, ITEMS = 10, 20


@dataclass
class Order:
    user: int
    amount: float
    item: str


class Spent(KeyedProcessFunction):
    """Emits each record as it came, and keeps the sum of what ``amount`` returns."""

    def __init__(self, amount):
        self.amount = amount

    def open(self, runtime_context):
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.DOUBLE()))

    def process_element(self, value, ctx):
        self.total.update((self.total.value() or 0.0) + self.amount(value))
        yield value


class Remembered(KeyedProcessFunction):
    """Keeps the last records of a key as a list."""

    def open(self, runtime_context):
        self.latest = runtime_context.get_list_state(ListStateDescriptor("latest", Types.LONG()))

    def process_element(self, value, ctx):
        self.latest.add(value)
        if value // KEYS % LATEST == LATEST - 1:
            yield value % KEYS, sum(self.latest.get())
            self.latest.clear()


class Counted(KeyedProcessFunction):
    """Counts the items of a key in a map."""

    def open(self, runtime_context):
        self.counts = runtime_context.get_map_state(MapStateDescriptor("counts", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        item = f"item {value // KEYS % ITEMS}"
        count = (self.counts.get(item) or 0) + 1
        self.counts.put(item, count)
        yield value % KEYS, item, count


def spent(env, records, make, user, amount, kind=None):
    """Make records, exchange them by user, keep a sum per user, emit them again."""
    made = numbers(env, records).map(make, output_type=kind)
    made.key_by(user, key_type=Types.LONG()).process(Spent(amount), output_type=kind).sink_to(DiscardingSink())


def dicts(env, records):
    spent(
        env,
        records,
        lambda n: {"user": n * 7919 % KEYS, "amount": n / 4, "item": "tea"},
        lambda order: order["user"],
        lambda order: order["amount"],
    )


def rows(env, records):
    spent(
        env,
        records,
        lambda n: Row(user=n * 7919 % KEYS, amount=n / 4, item="tea"),
        lambda order: order.user,
        lambda order: order.amount,
        ROW,
    )


def tuples_with_lists(env, records):
    spent(
        env,
        records,
        lambda n: (n * 7919 % KEYS, [n / 4, 1.0], "tea"),
        lambda order: order[0],
        lambda order: order[1][0],
    )


def dataclasses(env, records):
    spent(
        env,
        records,
        lambda n: Order(n * 7919 % KEYS, n / 4, "tea"),
        lambda order: order.user,
        lambda order: order.amount,
    )


def list_state(env, records):
    keyed = numbers(env, records).key_by(lambda n: n % KEYS, key_type=Types.LONG())
    keyed.process(Remembered()).sink_to(DiscardingSink())


def map_state(env, records):
    keyed = numbers(env, records).key_by(lambda n: n % KEYS, key_type=Types.LONG())
    keyed.process(Counted()).sink_to(DiscardingSink())
