"""Prints the changes of a table."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from flott.common.java_float import java_float
from flott.datastream.data_stream.printing import Printer
from flott.runtime.operators.sinks import DriverSink
from flott.table.connectors.registry import TableSink
from flott.table.physical.attach import behind, sink_behind
from flott.table.runtime.conversion import ColumnsToRows

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what prints each change on a line."""
    identifier = options.text("print-identifier")
    error = options.truth("standard-error")
    names = [field.name for field in fields]

    def attach(stream: Any) -> Any:
        rows = behind(stream, "ToRows", ColumnsToRows(names))
        printer = Printer(identifier or None, render_row, "stderr" if error else "stdout")
        return sink_behind(rows, f"Sink: {options.table}", DriverSink(printer))

    return TableSink(attach, changelog=True)


def render_row(row: Any) -> str:
    """Write a change as Flink does.

    >>> from flott.common.types import Row
    >>> render_row(Row(1, None, "a", True))
    '+I[1, null, a, true]'
    """
    return f"{row.get_row_kind()}[{', '.join(map(render_value, row))}]"


def render_value(value: Any) -> str:  # noqa: PLR0911 - a case a line
    """Write a value as Flink does."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_float(value)
    if isinstance(value, dt.datetime):
        text = value.replace(tzinfo=None).isoformat(timespec="auto").rstrip("0") if value.microsecond else None
        text = text or value.strftime("%Y-%m-%dT%H:%M:%S" if value.second else "%Y-%m-%dT%H:%M")
        return f"{text}Z" if value.tzinfo else text
    if isinstance(value, list):
        return f"[{', '.join(map(render_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{render_value(key)}={render_value(one)}' for key, one in value.items())}}}"
    return str(value)
