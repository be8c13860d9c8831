"""The doors between streams and DataFrames: from_spark, to_spark, sink_to_spark."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from flott.common.options import CheckpointingOptions, FlottOptions
from flott.common.workspace import workspace
from flott.connectors.find_files import find_files
from flott.connectors.paths import absolute
from flott.connectors.spooled_frames import SpooledBatchSource, SpooledRowsSource
from flott.connectors.staged_frames import StagedRowsSink
from flott.errors import ConfigurationError, GraphError
from flott.spark.frame_feeds import BatchFrameFeed, StreamingFrameFeed
from flott.spark.frame_writes import FormatWrite, FunctionWrite, frame_of, spark
from flott.spark.session import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from flott.common import Configuration
    from flott.connectors.base import Sink, Source


def frame_source(
    frame: DataFrame, configuration: Configuration, directory: str | None, *, available_now: bool
) -> Source:
    """Return a DataFrame, streaming or not, as a source."""
    if not (hasattr(frame, "isStreaming") and hasattr(frame, "sparkSession")):
        raise GraphError(f"from_spark({frame!r:.80}): give a DataFrame of pyspark, as in spark.read.parquet('orders')")
    try:
        schema = to_arrow_schema(frame.schema)
    except Exception as error:
        raise GraphError(
            f"from_spark(...): {frame.schema.simpleString():.200} has no form in Arrow: {error}"
        ) from error
    place = place_of("from_spark", configuration, directory, frame.sparkSession.conf.get("spark.master", "") or "")
    if not frame.isStreaming:
        if available_now:
            raise GraphError("from_spark(..., available_now=True): this DataFrame is no stream, and ends anyway")
        keep = directory is not None
        return SpooledRowsSource(schema, lambda written: BatchFrameFeed(frame, place, written=written, keep=keep))
    if is_remote(frame.sparkSession):
        raise GraphError("from_spark(...): streaming DataFrames of Spark Connect are not supported; use classic Spark")
    trigger = {"availableNow": True} if available_now else {"processingTime": "0 seconds"}
    feed = partial(StreamingFrameFeed, frame, place, trigger=trigger)
    return SpooledBatchSource(schema, feed, bounded=available_now)


def frame_sink(
    schema: Any,
    configuration: Configuration,
    write: Callable[[DataFrame, int], None] | None,
    form: str | None,
    path: str | None,
    partition_by: Sequence[str],
    options: dict[str, Any],
    directory: str | None,
) -> Sink:
    """Return a sink that writes with Spark."""
    if (write is None) == (form is None):
        raise GraphError(
            "sink_to_spark(...): give either a function, as in sink_to_spark(lambda frame, number: ...), or a format, "
            "as in sink_to_spark(format='parquet', path='out')"
        )
    master = configuration.get(FlottOptions.SPARK_MASTER)
    place = place_of("sink_to_spark", configuration, directory, master)
    if write is not None:
        return StagedRowsSink(schema, place, FunctionWrite(write))
    if not isinstance(form, str):
        raise GraphError(f"sink_to_spark(format={form!r}): a format is a name, such as 'parquet'")
    for name in partition_by:
        if name not in schema.names:
            raise GraphError(
                f"sink_to_spark(partition_by={list(partition_by)}): there is no column '{name}'; the stream has "
                f"{', '.join(schema.names)}"
            )
    target = None if path is None else absolute(path)
    texts = {key: str(value) for key, value in options.items()}
    return StagedRowsSink(schema, place, FormatWrite(form, target, tuple(partition_by), texts))


def read_rows(schema: Any, directory: str) -> DataFrame:
    """Return what a job has written to a directory as a DataFrame; without rows there are no files."""
    if find_files([directory], may_be_missing=True):
        return frame_of([directory])
    return spark().createDataFrame([], from_arrow_schema(schema))


def place_of(call: str, configuration: Configuration, directory: str | None, master: str) -> str:
    """Return the directory for rows on their way between Spark and the job; all machines must reach it."""
    if directory is not None:
        return absolute(directory)
    for option in (CheckpointingOptions.CHECKPOINTS_DIRECTORY, FlottOptions.STORAGE_DIRECTORY):
        shared = configuration.get_optional(option)
        if shared:
            return f"{absolute(shared).rstrip('/')}/dataframes"
    if not master.startswith("local"):
        raise ConfigurationError(
            f"{call}(...): the job runs on {master}, where machines share no disk: give directory=..., or set "
            f"{FlottOptions.STORAGE_DIRECTORY.key}, to a directory that all of them reach (hdfs://…, s3a://…)"
        )
    return temporary()


def temporary() -> str:
    """Return a directory that goes with this process."""
    made = tempfile.mkdtemp(prefix="dataframes-", dir=workspace())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
