"""Wrong functions fail where they are given, with a message that says what fits."""

from __future__ import annotations

from functools import partial

import pytest

from flott.datastream import _checks
from flott.datastream._checks import roles
from flott.datastream.functions import (
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    ReduceFunction,
)
from flott.datastream.functions.wrappers import MapFunctionWrapper
from flott.errors import GraphError


class Double(MapFunction):
    def map(self, value):
        return 2 * value


class Words(FlatMapFunction):
    def flat_map(self, value):
        yield from value.split()


class TwoArguments(MapFunction):
    def map(self, value, extra):
        return value


class OpensNothing(MapFunction):
    def open(self):
        pass

    def map(self, value):
        return value


class YieldsInMap(MapFunction):
    def map(self, value):
        yield value


class Awaits(FilterFunction):
    async def filter(self, value):
        return True


class Keyed(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


class WrongTimer(Keyed):
    def on_timer(self, timestamp):
        yield timestamp


class Plain(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Callable:
    def __call__(self, value):
        return value


def two(a, b):
    return a


def gives(value):
    yield value


async def waits(value):
    return value


def test_it_lives_where_the_engine_does_not_look():
    assert _checks.__doc__


def test_a_function_object_is_taken_as_it_is():
    double = Double()
    assert roles.MAP.take("map(...)", double) is double


@pytest.mark.parametrize(
    "function", [len, str, Callable(), partial(two, 1), lambda value: value, lambda *a: a, "x".join]
)
def test_any_callable_of_one_argument_becomes_a_map_function(function):
    taken = roles.MAP.take("map(...)", function)
    assert isinstance(taken, MapFunctionWrapper)
    assert taken.map is function


def test_builtins_that_hide_their_signature_are_tolerated():
    assert roles.REDUCE.take("reduce(...)", max).reduce(1, 2) == 2


@pytest.mark.parametrize(
    ("role", "function", "message"),
    [
        (roles.MAP, 3, r"3 \(a int\) does not fit; here goes a MapFunction object or a callable such as lambda value"),
        (roles.MAP, None, "does not fit"),
        (roles.MAP, Double, r"the class Double itself; give an object of it: Double\(...\)"),
        (
            roles.MAP,
            Words(),
            r"a Words is a FlatMapFunction, which belongs in flat_map\(...\); here goes a MapFunction",
        ),
        (roles.MAP, two, r"two \(test_roles.py:\d+\) takes \(a, b\), but it is called with \(value\)"),
        (roles.MAP, lambda: 1, r"<lambda> \(test_roles.py:\d+\) takes \(\), but it is called with \(value\)"),
        (roles.MAP, TwoArguments(), r"takes \(value, extra\), but .* as in def map\(self, value\)"),
        (roles.MAP, OpensNothing(), r"def open\(self, runtime_context\)"),
        (roles.MAP, gives, r"gives .* is a generator .* use flat_map"),
        (roles.MAP, YieldsInMap(), r"is a generator .* use flat_map"),
        (roles.MAP, waits, "asynchronous"),
        (roles.FLAT_MAP, waits, "asynchronous"),
        (roles.FILTER, gives, "generator"),
        (roles.FILTER, Awaits(), "asynchronous"),
        (roles.REDUCE, len, r"called with \(value1, value2\); write it as in lambda a, b: a \+ b"),
        (roles.KEY_SELECTOR, gives, "drop the yield"),
        (roles.KEY_SELECTOR, "user", r"'user' \(a str\) does not fit; .*order\['user'\]"),
        (roles.PROCESS, Keyed(), r"a Keyed is a KeyedProcessFunction, which belongs in .*key_by\(...\).process\(...\)"),
        (roles.PROCESS, lambda value, ctx: [value], "here goes a ProcessFunction object$"),
        (roles.KEYED_PROCESS, Plain(), "a Plain is a ProcessFunction, which belongs in process.* that is not keyed"),
        (roles.KEYED_PROCESS, WrongTimer(), r"def on_timer\(self, timestamp, ctx\)"),
        (roles.AGGREGATE, max, "here goes an AggregateFunction object$"),
    ],
)
def test_what_does_not_fit_is_refused(role, function, message):
    with pytest.raises(GraphError, match=message):
        role.take("here(...)", function)


@pytest.mark.parametrize("function", [gives, Words(), lambda line: line.split()])
def test_generators_are_welcome_where_there_may_be_many_results(function):
    assert callable(roles.FLAT_MAP.take("flat_map(...)", function).flat_map)


def test_a_reduce_function_may_come_from_a_bound_method():
    class Mixer:
        def mix(self, a, b):
            return a + b

    taken = roles.REDUCE.take("reduce(...)", Mixer().mix)
    assert taken.reduce(1, 2) == 3
    assert not isinstance(taken, ReduceFunction)
