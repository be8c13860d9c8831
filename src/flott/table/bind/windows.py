"""TUMBLE, HOP, CUMULATE and SESSION in FROM."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.bind.literals import interval
from flott.table.bind.scope import wrong
from flott.table.errors import did_you_mean
from flott.table.plan.nodes import PROCTIME, SESSION, WINDOW_END, WINDOW_START, WINDOW_TIME, Field, Windows, WindowTable
from flott.table.sql.dialect import PARTITIONED
from flott.table.types import DataTypes, is_timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.plan.nodes import Node

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    SESSION: ("DATA", "TIMECOL", "GAP"),
}


def window_table(call: exp.Anonymous, text: str, table: Callable[[exp.Expr], Node]) -> Node:
    """Return the plan of a window table function; ``table`` binds the table it is called with."""
    name = str(call.this).upper()
    args = _arguments(name, call, text)
    source = table(args["DATA"])
    time = _time_column(args["TIMECOL"], source, text)
    partition = (
        tuple(_column(node, source, text) for node in args[PARTITIONED].expressions) if PARTITIONED in args else ()
    )
    if partition and name != SESSION:
        raise wrong(f"{name} has no PARTITION BY: its windows are the same for all rows", call, text)
    return windowed(source, time, _windows(name, args, call, text), partition)


def windowed(source: Node, time: int, windows: Windows, partition: tuple[int, ...] = ()) -> WindowTable:
    """Return rows with the bounds of their windows as three more columns."""
    bound = DataTypes.TIMESTAMP(3).not_null()
    kind = source.fields[time].type.not_null()
    processing = source.fields[time].role == PROCTIME
    role = PROCTIME if processing else WINDOW_TIME
    windows = replace(windows, processing=processing)
    added = (
        Field("window_start", bound, WINDOW_START, windows),
        Field("window_end", bound, WINDOW_END, windows),
        Field("window_time", kind, role, windows),
    )
    return WindowTable((*source.fields, *added), source, time, windows, partition)


def _windows(name: str, args: dict[str, exp.Expr], call: exp.Expr, text: str) -> Windows:
    if name == SESSION:
        return Windows(SESSION, milliseconds(args["GAP"], text))
    size = milliseconds(args["SIZE"], text)
    slide_name = {"HOP": "SLIDE", "CUMULATE": "STEP"}.get(name)
    slide = milliseconds(args[slide_name], text) if slide_name else 0
    offset = milliseconds(args["OFFSET"], text) if "OFFSET" in args else 0
    if name == "CUMULATE" and size % slide:
        raise wrong(f"CUMULATE: the size ({size} ms) must be a multiple of the step ({slide} ms)", call, text)
    return Windows(name, size, slide, offset)


def _arguments(name: str, call: exp.Anonymous, text: str) -> dict[str, exp.Expr]:
    names = FUNCTIONS[name]
    found: dict[str, exp.Expr] = {}
    given = [arg for arg in call.expressions if not _is_partition(arg)]
    for position, arg in enumerate(given):
        if isinstance(arg, (exp.Kwarg, exp.PropertyEQ)):
            key = arg.this.name.upper()
            if key not in names:
                raise wrong(f"{name} has no argument '{arg.this.name}'{did_you_mean(key, names)}", arg, text)
            found[key] = arg.expression
        elif position < len(names):
            found[names[position]] = arg
    least = names[: len(names) - (names[-1] == "OFFSET")]
    if len(given) > len(names) or any(one not in found for one in least):
        raise wrong(f"{name} takes {', '.join(least)}{' and perhaps OFFSET' if least != names else ''}", call, text)
    partition = next((arg for arg in call.expressions if _is_partition(arg)), None)
    return found if partition is None else {**found, PARTITIONED: partition}


def _is_partition(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this) == PARTITIONED


def _time_column(node: exp.Expr, source: Node, text: str) -> int:
    if not isinstance(node, exp.Anonymous) or str(node.this).upper() != "DESCRIPTOR" or len(node.expressions) != 1:
        raise wrong("name the time column as DESCRIPTOR(column)", node, text)
    place = _column(node.expressions[0], source, text)
    check_time(source.fields[place], node, text)
    return place


def _column(node: exp.Expr, source: Node, text: str) -> int:
    names = [field.name for field in source.fields]
    if node.name not in names:
        raise wrong(f"column '{node.name}' not found{did_you_mean(node.name, names)}", node, text)
    return names.index(node.name)


def check_time(field: Field, node: exp.Expr, text: str) -> None:
    """Refuse a column that is neither event time nor processing time."""
    if not field.is_rowtime and field.role != PROCTIME:
        hint = "make it a TIMESTAMP(3) in CREATE TABLE"
        if is_timestamp(field.type):
            hint = (
                "declare WATERMARK FOR it in CREATE TABLE; event time also ends at GROUP BY without a window, at CAST, "
                "and at a join that does not bound it, as in l.t BETWEEN r.t - INTERVAL '1' HOUR AND r.t"
            )
        raise wrong(f"column '{field.name}' is no event time, so it has no windows; {hint}", node, text)


def milliseconds(node: exp.Expr, text: str) -> int:
    """Return the length of a constant interval."""
    try:
        span = interval(node).value if isinstance(node, exp.Interval) else None
    except ValueError as error:
        raise wrong(str(error), node, text) from None
    if not isinstance(span, dt.timedelta) or span <= dt.timedelta():
        raise wrong("give an interval such as INTERVAL '10' MINUTES", node, text)
    return span // dt.timedelta(milliseconds=1)
