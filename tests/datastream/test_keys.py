"""Equal keys in whole jobs: one state, one timer, one partner in a join, whatever they are made of."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest

from flott.cep import CEP, Pattern
from flott.common import Configuration, Duration, Row, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.datastream import KeyedProcessFunction, ProcessWindowFunction, StreamExecutionEnvironment
from flott.datastream.functions import ProcessJoinFunction
from flott.datastream.state import MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.testing.harness import KeyedOneInputOperatorHarness

pytestmark = pytest.mark.job


@dataclass(frozen=True)
class User:
    name: str
    number: object


class Color(Enum):
    RED = 1


def name(number):
    """Return equal strings that are one object in some keys, and two in others."""
    return "user" if number % 2 else str(b"user", "ascii")


MAKE = {
    "rows": lambda n: Row(name(n), name(n // 2), n % 3),
    "named rows": lambda n: Row(a=name(n), b=n % 3) if n % 2 else Row(b=n % 3, a=name(n)),
    "instances": lambda n: User(name(n), [n % 3, np.int64(n % 3)][n % 2]),
    "numbers": lambda n: [int, np.int64, float, Decimal, Fraction][n % 5](n % 3),
    "halves": lambda n: [float, Decimal, Fraction, np.float32][n % 4]((n % 3) / 2),
    "sets": lambda n: frozenset([name(n), n % 3] if n % 2 else [n % 3, name(n)]),
    "lists": lambda n: [name(n), n % 3] if n % 2 else (name(n), n % 3),
    "NaN": lambda n: ("nan", float("nan"), n % 3),
    "members": lambda n: (Color.RED, n % 3),
}
RECORDS = 300


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 20)


def numbers(parallelism=4):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(parallelism)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda value, _: value)
    return env.from_source(DataGeneratorSource(lambda index: index, RECORDS), strategy, "numbers")


class Count(KeyedProcessFunction):
    """Counts the records of a key in two kinds of state, and has one timer at the end."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.seen = runtime_context.get_map_state(MapStateDescriptor("seen", None, None))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        self.seen.put(repr(ctx.get_current_key()), True)
        ctx.timer_service().register_event_time_timer(10_000)

    def on_timer(self, timestamp, ctx):
        shown = {*self.seen.keys(), repr(ctx.get_current_key())}
        yield self.count.value(), len(shown)


class Number(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield len(list(elements))


class Pairs(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left, right


@pytest.mark.parametrize("kind", MAKE)
def test_equal_keys_have_one_state_one_timer_and_look_alike(kind):
    found = list(numbers().key_by(MAKE[kind]).process(Count()).execute_and_collect())
    # Sets of strings have no order to be shown in.
    assert found == [(100, 1)] * 3 or (kind == "sets" and [count for count, _ in found] == [100] * 3)


@pytest.mark.parametrize("kind", MAKE)
def test_equal_keys_share_windows(kind):
    keyed = numbers().key_by(MAKE[kind])
    tumbling = keyed.window(TumblingEventTimeWindows.of(Duration.of_millis(150))).process(Number())
    assert list(tumbling.execute_and_collect()) == [50] * 6
    sessions = keyed.window(EventTimeSessionWindows.with_gap(Duration.of_millis(50))).process(Number())
    assert list(sessions.execute_and_collect()) == [100] * 3


@pytest.mark.parametrize("kind", MAKE)
def test_equal_keys_meet_in_joins(kind):
    stream = numbers()
    expected = sum(1 for a, b in itertools.product(range(RECORDS), repeat=2) if a % 3 == b % 3 and abs(a - b) <= 3)
    lower, upper = Duration.of_millis(-3), Duration.of_millis(3)
    joined = stream.key_by(MAKE[kind]).interval_join(stream.key_by(MAKE[kind])).between(lower, upper)
    assert len(list(joined.process(Pairs()).execute_and_collect())) == expected
    windows = stream.join(stream).where(MAKE[kind]).equal_to(MAKE[kind])
    pairs = windows.window(TumblingEventTimeWindows.of(Duration.of_millis(6))).apply(lambda a, b: (a, b))
    assert len(list(pairs.execute_and_collect())) == RECORDS // 6 * 3 * 4


@pytest.mark.parametrize("kind", MAKE)
def test_equal_keys_make_one_sequence_for_patterns(kind):
    pattern = Pattern.begin("a").where(lambda value: value % 2 == 0).next("b").where(lambda value: value % 2 == 1)
    matches = CEP.pattern(numbers().key_by(MAKE[kind]), pattern).select(lambda match: (match["a"][0], match["b"][0]))
    assert sorted(matches.execute_and_collect()) == [(n, n + 3) for n in range(0, RECORDS - 3, 2)]


@pytest.mark.parametrize("kind", MAKE)
def test_equal_keys_reduce_to_one_value(kind):
    totals = numbers().key_by(MAKE[kind]).reduce(lambda one, other: one + other)
    assert max(totals.execute_and_collect()) == sum(range(2, RECORDS, 3))


def test_numbers_of_numpy_and_of_python_meet():
    stream = numbers(1)
    joined = stream.join(stream).where(lambda n: n).equal_to(np.int64)
    pairs = joined.window(TumblingEventTimeWindows.of(Duration.of_millis(1000))).apply(lambda a, b: 1)
    assert list(pairs.execute_and_collect()) == [1] * RECORDS


class Shown(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value)
        yield repr(ctx.get_current_key())

    def on_timer(self, timestamp, ctx):
        yield repr(ctx.get_current_key())


@pytest.mark.parametrize("new_worker", [False, True])
def test_what_a_function_sees_depends_neither_on_epochs_nor_on_workers(new_worker):
    operator = KeyedProcess(Shown(), lambda value: [True, 1.0, np.int8(1), Decimal("1.00"), 1][value])
    with KeyedOneInputOperatorHarness(operator) as harness:
        for value in range(5):
            harness.process_element(value, value)
            harness.end_epoch(new_worker=new_worker)
        harness.process_watermark(100)
        assert harness.extract_output_values() == ["1"] * 10
