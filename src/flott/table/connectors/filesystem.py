"""Tables of files: CSV, JSON (a row on each line) and Parquet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_sink import FileSink
from flott.connectors.output_file_config import OutputFileConfig
from flott.connectors.parquet_format import ParquetWriterFactory
from flott.table.arrow_types import to_arrow_type
from flott.table.connectors.commit_options import partition_commit
from flott.table.connectors.file_formats import LineFormat, line_encoder
from flott.table.connectors.file_metadata import METADATA
from flott.table.connectors.line_formats import format_of
from flott.table.connectors.lines_source import LinesSource
from flott.table.connectors.lookup import CacheOptions, WholeTable, batches_of
from flott.table.connectors.parquet_source import ParquetSource
from flott.table.connectors.partitions import (
    DEFAULT_NAME,
    ByColumns,
    PartitionValue,
    SomeColumns,
    SomeColumnsWriterFactory,
)
from flott.table.connectors.registry import TableSink, TableSource
from flott.table.errors import TableError
from flott.table.physical.attach import behind
from flott.table.runtime.conversion import ColumnsToRows
from flott.table.runtime.line_parser import LineParser
from flott.table.spark_sql.sources import LineFiles, ParquetFiles

if TYPE_CHECKING:
    from flott.connectors.partition_commit import PartitionCommit
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.file_metadata import Place
    from flott.table.connectors.lookup import LookupTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field
    from flott.table.spark_sql.sources import SparkSource

__all__ = ["METADATA", "lookup", "sink", "source"]

FORMATS = ("csv", "json", "parquet")


def _format(options: Options, table: CatalogTable) -> tuple[str, str, LineFormat, PartitionCommit | None]:
    path = options.text("path", required=True) or ""
    form = format_of(options, FORMATS)
    return path, form.name, form, partition_commit(options, table.partition_keys)


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what reads the files that are there; with 'source.monitor-interval' also those that come."""
    reads = _reads(options, fields, table)
    CacheOptions.of(options)
    stream = lambda environment: _stream(environment, reads, options.table)  # noqa: E731 - called once
    return TableSource(stream, columnar=True, in_spark=_in_spark(reads, fields))


def _in_spark(reads: ParquetSource | LinesSource, fields: tuple[Field, ...]) -> SparkSource | None:
    types = tuple(field.type for field in fields)
    if any(key is not None for key in reads.layout) or not reads.is_bounded():
        return None
    if isinstance(reads, ParquetSource):
        return ParquetFiles(reads.path, tuple(reads.names), types)
    return LineFiles(reads.paths[0], reads.parser, types)


def lookup(options: Options, fields: tuple[Field, ...], table: CatalogTable, keys: tuple[int, ...]) -> LookupTable:
    """Return what finds rows by key: the files are read whole, and again after 'lookup.full-cache…interval'."""
    cache = CacheOptions.of(options, default="FULL")
    if cache.kind != "FULL":
        raise TableError(f"table '{options.table}': files are looked up with 'lookup.cache' = 'FULL' only")
    return WholeTable(partial(batches_of, _reads(options, fields, table)), keys, cache.reload)


def _reads(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> Any:
    path, name, line_format, _ = _format(options, table)
    default = options.text("partition.default-name", DEFAULT_NAME) or DEFAULT_NAME
    stored = [column for column in table.schema.stored() if column.name not in table.partition_keys]
    keys = {column.name: column.metadata for column in table.schema.columns}
    layout: list[Place] = [
        PartitionValue(field.name, field.type, default) if field.name in table.partition_keys else keys.get(field.name)
        for field in fields
    ]
    wanted = [field.name for field, key in zip(fields, layout, strict=True) if key is None]
    # Rows are counted by a column, so that one is read in any case.
    wanted = wanted or [stored[0].name]
    interval = options.whole("source.monitor-interval")
    types = {column.name: column.type for column in stored if column.type is not None}
    if name == "parquet":
        if interval is not None:
            raise TableError(f"table '{options.table}': only csv and json files can be waited for, not parquet")
        reads: Any = ParquetSource(path, wanted, [types[one] for one in wanted], layout)
    else:
        parser = LineParser(line_format, list(types), list(types.values()), wanted)
        reads = LinesSource(path, parser, layout, None if interval is None else interval * 1000)
    return reads


def _stream(environment: Any, reads: Any, name: str) -> Any:
    from flott.common.watermark_strategy import WatermarkStrategy

    return environment.from_source(reads, WatermarkStrategy.no_watermarks(), f"filesystem: {name}")


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what writes part files, each shown when its checkpoint, or its epoch, is complete."""
    path, name, line_format, complete = _format(options, table)
    options.whole("source.monitor-interval")
    default = options.text("partition.default-name", DEFAULT_NAME) or DEFAULT_NAME
    kept = [place for place, field in enumerate(fields) if field.name not in table.partition_keys]
    if not kept:
        raise TableError(f"table '{options.table}': PARTITIONED BY leaves no column that the files could hold")
    names, types = [fields[place].name for place in kept], [fields[place].type for place in kept]
    if name == "parquet":
        schema = pa.schema(list(zip(names, map(to_arrow_type, types), strict=True)))
        builder: Any = FileSink.for_bulk_format(path, SomeColumnsWriterFactory(ParquetWriterFactory(schema), kept))
    else:
        builder = FileSink.for_row_format(path, SomeColumns(line_encoder(line_format, names, types), kept))
    buckets = BucketAssigner.base_path_bucket_assigner()
    if table.partition_keys:
        kinds = {field.name: field.type for field in fields}
        buckets = ByColumns(table.partition_keys, [kinds[key] for key in table.partition_keys], default)
    config = OutputFileConfig.builder().with_part_suffix(f".{name}").build()
    builder = builder.with_bucket_assigner(buckets).with_output_file_config(config)
    made = (builder if complete is None else builder.with_partition_commit(complete)).build()

    def attach(stream: Any) -> Any:
        rows = behind(stream, "ToRows", ColumnsToRows(fields))
        return rows.sink_to(made).name(f"Sink: {options.table}")

    return TableSink(attach)
