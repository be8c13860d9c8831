"""Throws away what is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.operators.sinks import Discard
from flott.table.connectors.registry import TableSink
from flott.table.physical.attach import sink_behind

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what throws rows away."""
    return TableSink(lambda stream: sink_behind(stream, f"Sink: {options.table}", Discard()), changelog=True)
