"""Lines that a server sends, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.socket_text import SocketTextSource
from flott.table.connectors.line_formats import format_of
from flott.table.connectors.registry import TableSource
from flott.table.errors import TableError
from flott.table.physical.attach import behind
from flott.table.runtime.line_parser import LineParser
from flott.table.runtime.lines import LinesToColumns

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what reads lines from 'hostname' and 'port' until the server closes the connection."""
    host, port = options.text("hostname", "localhost") or "localhost", options.whole("port")
    if port is None:
        raise TableError(f"table '{options.table}': the option 'port' is missing; write it in WITH ('port' = '…')")
    form = format_of(options, ("csv", "json"))
    parser = LineParser(form, [field.name for field in fields], [field.type for field in fields])
    lines = SocketTextSource(host, port, max_retry=options.whole("max-retry", 0) or 0)

    def stream(environment: Any) -> Any:
        from flott.common.watermark_strategy import WatermarkStrategy

        text = environment.from_source(lines, WatermarkStrategy.no_watermarks(), f"socket: {options.table}")
        return behind(text.force_non_parallel(), "Lines", LinesToColumns(parser))

    return TableSource(stream, columnar=True)
