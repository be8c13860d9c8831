"""The way to Spark's DataFrames, loaded only by programs that take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_sink import FileSink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.common.configuration import Configuration
    from flott.connectors.base import Sink, Source

__all__ = ["read_back", "rows_directory", "rows_sink", "source_of", "spark_sink"]


def source_of(frame: Any, configuration: Configuration, directory: str | None, *, available_now: bool) -> Source:
    """Return a DataFrame as a source."""
    from flott.spark.frames import frame_source

    return frame_source(frame, configuration, directory, available_now=available_now)


def spark_sink(
    type_info: Any,
    configuration: Configuration,
    write: Callable[[Any, int], None] | None,
    form: str | None,
    path: str | None,
    partition_by: Sequence[str],
    options: dict[str, Any],
    directory: str | None,
) -> Sink:
    """Return a sink that writes with Spark."""
    from flott.connectors.arrow_rows import schema_of
    from flott.spark.frames import frame_sink

    schema = schema_of("sink_to_spark(...)", type_info)
    return frame_sink(schema, configuration, write, form, path, partition_by, options, directory)


def rows_directory(configuration: Configuration, directory: str | None) -> str:
    """Return a new directory for the rows that become a DataFrame."""
    from uuid import uuid4

    from flott.common.options import FlottOptions
    from flott.spark.frames import place_of

    place = place_of("to_spark", configuration, directory, configuration.get(FlottOptions.SPARK_MASTER))
    return f"{place}/{uuid4().hex}"


def rows_sink(type_info: Any, directory: str) -> Sink:
    """Return a sink that writes rows as Parquet files."""
    from flott.connectors.arrow_rows import schema_of
    from flott.connectors.parquet_format import ParquetWriterFactory

    factory = ParquetWriterFactory(schema_of("to_spark()", type_info))
    builder = FileSink.for_bulk_format(directory, factory)
    return builder.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()


def read_back(type_info: Any, directory: str) -> Any:
    """Return the rows of a directory as a DataFrame."""
    from flott.connectors.arrow_rows import schema_of
    from flott.spark.frames import read_rows

    return read_rows(schema_of("to_spark()", type_info), directory)
