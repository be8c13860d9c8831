"""Keyed counts, windows, a join and a pattern: the operators that most programs are made of.

Public API only, and of the oldest revision that is still compared: both revisions run these very programs.
"""

from __future__ import annotations

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern, col
from flott.common import Duration, Types, WatermarkStrategy
from flott.common.fields import field
from flott.datastream import AggregateFunction, KeyedCoProcessFunction, KeyedProcessFunction
from flott.datastream.aggregates import Count, Sum
from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.connectors.number_seq import NumberSequenceSource
from flott.datastream.state import ValueStateDescriptor
from flott.datastream.window import TumblingEventTimeWindows

KEYS, SIZE = 1_000, 10_000
CARDS, SMALL, LARGE = 10_000, 100, 950
"""A tenth of the payments are small, a twentieth large."""
PAIR = Types.TUPLE([Types.LONG(), Types.LONG()])


class CountPerKey(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield value[0], count


class CountAndSum(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class Match(KeyedCoProcessFunction):
    """Keeps whichever of an order and its payment comes first until the other is here."""

    def open(self, runtime_context):
        self.order = runtime_context.get_state(ValueStateDescriptor("order", Types.LONG()))
        self.payment = runtime_context.get_state(ValueStateDescriptor("payment", Types.LONG()))

    def process_element1(self, value, ctx):
        payment = self.payment.value()
        if payment is None:
            self.order.update(value[1])
        else:
            self.payment.clear()
            yield value[0], value[1] - payment

    def process_element2(self, value, ctx):
        order = self.order.value()
        if order is None:
            self.payment.update(value[1])
        else:
            self.order.clear()
            yield value[0], order - value[1]


def pair_of(n: int) -> tuple[int, int]:
    return n * 7919 % KEYS, n


def numbers(env, count, name="numbers"):
    return env.from_source(NumberSequenceSource(0, count - 1), WatermarkStrategy.no_watermarks(), name)


def keyed_count(env, records):
    pairs = numbers(env, records).map(pair_of, output_type=PAIR)
    pairs.key_by(lambda pair: pair[0], key_type=Types.LONG()).process(CountPerKey()).sink_to(DiscardingSink())


def windows(env, records):
    pairs = numbers(env, records).map(pair_of, output_type=PAIR)
    in_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda pair, _: pair[1])
    keyed = pairs.assign_timestamps_and_watermarks(in_time).key_by(lambda pair: pair[0], key_type=Types.LONG())
    keyed.window(TumblingEventTimeWindows.of(SIZE)).aggregate(CountAndSum()).sink_to(DiscardingSink())


def window_columns(env, records):
    orders = ColumnGenerator(
        lambda n: {"user": n * 7919 % KEYS, "amount": n % 100, "time": n},
        Types.ROW_NAMED(["user", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    )
    in_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    stream = env.from_source(DataGeneratorSource(orders, records), in_time, "orders")
    totals = stream.key_by("user").window(TumblingEventTimeWindows.of(20 * SIZE)).aggregate([Count(), Sum("amount")])
    totals.sink_to(DiscardingSink())


def join(env, records):
    half = records // 2
    orders = numbers(env, half, "orders").map(lambda n: (n, n % 1_000), output_type=PAIR)
    # In blocks of a hundred, backwards.
    payments = numbers(env, half, "payments").map(lambda n: (n // 100 * 100 + 99 - n % 100, 1), output_type=PAIR)
    keyed = orders.connect(payments).key_by(lambda order: order[0], lambda payment: payment[0], Types.LONG())
    keyed.process(Match(), output_type=PAIR).sink_to(DiscardingSink())


def payments_of(records, parallelism):
    """Return what makes a payment of a number, or columns of an array of numbers: card, amount, time."""
    part = records // parallelism

    def payment(number):
        # The source hands out two halves side by side; together they make one sequence in the order of time.
        number = number % part * parallelism + number // part
        return number * 7919 % CARDS, number * number % 1000003 % 1000, number

    return payment


def alerts(payments, small, large):
    pattern = Pattern.begin("first", AfterMatchSkipStrategy.skip_past_last_event()).where(small)
    pattern = pattern.next("second").where(small).next("third").where(large).within(Duration.of_minutes(1))
    found = CEP.pattern(payments, pattern).select(lambda match: (match["first"][0][0], match["third"][0][1]))
    found.sink_to(DiscardingSink())


def cep(env, records):
    in_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda payment, _: payment[2])
    payments = numbers(env, records).map(payments_of(records, env.get_parallelism()))
    keyed = payments.assign_timestamps_and_watermarks(in_time).key_by(lambda payment: payment[0])
    alerts(keyed, lambda payment: payment[1] < SMALL, lambda payment: payment[1] > LARGE)


def cep_columns(env, records):
    payment = payments_of(records, env.get_parallelism())
    generator = ColumnGenerator(
        lambda n: dict(zip(["card", "amount", "time"], payment(n), strict=True)),
        Types.ROW_NAMED(["card", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    )
    in_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    payments = env.from_source(DataGeneratorSource(generator, records), in_time, "payments").key_by("card")
    alerts(payments, col("amount") < SMALL, col("amount") > LARGE)
