"""Every kind of edge, as a step that hands each record on as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from tests.values.fingerprints import fingerprint

from flott.common import Duration
from flott.datastream import (
    AsyncDataStream,
    AsyncFunction,
    CoFlatMapFunction,
    OutputTag,
    ProcessFunction,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

SIDE = OutputTag("side")


def same(value):
    return value


def group(value):
    """Return one of three keys for any value."""
    return crc32(fingerprint(value).encode("utf-8", "surrogatepass")) % 3


class ToTheSide(ProcessFunction):
    def process_element(self, value, ctx):
        ctx.output(SIDE, value)


class Either(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    def flat_map2(self, value):
        yield value


class OnceRound(CoFlatMapFunction):
    """What comes in goes round; what came round leaves."""

    def flat_map1(self, value):
        yield "round", value

    def flat_map2(self, value):
        yield "leaves", value


class Answer(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


def nothing(stream):
    return stream.filter(lambda _: False)


def fed_back(stream):
    loop = stream.iterate().with_feedback_type()
    turned = loop.flat_map(OnceRound())
    loop.close_with(turned.filter(lambda pair: pair[0] == "round").map(lambda pair: pair[1]))
    return turned.filter(lambda pair: pair[0] == "leaves").map(lambda pair: pair[1])


EDGES: dict[str, Callable[[DataStream], DataStream]] = {
    "chained": lambda stream: stream.map(same).set_parallelism(1),
    "forward": lambda stream: stream.forward().map(same).set_parallelism(1).start_new_chain(),
    "hash": lambda stream: stream.key_by(group).map(same),
    "rebalance": lambda stream: stream.rebalance().map(same),
    "rescale": lambda stream: stream.rescale().map(same),
    "shuffle": lambda stream: stream.shuffle().map(same),
    "broadcast": lambda stream: stream.broadcast().map(same),
    "global": lambda stream: stream.global_().map(same),
    "custom": lambda stream: stream.partition_custom(lambda key, count: key % count, group).map(same),
    "union": lambda stream: stream.union(nothing(stream)).map(same),
    "side output": lambda stream: stream.process(ToTheSide()).get_side_output(SIDE).map(same),
    "connected": lambda stream: nothing(stream).rebalance().connect(stream.rebalance()).flat_map(Either()),
    "feedback": fed_back,
    "async": lambda stream: AsyncDataStream.ordered_wait(stream.rebalance(), Answer(), Duration.of_minutes(5)),
}


def copies(edge, parallelism):
    """Return how many copies of each record an edge hands on."""
    return parallelism if edge == "broadcast" else 1
