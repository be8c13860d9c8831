"""Tables that Spark reads and writes: by name from its catalogs, or in any of its formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.table.arrow_types import to_arrow_type
from flott.table.connectors.registry import TableSink, TableSource
from flott.table.errors import TableError
from flott.table.physical.attach import behind
from flott.table.runtime.named_columns import NamedColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

OPTION = "option."
"""What begins so goes to Spark's reader or writer."""


def _address(options: Options, table: CatalogTable) -> Any:
    from flott.spark.tables import TableAddress

    name, form, path = options.text("table"), options.text("format"), options.text("path")
    if (name is None) == (form is None):
        raise TableError(
            f"table '{options.table}': give either 'table' = '…', a name in a catalog of Spark's, or 'format' = '…', "
            "such as 'parquet' with 'path' = '…'"
        )
    if name is not None and path is not None:
        raise TableError(f"table '{options.table}': a 'table' of Spark's has its place; leave 'path' out")
    given = {key.removeprefix(OPTION): options.text(key) or "" for key in table.options if key.startswith(OPTION)}
    return TableAddress(name, form, path, given, tuple(table.partition_keys))


def _schema(columns: Sequence[Any]) -> Any:
    return pa.schema([(column.name, to_arrow_type(column.type)) for column in columns])


@dataclass(frozen=True, slots=True)
class SparkTable:
    """Some columns of a table that Spark reads."""

    address: Any
    stored: Any
    """The columns and their types, an Arrow schema."""
    fields: tuple[Field, ...]
    streaming: bool

    def rows(self, session: Any) -> Any:
        """Return the columns under their names as a DataFrame."""
        from flott.spark.tables import table_frame

        names = [field.name for field in self.fields]
        return table_frame(session, self.address, self.stored, names, streaming=self.streaming)

    def frame(self, session: Any) -> Any:
        """Return the columns as c0, c1 and so on, for a query of Spark's own."""
        return self.rows(session).toDF(*(f"c{place}" for place in range(len(self.fields))))


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what reads the rows that are there; with 'streaming' = 'true' also those that come."""
    streaming = options.truth("streaming")
    there = SparkTable(_address(options, table), _schema(table.schema.stored()), fields, streaming)

    def stream(environment: Any) -> Any:
        from flott.spark.session import base_session

        rows = there.rows(base_session(environment.get_configuration()))
        return environment.from_spark(rows, None, f"spark: {options.table}")

    return TableSource(stream, in_spark=None if streaming else there)


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what appends rows with each checkpoint, or epoch, by one job of Spark's."""
    address = _address(options, table)
    options.truth("streaming")
    schema = _schema(fields)

    def attach(stream: Any) -> Any:
        from flott.spark.tables import table_sink

        configuration = stream.get_execution_environment().get_configuration()
        made = table_sink(address, schema, configuration)
        return behind(stream, "ToNamedColumns", NamedColumns(schema.names)).sink_to(made).name(f"Sink: {options.table}")

    return TableSink(attach)
