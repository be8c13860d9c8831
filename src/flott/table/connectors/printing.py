"""Prints the changes of a table."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import TYPE_CHECKING, Any

from flott.common.java_float import java_float
from flott.datastream.data_stream.printing import Printer
from flott.runtime.operators.sinks import DriverSink
from flott.table.connectors.registry import TableSink
from flott.table.functions.casts import text_writer
from flott.table.functions.registry import Session
from flott.table.physical.attach import behind, sink_behind
from flott.table.runtime.conversion import ColumnsToRows
from flott.table.types import (
    ArrayType,
    BinaryType,
    DayTimeIntervalType,
    FloatType,
    MapType,
    RowType,
    VarBinaryType,
    YearMonthIntervalType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field
    from flott.table.types import DataType


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what prints each change on a line."""
    identifier = options.text("print-identifier")
    error = options.truth("standard-error")
    render = partial(render_row, kinds=tuple(field.type for field in fields))

    def attach(stream: Any) -> Any:
        rows = behind(stream, "ToRows", ColumnsToRows(fields))
        printer = Printer(identifier or None, render, "stderr" if error else "stdout")
        return sink_behind(rows, f"Sink: {options.table}", DriverSink(printer))

    return TableSink(attach, changelog=True)


def render_row(row: Any, kinds: Sequence[DataType]) -> str:
    """Write a change of columns of some types as Flink does.

    >>> from flott.common.types import Row
    >>> from flott.table.types import DataTypes
    >>> render_row(Row(1, None, 0.1), [DataTypes.INT(), DataTypes.STRING(), DataTypes.FLOAT()])
    '+I[1, null, 0.1]'
    """
    return f"{row.get_row_kind()}[{', '.join(render_cells(row, kinds))}]"


def render_cells(row: Any, kinds: Sequence[DataType]) -> list[str]:
    """Write the values of a row as Flink does."""
    return [render_value(value, kind) for value, kind in zip(row, kinds, strict=True)]


def shown_cells(row: Any, kinds: Sequence[DataType]) -> list[str]:
    """Write the values of a row as they stand in a table that is printed: as CAST AS STRING does.

    >>> from flott.table.types import DataTypes
    >>> shown_cells([None, True], [DataTypes.INT(), DataTypes.BOOLEAN()])
    ['<NULL>', 'TRUE']
    """
    return [
        "<NULL>" if value is None
        else render_value(value, kind) if isinstance(kind, (ArrayType, MapType, RowType, BinaryType, VarBinaryType))
        else text_writer(kind, Session())(value)
        for value, kind in zip(row, kinds, strict=True)
    ]  # fmt: skip


def render_value(value: Any, kind: DataType) -> str:  # noqa: PLR0911 - a case a line
    """Write a value as Flink does."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_float(value, single=isinstance(kind, FloatType))
    if isinstance(value, dt.datetime):
        text = value.replace(tzinfo=None).isoformat(timespec="auto").rstrip("0") if value.microsecond else None
        # As Java: a moment always has its seconds, a local time only if there are any.
        text = text or value.strftime("%Y-%m-%dT%H:%M:%S" if value.second or value.tzinfo else "%Y-%m-%dT%H:%M")
        return f"{text}Z" if value.tzinfo else text
    if isinstance(kind, (DayTimeIntervalType, YearMonthIntervalType)):
        return text_writer(kind, Session())(value)
    if isinstance(kind, ArrayType):
        return f"[{', '.join(render_value(one, kind.element_type) for one in value)}]"
    if isinstance(kind, MapType):
        pairs = ((render_value(key, kind.key_type), render_value(one, kind.value_type)) for key, one in value.items())
        cells = (f"{key}={one}" for key, one in pairs)
        return f"{{{', '.join(cells)}}}"
    if isinstance(kind, RowType):
        return f"({', '.join(render_cells(value, kind.field_types()))})"
    return str(value)
