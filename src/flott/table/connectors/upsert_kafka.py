"""Tables in Kafka by key: the last message of a key is its row, one without value says that it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.connectors.kafka import sink_of
from flott.table.connectors.kafka_options import layout_of
from flott.table.connectors.registry import TableSink
from flott.table.errors import TableError

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what writes the last row of each key, and a tombstone for a row that is deleted."""
    if not table.schema.key:
        raise TableError(
            f"table '{options.table}': 'upsert-kafka' writes rows by their key; declare PRIMARY KEY (…) NOT ENFORCED"
        )
    attach = sink_of(options, fields, table, layout_of(options, table, key_required=True), upserts=True)
    names = [field.name for field in fields]
    return TableSink(attach, upsert_keys=tuple(names.index(name) for name in table.schema.key))
