"""A record is behind every kind of edge what it was before, in type and value."""

from __future__ import annotations

import array
import enum
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from flott.common import Configuration, Row
from flott.datastream import OutputTag, ProcessFunction, StreamExecutionEnvironment
from flott.runtime import native

SIDE = OutputTag("side")
Point = namedtuple("Point", "x y")  # noqa: PYI024 - this kind is meant


class Level(enum.IntEnum):
    LOW = 1


class Name(str):
    __slots__ = ()


@dataclass
class Order:
    amount: float


VALUES = [
    np.float64(1.5), np.float32(0.5), np.int64(5), np.uint8(200), np.bool_(True), np.str_("text"),
    np.datetime64("2026-01-01"), {1, 2}, True, 1, None,
    bytearray(b"bytes"), array.array("d", [1.5]), Level.LOW, Name("ann"), Point(1, np.int16(2)), Row(a=np.float64(1)),
    Order(np.float64(1)), pd.Timestamp("2026-01-01"), [np.int64(1), 1], {"a": (np.float64(1), 1.0)},
]  # fmt: skip


class Sideways(ProcessFunction):
    def process_element(self, value, ctx):
        ctx.output(SIDE, value)


EDGES = {
    "key_by": lambda stream: stream.key_by(lambda record: record[0] % 3).map(lambda record: record),
    "rebalance": lambda stream: stream.rebalance().map(lambda record: record),
    "shuffle": lambda stream: stream.shuffle().map(lambda record: record),
    "rescale": lambda stream: stream.rescale().map(lambda record: record),
    "union": lambda stream: stream.union(stream.filter(lambda _: False)).rebalance().map(lambda record: record),
    "side output": lambda stream: (
        stream.process(Sideways()).get_side_output(SIDE).rebalance().map(lambda record: record)
    ),
    "two exchanges": lambda stream: (
        stream.rebalance().map(lambda record: record).key_by(lambda record: record[0]).map(tuple)
    ),
}


def shown(value):
    if isinstance(value, (tuple, list, Row)):
        return type(value), [shown(one) for one in value]
    if isinstance(value, dict):
        return type(value), [(key, shown(one)) for key, one in value.items()]
    return (type(value), shown(value.amount)) if isinstance(value, Order) else (type(value), repr(value))


@pytest.fixture(params=["compiled", "pure"])
def env(request, monkeypatch):
    if request.param == "pure":
        for name in ("calls", "emission", "records"):
            monkeypatch.setattr(native, name, None)
    elif native.records is None:
        pytest.skip("not compiled")
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(2)


@pytest.mark.parametrize("through", EDGES.values(), ids=EDGES)
def test_values_arrive_as_they_were(env, through):
    sent = list(enumerate(VALUES * 10))
    arrived = sorted(through(env.from_collection(sent)).execute_and_collect(), key=lambda record: record[0])
    assert list(map(shown, arrived)) == list(map(shown, sent))


def test_sums_of_numpy_numbers(env):
    means = env.from_collection([1.0, 2.0, 4.0]).map(lambda value: ("k", np.mean([value, value])))
    sums = means.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))
    found = [total for _, total in sums.execute_and_collect()]
    assert max(found) == 7.0
    assert set(map(type, found)) == {np.float64}
