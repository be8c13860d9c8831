"""Tables of files: CSV, JSON (a row on each line) and Parquet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_sink import FileSink
from flott.connectors.output_file_config import OutputFileConfig
from flott.table.connectors.file_formats import LineFormat, ParquetWriterFactory, line_encoder
from flott.table.connectors.file_metadata import METADATA
from flott.table.connectors.line_formats import format_of
from flott.table.connectors.lines_source import LinesSource
from flott.table.connectors.lookup import CacheOptions, WholeTable, batches_of
from flott.table.connectors.parquet_source import ParquetSource
from flott.table.connectors.registry import TableSink, TableSource
from flott.table.errors import TableError
from flott.table.physical.attach import behind
from flott.table.runtime.conversion import ColumnsToRows
from flott.table.runtime.line_parser import LineParser

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.lookup import LookupTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

__all__ = ["METADATA", "lookup", "sink", "source"]

FORMATS = ("csv", "json", "parquet")


def _format(options: Options) -> tuple[str, str, LineFormat]:
    path = options.text("path", required=True) or ""
    form = format_of(options, FORMATS)
    return path, form.name, form


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what reads the files that are there; with 'source.monitor-interval' also those that come."""
    reads = _reads(options, fields, table)
    CacheOptions.of(options)
    return TableSource(lambda environment: _stream(environment, reads, options.table), columnar=True)


def lookup(options: Options, fields: tuple[Field, ...], table: CatalogTable, keys: tuple[int, ...]) -> LookupTable:
    """Return what finds rows by key: the files are read whole, and again after 'lookup.full-cache…interval'."""
    cache = CacheOptions.of(options, default="FULL")
    if cache.kind != "FULL":
        raise TableError(f"table '{options.table}': files are looked up with 'lookup.cache' = 'FULL' only")
    return WholeTable(partial(batches_of, _reads(options, fields, table)), keys, cache.reload)


def _reads(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> Any:
    path, name, line_format = _format(options)
    stored = table.schema.stored()
    keys = {column.name: column.metadata for column in table.schema.columns}
    layout = [keys.get(field.name) for field in fields]
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
    path, name, line_format = _format(options)
    names, types = [field.name for field in fields], [field.type for field in fields]
    options.whole("source.monitor-interval")
    if name == "parquet":
        builder: Any = FileSink.for_bulk_format(path, ParquetWriterFactory(names, types))
    else:
        builder = FileSink.for_row_format(path, line_encoder(line_format, names, types))
    buckets = ByColumns(table.partition_keys) if table.partition_keys else BucketAssigner.base_path_bucket_assigner()
    config = OutputFileConfig.builder().with_part_suffix(f".{name}").build()
    made = builder.with_bucket_assigner(buckets).with_output_file_config(config).build()

    def attach(stream: Any) -> Any:
        rows = behind(stream, "ToRows", ColumnsToRows(names))
        return rows.sink_to(made).name(f"Sink: {options.table}")

    return TableSink(attach)


class ByColumns(BucketAssigner):
    """Writes rows to directories by the values of columns, as in ``day=2020-01-31/hour=12``."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def get_bucket_id(self, element: Any, context: Any) -> str:
        return "/".join(
            f"{name}={'__HIVE_DEFAULT_PARTITION__' if element[name] is None else element[name]}" for name in self.names
        )
