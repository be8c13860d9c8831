"""Aggregates of groups and OVER windows as Spark SQL writes them."""

# ruff: noqa: S608 - the parts are our own; constants are escaped in constants.py

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table import types as t
from flott.table.spark_sql.spark_types import UntranslatableError, spark_type
from flott.table.spark_sql.windows import micros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.expr import AggregateCall
    from flott.table.plan.nodes import Field
    from flott.table.plan.over import OverAggregate

MILLI = 1000


def aggregate(call: AggregateCall, fields: Sequence[Field], behind: str = "") -> str:
    """Return an aggregate; ``behind`` stands behind each function, for OVER."""
    if call.user is not None or call.function not in {"COUNT", "SUM", "AVG", "MIN", "MAX"} or len(call.args) > 1:
        raise UntranslatableError(f"the aggregate {call.function}")
    end = ("" if call.filter is None else f" FILTER (WHERE c{call.filter})") + behind
    inner = f"{'DISTINCT ' if call.distinct else ''}c{call.args[0]}" if call.args else "*"
    if call.function == "COUNT":
        return f"COUNT({inner}){end}"
    kind = fields[call.args[0]].type
    if call.function == "AVG" and isinstance(kind, t.DecimalType):
        raise UntranslatableError("AVG of decimals")
    made = f"{call.function}({inner}){end}"
    if call.function == "AVG" and isinstance(kind, t.IntegralType):
        made = f"SUM({inner}){end} DIV COUNT({inner}){end}"
    return f"CAST({made} AS {spark_type(call.type)})"


def over(node: OverAggregate, below: str, zone: str) -> str:
    """Return rows with aggregates of the rows before them."""
    if not node.event_time:
        raise UntranslatableError("the order of processing time")
    frame = node.frame
    order = f"c{node.time}"
    start = "UNBOUNDED" if frame.preceding is None else str(frame.preceding)
    if not frame.rows and frame.preceding is not None:
        order, start = micros(order, node.input.fields[node.time].type, zone), str(frame.preceding * MILLI)
    partition = f"PARTITION BY {', '.join(f'c{key}' for key in node.partition)} " if node.partition else ""
    bounds = f"{'ROWS' if frame.rows else 'RANGE'} BETWEEN {start} PRECEDING AND CURRENT ROW"
    behind = f" OVER ({partition}ORDER BY {order} {bounds})"
    if any(call.distinct or call.filter is not None for call in node.calls):
        raise UntranslatableError("DISTINCT and FILTER with OVER")
    width = len(node.input.fields)
    made = [aggregate(call, node.input.fields, behind) for call in node.calls]
    return f"SELECT *, {', '.join(f'{one} AS c{width + place}' for place, one in enumerate(made))} FROM {below}"
