"""Tables that Spark reads and writes: of its catalogs by name, or at a path in one of its formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from flott.common.options import FlottOptions
from flott.connectors.paths import absolute, as_uri
from flott.connectors.staged_frames import StagedRowsSink
from flott.errors import GraphError
from flott.spark.frame_writes import FILE_FORMATS, FormatWrite, TableWrite, first_line
from flott.spark.frames import place_of
from flott.spark.session import base_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from flott.common import Configuration
    from flott.connectors.base import Sink

WITHOUT_NAMES = frozenset({"csv", "json", "xml"})
"""Formats whose files do not say which columns of which types they hold."""


@dataclass(frozen=True, slots=True)
class TableAddress:
    """Where a table is: its name in a catalog of Spark's, or a format, mostly with a path."""

    name: str | None = None
    format: str | None = None
    path: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    """Of Spark's reader or writer."""
    partition_by: tuple[str, ...] = ()
    """Columns whose values stand in the paths of files."""

    def __str__(self) -> str:
        return self.name or f"{self.format} {self.path or ''}".strip()


def table_frame(
    session: SparkSession, address: TableAddress, stored: Any, wanted: Sequence[str], *, streaming: bool
) -> DataFrame:
    """Return a table as a DataFrame with some of its columns.

    Args:
        session: What reads it.
        address: Where the table is.
        stored: Its columns and their types, an Arrow schema.
        wanted: The columns to read.
        streaming: Whether to read what comes as well, not only what is there.
    """
    reader: Any = (session.readStream if streaming else session.read).options(**address.options)
    try:
        if address.name is not None:
            frame = reader.table(address.name)
        else:
            reader = reader.format(address.format)
            # Without its type, Spark would take the text '01' in a path for a number.
            if address.format in FILE_FORMATS and (
                streaming or address.partition_by or address.format in WITHOUT_NAMES
            ):
                reader = reader.schema(from_arrow_schema(stored))
            frame = reader.load() if address.path is None else reader.load(as_uri(absolute(address.path)))
    except PySparkException as error:
        raise GraphError(f"Spark can't read {address}: {first_line(error)}") from None
    there = set(frame.columns)
    for name in wanted:
        if name not in there:
            raise GraphError(f"Spark's table {address} has no column '{name}'; it has {', '.join(frame.columns)}")
    types = {one.name: one.dataType for one in from_arrow_schema(stored)}
    chosen: DataFrame = frame.select(*(col(f"`{name}`").cast(types[name]).alias(name) for name in wanted))
    return chosen


def table_sink(address: TableAddress, schema: Any, configuration: Configuration) -> Sink:
    """Return what appends to a table; exactly once where the table is files that Spark finds at a path, or Delta."""
    place = place_of("INSERT INTO", configuration, None, configuration.get(FlottOptions.SPARK_MASTER))
    if address.name is None:
        target = None if address.path is None else absolute(address.path)
        return StagedRowsSink(
            schema, place, FormatWrite(str(address.format), target, address.partition_by, address.options)
        )
    return StagedRowsSink(schema, place, _into_table(base_session(configuration), address))


def _into_table(session: SparkSession, address: TableAddress) -> TableWrite:
    name = str(address.name)
    try:
        told = {row.col_name: row.data_type for row in session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()}
        columns = session.catalog.listColumns(name)
    except PySparkException as error:
        raise GraphError(f"Spark can't write to {name}: {first_line(error)}") from None
    if told.get("Type") == "VIEW":
        raise GraphError(f"{name} is a view of Spark's; INSERT INTO a table")
    form, location = told.get("Provider", "").lower(), told.get("Location", "")
    partitions = tuple(column.name for column in columns if column.isPartition)
    if form in FILE_FORMATS and location:
        return TableWrite(name, FormatWrite(form, absolute(location), partitions, address.options))
    return TableWrite(name, None, address.options)
