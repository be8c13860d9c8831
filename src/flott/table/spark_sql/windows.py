"""Windows of time as Spark SQL computes them: in microseconds, and only in UTC, where no hour is missing."""

# ruff: noqa: S608 - the parts are our own; constants are escaped in constants.py

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table import types as t
from flott.table.spark_sql.constants import text
from flott.table.spark_sql.spark_types import UntranslatableError, spark_type

if TYPE_CHECKING:
    from flott.table.plan.nodes import WindowTable

MILLI = 1000
UTC = frozenset({"UTC", "Z", "Etc/UTC"})
NO_TIME = "event time is NULL in a row; leave such rows out: WHERE at IS NOT NULL"


def micros(column: str, kind: t.DataType, zone: str) -> str:
    """Return a column of event time in microseconds; each row must have one."""
    if zone not in UTC:
        raise UntranslatableError(f"windows of time in the time zone {zone}")
    moment = column if isinstance(kind, t.LocalZonedTimestampType) else f"CAST({column} AS TIMESTAMP)"
    return f"coalesce(unix_micros({moment}), raise_error({text(NO_TIME)}))"


def windows(node: WindowTable, below: str, zone: str) -> str:
    """Return rows once for each of their windows, with start, end and time of the window."""
    if node.windows.processing:
        raise UntranslatableError("windows of processing time")
    width = len(node.input.fields)
    at = micros(f"c{node.time}", node.input.fields[node.time].type, zone)
    timed = f"SELECT *, {at} AS at FROM {below}"
    bounded = _sessions(node, timed) if node.windows.kind == "SESSION" else _aligned(node, timed)
    made = [f"c{place}" for place in range(width)]
    for place, moment in enumerate(("starts", "ends", f"ends - {MILLI}")):
        kind = spark_type(node.fields[width + place].type)
        made.append(f"CAST(timestamp_micros({moment}) AS {kind}) AS c{width + place}")
    return f"SELECT {', '.join(made)} FROM ({bounded})"


def _aligned(node: WindowTable, timed: str) -> str:
    size, slide, offset = (one * MILLI for one in (node.windows.size, node.windows.slide, node.windows.offset))
    if node.windows.kind == "TUMBLE":
        return f"SELECT *, starts + {size} AS ends FROM (SELECT *, {_floor(size, offset)} AS starts FROM ({timed}))"
    if node.windows.kind == "HOP":
        first, steps = _floor(slide, offset), f"sequence(0L, {-(-size // slide) - 1}L)"
        starts = f"SELECT *, {first} - step * {slide} AS starts FROM ({timed}) LATERAL VIEW explode({steps}) AS step"
        return f"SELECT *, starts + {size} AS ends FROM ({starts}) WHERE starts + {size} > at"
    steps = f"sequence(1L, {size // slide}L)"
    inner = f"SELECT *, {_floor(size, offset)} AS starts FROM ({timed}) LATERAL VIEW explode({steps}) AS step"
    return f"SELECT *, starts + step * {slide} AS ends FROM ({inner}) WHERE starts + step * {slide} > at"


def _floor(size: int, offset: int) -> str:
    return f"at - pmod(at - {offset}, {size})"


def _sessions(node: WindowTable, timed: str) -> str:
    """Rows belong to one session if no gap between two of them is longer; a gap as long as that joins them."""
    gap = node.windows.size * MILLI
    partition = f"PARTITION BY {', '.join(f'c{key}' for key in node.partition)}" if node.partition else ""
    fresh = f"IF(at - LAG(at) OVER ({partition} ORDER BY at) <= {gap}, 0L, 1L)"
    numbered = (
        f"SELECT *, SUM(fresh) OVER ({partition} ORDER BY at RANGE UNBOUNDED PRECEDING) AS session "
        f"FROM (SELECT *, {fresh} AS fresh FROM ({timed}))"
    )
    whole = f"({partition + ', ' if partition else 'PARTITION BY '}session)"
    return f"SELECT *, MIN(at) OVER {whole} AS starts, MAX(at) OVER {whole} + {gap} AS ends FROM ({numbered})"
