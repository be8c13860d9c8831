"""Aggregates of windows on the vectorised windows of the engine: partials before the exchange, merged behind it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.common.fields import Field as RecordField
from flott.runtime.partitioners import KeyGroupHash
from flott.runtime.windowing.assigners import (
    CumulativeEventTimeWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows
from flott.runtime.windowing.vectorised import partials as engine
from flott.runtime.windowing.vectorised.aggregates import Count, Max, Min, Sum
from flott.runtime.windowing.vectorised.local_operator import LocalAggregate
from flott.runtime.windowing.vectorised.local_sessions import LocalSessions
from flott.runtime.windowing.vectorised.merging_operator import MergingWindowOperator
from flott.runtime.windowing.vectorised.merging_sessions import MergingSessionOperator
from flott.runtime.windowing.vectorised.pane_grid import PaneGrid
from flott.runtime.windowing.vectorised.plan import AggregatePlan
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call, Expr, InputRef, Literal
from flott.table.physical.step import Step
from flott.table.plan import nodes as n
from flott.table.runtime.calc import Calc
from flott.table.runtime.window_columns import KEY, Argument, FromWindows, ToWindows
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.expr import AggregateCall
    from flott.table.physical.translate import Translator

NUMBERS = (t.TinyIntType, t.SmallIntType, t.IntType, t.BigIntType, t.FloatType, t.DoubleType)
BOUNDS = {n.WINDOW_START: "start", n.WINDOW_END: "end", n.WINDOW_TIME: "time"}
KEYS = (*NUMBERS[:4], t.BooleanType, t.VarCharType, t.CharType, t.DateType, t.TimestampType, t.DecimalType)
COUNT_TYPE, TRUTH = DataTypes.BIGINT().not_null(), DataTypes.BOOLEAN().not_null()


def in_columns(node: n.Aggregate, translator: Translator) -> Step | None:
    """Return the steps of a window aggregate in columns; None if it has to be done row by row."""
    pre = node.input
    if not isinstance(pre, n.Project) or not isinstance(pre.input, n.WindowTable):
        return None
    table = pre.input
    width = len(table.input.fields)
    windowed = {position for position, expr in enumerate(pre.exprs) if any(index >= width for index in expr.inputs())}
    keys = [key for key in node.keys if key not in windowed]
    used = {position for call in node.calls for position in (*call.args, *_filter(call))}
    assigner = _assigner(table.windows)
    fits = (
        not table.windows.processing
        and used.isdisjoint(windowed)
        and all(
            pre.fields[key].role in BOUNDS and isinstance(pre.exprs[key], InputRef)
            for key in node.keys
            if key in windowed
        )
        and all(isinstance(pre.fields[key].type, KEYS) for key in keys)
        and all(_fits(call, pre) for call in node.calls)
        and (_by_partition(pre, table, keys) if table.windows.kind == n.SESSION else PaneGrid.fits(assigner))
    )
    if not fits:
        return None
    from flott.table.physical.translate import check_zone

    check_zone(table.input.fields[table.time].type, translator.settings.zone)
    below = translator.translate(table.input)
    if not below.append_only:
        return None
    return _steps(node, pre, table, keys, assigner, below, translator.settings.zone)


def _filter(call: AggregateCall) -> tuple[int, ...]:
    return () if call.filter is None else (call.filter,)


def _fits(call: AggregateCall, pre: n.Project) -> bool:
    if call.distinct or call.user is not None or call.function not in {"COUNT", "SUM", "MIN", "MAX", "AVG"}:
        return False
    return not call.args or isinstance(pre.fields[call.args[0]].type, NUMBERS) or call.function == "COUNT"


def _by_partition(pre: n.Project, table: n.WindowTable, keys: list[int]) -> bool:
    """Say whether the groups of sessions are what sessions are cut by."""
    columns = [pre.exprs[key] for key in keys]
    return {one.index for one in columns if isinstance(one, InputRef)} == set(table.partition) and all(
        isinstance(one, InputRef) for one in columns
    )


def _assigner(windows: n.Windows) -> Any:
    if windows.kind == n.SESSION:
        return EventTimeSessionWindows(windows.size)
    if windows.kind == "TUMBLE":
        return TumblingEventTimeWindows(windows.size, windows.offset)
    if windows.kind == "HOP":
        return SlidingEventTimeWindows(windows.size, windows.slide, windows.offset)
    return CumulativeEventTimeWindows(windows.size, windows.slide, windows.offset)


def _steps(
    node: n.Aggregate, pre: n.Project, table: n.WindowTable, keys: list[int], assigner: Any, below: Step, zone: str
) -> Step:
    # The columns that windows need, without the windows themselves.
    wanted = [position for position in range(len(pre.exprs)) if position in keys or position in _used(node)]
    place = {position: number for number, position in enumerate(wanted)}
    time = len(wanted)
    exprs = (*(pre.exprs[position] for position in wanted), InputRef(table.input.fields[table.time].type, table.time))
    fields = (*(pre.fields[position] for position in wanted), table.input.fields[table.time])
    calc = Step("Calc", f"select=[{', '.join(field.name for field in fields)}]", fields, append_only=True,
                inputs=(below,), operator=partial(Calc, None, exprs, zone), exchanges=(None,))  # fmt: skip
    arguments, parts, results = _parts(node, pre, place)
    types: dict[str, Any] = {KEY: _key_type(keys, pre)}
    types |= {f"k{number}": to_arrow_type(pre.fields[key].type) for number, key in enumerate(keys)}
    for one in arguments:
        types[one.name] = pa.int64() if one.column is None else to_arrow_type(fields[one.column].type)
    outputs = [(f"k{number}", ("first", f"k{number}")) for number in range(len(keys))]
    plan = AggregatePlan(assigner, KEY, types, (*outputs, ("start", "start"), ("end", "end"), *parts))  # type: ignore[arg-type]
    stamp = Step("WindowInput", f"rowtime=[{fields[time].name}]", fields, append_only=True, inputs=(calc,),
                 operator=partial(ToWindows, time, tuple(place[key] for key in keys), arguments),
                 exchanges=(None,))  # fmt: skip
    upstream: Any = LocalSessions if plan.sessions else LocalAggregate
    downstream: Any = MergingSessionOperator if plan.sessions else MergingWindowOperator
    local = Step("LocalWindowAggregate", f"windows=[{table.windows}]", fields, append_only=True, inputs=(stamp,),
                 operator=partial(upstream, plan), exchanges=(None,))  # fmt: skip
    exchange = KeyGroupHash(RecordField(engine.KEY, 0))
    merged = Step("GlobalWindowAggregate", f"windows=[{table.windows}], {node.detail}", node.fields, append_only=True,
                  inputs=(local,), operator=partial(downstream, plan), exchanges=(exchange,))  # fmt: skip
    return _finished(node, pre, keys, parts, results, merged, zone)


def _used(node: n.Aggregate) -> set[int]:
    return {position for call in node.calls for position in (*call.args, *_filter(call))}


def _key_type(keys: list[int], pre: n.Project) -> Any:
    if not keys:
        return pa.int64()
    kind = to_arrow_type(pre.fields[keys[0]].type)
    return kind if len(keys) == 1 and (pa.types.is_integer(kind) or pa.types.is_string(kind)) else pa.string()


def _parts(
    node: n.Aggregate, pre: n.Project, place: dict[int, int]
) -> tuple[tuple[Argument, ...], list[tuple[str, Any]], list[tuple[AggregateCall, list[str]]]]:
    """Return the columns that are aggregated, the aggregates, and of which of them each call is made."""
    arguments: dict[Argument, None] = {}
    parts: dict[str, Any] = {}
    results = []
    for call in node.calls:
        column = place[call.args[0]] if call.args else None
        condition = None if call.filter is None else place[call.filter]
        counted = (
            call.function == "COUNT" and column is not None and not isinstance(pre.fields[call.args[0]].type, NUMBERS)
        )
        name = f"a{column}_{condition}" if not counted else f"n{column}_{condition}"
        needed = {"COUNT": (Count,), "SUM": (Sum,), "MIN": (Min,), "MAX": (Max,), "AVG": (Sum, Count)}[call.function]
        plain_count = call.function == "COUNT" and column is None and condition is None
        if not plain_count:
            arguments[Argument(name, column, condition)] = None
        own = []
        for kind in needed:
            title = f"{kind.label}_{name}" if not plain_count else "rows"
            parts[title] = Count(None, title) if plain_count else kind(name, title)
            own.append(title)
        results.append((call, own))
    return tuple(arguments), list(parts.items()), results


def _finished(
    node: n.Aggregate, pre: n.Project, keys: list[int], parts: list[tuple[str, Any]],
    results: list[tuple[AggregateCall, list[str]]], merged: Step, zone: str,
) -> Step:  # fmt: skip
    """Put columns in order, and averages together from sums and counts."""
    outputs: list[tuple[str, Any]] = []
    fields: list[n.Field] = []
    for key in node.keys:
        field = pre.fields[key]
        name = f"k{keys.index(key)}" if key in keys else BOUNDS[field.role or ""]
        outputs.append((name, to_arrow_type(field.type)))
        fields.append(field)
    start = len(outputs)
    names = [title for title, _ in parts]
    kinds = {title: _part_type(title, call) for call, own in results for title in own}
    for title in names:
        outputs.append((title, to_arrow_type(kinds[title])))
        fields.append(n.Field(title, kinds[title]))
    columns = Step("WindowOutput", f"select=[{', '.join(field.name for field in fields)}]", tuple(fields),
                   append_only=True, inputs=(merged,), operator=partial(FromWindows, tuple(outputs)),
                   exchanges=(None,))  # fmt: skip
    exprs: list[Expr] = [InputRef(field.type, position) for position, field in enumerate(fields[:start])]
    for call, own in results:
        refs = [InputRef(kinds[title], start + names.index(title)) for title in own]
        exprs.append(_average(call, refs) if call.function == "AVG" else refs[0])
    calc = partial(Calc, None, tuple(exprs), zone)
    detail = f"select=[{', '.join(field.name for field in node.fields)}]"
    return Step("Calc", detail, node.fields, append_only=True, inputs=(columns,), operator=calc, exchanges=(None,))


def _part_type(title: str, call: AggregateCall) -> t.DataType:
    if title == "rows" or title.startswith("count_"):
        return COUNT_TYPE
    if call.function == "AVG":
        return DataTypes.BIGINT() if isinstance(call.type, t.IntegralType) else DataTypes.DOUBLE()
    return call.type


def _average(call: AggregateCall, refs: list[InputRef]) -> Expr:
    total, count = refs
    divisor = Call(total.type.not_null(), "CAST", (count,)) if not total.type.same_as(COUNT_TYPE) else count
    quotient: Expr = Call(total.type, "/", (total, divisor))
    if not quotient.type.same_as(call.type):
        quotient = Call(call.type, "CAST", (quotient,))
    some = Call(TRUTH, ">", (count, Literal(COUNT_TYPE, 0)))
    return Call(call.type, "CASE", (some, quotient, Literal(call.type, None)))
