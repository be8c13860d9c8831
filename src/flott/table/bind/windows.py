"""TUMBLE, HOP and CUMULATE in FROM."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.bind.literals import interval
from flott.table.bind.scope import wrong
from flott.table.errors import NotYetError, did_you_mean
from flott.table.plan.nodes import WINDOW_END, WINDOW_START, WINDOW_TIME, Field, Windows, WindowTable
from flott.table.types import DataTypes, is_timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.plan.nodes import Node

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}


def window_table(call: exp.Anonymous, text: str, table: Callable[[exp.Expr], Node]) -> Node:
    """Return the plan of a window table function; ``table`` binds the table it is called with."""
    name = str(call.this).upper()
    if name == "SESSION":
        raise NotYetError(
            "SESSION windows can't be run in SQL yet; use key_by(…).window(EventTimeSessionWindows…) on a DataStream"
        )
    args = _arguments(name, call, text)
    source = table(args["DATA"])
    time = _time_column(args["TIMECOL"], source, text)
    size = _milliseconds(args["SIZE"], text)
    slide_name = {"HOP": "SLIDE", "CUMULATE": "STEP"}.get(name)
    slide = _milliseconds(args[slide_name], text) if slide_name else 0
    offset = _milliseconds(args["OFFSET"], text) if "OFFSET" in args else 0
    if name == "CUMULATE" and size % slide:
        raise wrong(f"CUMULATE: the size ({size} ms) must be a multiple of the step ({slide} ms)", call, text)
    windows = Windows(name, size, slide, offset)
    bound = DataTypes.TIMESTAMP(3).not_null()
    kind = source.fields[time].type.not_null()
    added = (
        Field("window_start", bound, WINDOW_START, windows),
        Field("window_end", bound, WINDOW_END, windows),
        Field("window_time", kind, WINDOW_TIME, windows),
    )
    return WindowTable((*source.fields, *added), source, time, windows)


def _arguments(name: str, call: exp.Anonymous, text: str) -> dict[str, exp.Expr]:
    names = FUNCTIONS[name]
    found: dict[str, exp.Expr] = {}
    for position, arg in enumerate(call.expressions):
        if isinstance(arg, (exp.Kwarg, exp.PropertyEQ)):
            key = arg.this.name.upper()
            if key not in names:
                raise wrong(f"{name} has no argument '{arg.this.name}'{did_you_mean(key, names)}", arg, text)
            found[key] = arg.expression
        elif position < len(names):
            found[names[position]] = arg
    least = names[: len(names) - (names[-1] == "OFFSET")]
    if len(call.expressions) > len(names) or any(one not in found for one in least):
        raise wrong(f"{name} takes {', '.join(least)} and perhaps OFFSET", call, text)
    return found


def _time_column(node: exp.Expr, source: Node, text: str) -> int:
    if not isinstance(node, exp.Anonymous) or str(node.this).upper() != "DESCRIPTOR" or len(node.expressions) != 1:
        raise wrong("name the time column as DESCRIPTOR(column)", node, text)
    name = node.expressions[0].name
    names = [field.name for field in source.fields]
    if name not in names:
        raise wrong(f"column '{name}' not found{did_you_mean(name, names)}", node.expressions[0], text)
    field = source.fields[names.index(name)]
    if not field.is_rowtime:
        hint = "declare WATERMARK FOR it" if is_timestamp(field.type) else "make it a TIMESTAMP(3)"
        if field.role == "proctime":
            raise NotYetError(
                "windows of processing time can't be run in SQL yet; use TumblingProcessingTimeWindows on a DataStream"
            )
        raise wrong(f"column '{name}' is no event time, so it has no windows; {hint} in CREATE TABLE", node, text)
    return names.index(name)


def _milliseconds(node: exp.Expr, text: str) -> int:
    try:
        span = interval(node).value if isinstance(node, exp.Interval) else None
    except ValueError as error:
        raise wrong(str(error), node, text) from None
    if not isinstance(span, dt.timedelta) or span <= dt.timedelta():
        raise wrong("give an interval such as INTERVAL '10' MINUTES", node, text)
    return span // dt.timedelta(milliseconds=1)
