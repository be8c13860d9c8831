"""Jobs whose output shows the order of what was emitted for each key."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from tests.values.exempt_operators import EXEMPT
from tests.values.matrix import union
from tests.values.ordered_operators import ORDERED

from flott.common import Types
from flott.datastream import KeyedProcessFunction
from flott.datastream.state import ValueStateDescriptor

if TYPE_CHECKING:
    from flott.datastream import DataStream

ALL_ORDERED = f"{__name__}:all_ordered"


class InTurn(KeyedProcessFunction):
    """Numbers what an operator emits for a key; it comes over one channel."""

    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, record, ctx):
        operator, key, result = record
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield operator, key, count, result


def all_ordered(stream: DataStream) -> list[DataStream]:
    """Build one job with all operators that are not exempt."""
    found = [build(stream).map(named(name)) for name, build in ORDERED.items()]
    return [reduce(union, found).key_by(lambda record: record[:2]).process(InTurn())]


def exempt(name):
    """Return a function that builds the job of an operator that is exempt."""

    def build(stream):
        found = EXEMPT[name].build(stream).map(named(name))
        return [found.key_by(lambda record: record[:2]).process(InTurn())]

    return build


def named(operator):
    return lambda pair: (operator, pair[0], pair[1])
