"""Counts distinct values in parts, so that no single task holds all values of a large group."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.table.expr import AggregateCall, Call, InputRef, Literal
from flott.table.plan.nodes import Aggregate, Field, Node, project
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

BUCKETS = 1024
BUCKET = "$bucket"
MERGED = {"COUNT": "SUM", "SUM": "SUM", "MIN": "MIN", "MAX": "MAX"}
"""Which aggregate puts the parts of another together."""


def split_distinct(node: Node) -> Node:
    """Group by the keys and a part of the distinct values first, and put the parts together behind that.

    Equal values are always in the same part, so that each part can be counted on its own.
    """
    if not isinstance(node, Aggregate) or not _fits(node):
        return node
    distinct = next(call.args[0] for call in node.calls if call.distinct)
    value = InputRef(node.input.fields[distinct].type, distinct)
    number = DataTypes.INT().nullable() if value.type.is_nullable else DataTypes.INT().not_null()
    bucket = Call(number, "$BUCKET", (value, Literal(DataTypes.INT().not_null(), BUCKETS)))
    source = node.input
    wide = project(source, [*source.refs(), bucket], [*(field.name for field in source.fields), BUCKET])
    keys = (*node.keys, len(source.fields))
    parts = replace(_aggregate(wide, keys, node.calls), ttl=node.ttl)
    first = len(keys)
    merged = tuple(
        AggregateCall(MERGED[call.function], (first + place,), call.type) for place, call in enumerate(node.calls)
    )
    return Aggregate(node.fields, parts, tuple(range(len(node.keys))), merged, node.ttl)


def _fits(node: Aggregate) -> bool:
    if node.window_keys() is not None or not node.keys:
        return False
    distinct = {call.args for call in node.calls if call.distinct}
    known = all(call.user is None and call.function in MERGED for call in node.calls)
    return len(distinct) == 1 and known and not any(node.input.fields[key].name == BUCKET for key in node.keys)


def _aggregate(source: Node, keys: tuple[int, ...], calls: Sequence[AggregateCall]) -> Aggregate:
    made: list[Field] = [Field(f"$part{place}", call.type) for place, call in enumerate(calls)]
    kept = [source.fields[key].plain() for key in keys]
    return Aggregate((*kept, *made), source, keys, tuple(calls))
