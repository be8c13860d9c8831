"""Groups in two phases, if they do not report each row: a partial result of each batch, then all of them together."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flott.table import types as t
from flott.table.physical.step import Step
from flott.table.plan import nodes as n
from flott.table.runtime.group_aggregate import GroupPlan
from flott.table.runtime.key_hash import ColumnsHash, KeyColumns
from flott.table.runtime.partial_groups import (
    SUMS,
    GlobalGroupAggregate,
    GlobalWindowAggregate,
    LocalGroupAggregate,
    LocalPlan,
)
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.expr import AggregateCall
    from flott.table.physical.translate import Settings

NUMBERS = (t.TinyIntType, t.SmallIntType, t.IntType, t.BigIntType, t.FloatType, t.DoubleType)
ORDERED = (*NUMBERS, t.DateType, t.TimestampType)
KEYS = (*ORDERED, t.BooleanType, t.VarCharType, t.CharType, t.DecimalType)
COUNT = DataTypes.BIGINT().not_null()


def in_two_phases(node: n.Aggregate, below: Step, settings: Settings) -> Step | None:
    """Return the steps of an aggregate with a partial one before the exchange; None where that can't be done."""
    if not settings.bundle:
        return None
    split = _split(node, below, settings)
    if split is None:
        return None
    local, merged = split
    ttl = settings.ttl if node.ttl is None else node.ttl
    operator = partial(GlobalGroupAggregate, merged, bundle=True, ttl=ttl)
    return Step("GlobalGroupAggregate", node.detail, node.fields, append_only=False, inputs=(local,),
                operator=operator, exchanges=(ColumnsHash(KeyColumns(merged.keys)),))  # fmt: skip


def windows_in_two_phases(node: n.Aggregate, below: Step, end: int, settings: Settings) -> Step | None:
    """Return the same for groups of windows, which are told once in any case; ``end`` is the key that ends them."""
    split = _split(node, below, settings)
    if split is None:
        return None
    local, merged = split
    operator = partial(GlobalWindowAggregate, merged, end)
    return Step("GlobalWindowAggregate", node.detail, node.fields, append_only=True, inputs=(local,),
                operator=operator, exchanges=(ColumnsHash(KeyColumns(merged.keys)),))  # fmt: skip


def _split(node: n.Aggregate, below: Step, settings: Settings) -> tuple[Step, GroupPlan] | None:
    """Return the step of the partial results, and how they are put together."""
    if not settings.local or not below.append_only or not node.keys:
        return None
    if not all(_splits(call, below) for call in node.calls):
        return None
    if not all(isinstance(below.fields[key].type, KEYS) for key in node.keys):
        return None
    fields = [*(below.fields[key].plain() for key in node.keys), n.Field("$rows", COUNT)]
    calls: list[AggregateCall] = []
    for call in node.calls:
        kinds = _parts(call, below)
        calls.append(replace(call, args=tuple(range(len(fields), len(fields) + len(kinds))), filter=None))
        fields += [n.Field(f"$part{len(fields) + place}", kind) for place, kind in enumerate(kinds)]
    local = Step("LocalGroupAggregate", node.detail, tuple(fields), append_only=True, inputs=(below,),
                 exchanges=(None,))  # fmt: skip
    plan = LocalPlan(node.keys, node.calls, local.arrow_types())
    keys = tuple(range(len(node.keys)))
    merged = GroupPlan(keys, tuple(calls), tuple(field.type for field in fields), retracting=False)
    return replace(local, operator=partial(LocalGroupAggregate, plan)), merged


def _splits(call: AggregateCall, below: Step) -> bool:
    if call.distinct or call.user is not None:
        return False
    if call.function == "COUNT":
        return True
    kind = below.fields[call.args[0]].type if call.args else None
    return isinstance(kind, NUMBERS) if call.function in SUMS else (
        call.function in {"MIN", "MAX"} and isinstance(kind, ORDERED))  # fmt: skip


def _parts(call: AggregateCall, below: Step) -> list[t.DataType]:
    """Return the types of the columns that an aggregate is made of: a sum and a count, or one value."""
    if call.function == "COUNT":
        return [COUNT]
    kind = below.fields[call.args[0]].type.nullable()
    if call.function in SUMS:
        return [DataTypes.BIGINT() if isinstance(kind, t.IntegralType) else DataTypes.DOUBLE(), COUNT]
    return [kind]
