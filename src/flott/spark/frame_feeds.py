"""DataFrames as inputs of a job: Spark computes the rows and writes them down, the epochs read them."""

from __future__ import annotations

import json
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec
from pyspark.errors import PySparkException

from flott.connectors.find_files import find_files
from flott.connectors.paths import as_uri
from flott.connectors.spooled_frames import SpooledBatch
from flott.errors import FlottError
from flott.runtime.storage import open_storage
from flott.spark.runner import short_cause

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

AHEAD = 2
"""So many batches wait to be read before Spark has to wait."""
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class SparkPosition:
    """Where Spark's own engine stands behind a batch: its logs, as far as the next batch depends on them."""

    batch: int
    logs: dict[str, bytes]
    """Files of its checkpoint directory by their names: offsets and commits of the batch, and logs of sources."""


class StreamingFrameFeed:
    """Runs a streaming DataFrame as a query whose batches are written to Parquet files.

    The query's checkpoint directory is made anew from what our own checkpoint holds, so nothing of an earlier
    run is needed: Spark goes on behind the batch that our checkpoint stands behind.
    """

    def __init__(
        self, frame: DataFrame, directory: str, position: SparkPosition | None, trigger: dict[str, Any]
    ) -> None:
        self._directory = f"{directory}/{uuid4().hex}"
        self._logs = open_storage(f"{self._directory}/logs")
        self._room = threading.Condition()
        self._written: deque[SpooledBatch] = deque()
        self._closed = False
        for name, data in {} if position is None else position.logs.items():
            self._logs.write(name, data)
        writer = frame.writeStream.foreachBatch(self._write).trigger(**trigger)
        writer = writer.option("checkpointLocation", as_uri(f"{self._directory}/logs"))
        self._query: StreamingQuery = writer.start()

    def _write(self, frame: DataFrame, number: int) -> None:
        """Called by Spark with each batch; again with the same one after a failure of its own."""
        with self._room:
            self._room.wait_for(lambda: self._closed or len(self._written) < AHEAD)
            if self._closed:
                # Not a batch that counts: it must not be marked as done.
                raise FlottError("the job does not read this DataFrame any more")
        target = f"{self._directory}/batch-{number}-{uuid4().hex}"
        frame.write.parquet(as_uri(target))
        files = tuple(file.path for file in find_files([target]))
        # To go on behind a batch, Spark also looks at the one before it.
        offsets = {f"offsets/{one}": self._logs.read(f"offsets/{one}") for one in range(max(0, number - 1), number + 1)}
        with self._room:
            self._written.append(SpooledBatch(number, files, offsets))

    def take(self) -> SpooledBatch | None:
        """Return the next batch if it is written."""
        with self._room:
            if self._written:
                batch = self._written.popleft()
                self._room.notify_all()
                self._check_stateless()
                return batch
        if not self._query.isActive:
            failure = self._query.exception()
            if failure is not None:
                raise FlottError(f"the streaming DataFrame failed: {first_lines(failure)}") from failure
        return None

    def _check_stateless(self) -> None:
        if self._logs.names("state"):
            raise FlottError(
                "this streaming DataFrame keeps state in Spark (an aggregation, a join or dropDuplicates), which is "
                "not part of a job's checkpoints. Leave that step out and do it in Flott: key_by(...).window(...), "
                "join or a KeyedProcessFunction"
            )

    def ended(self) -> bool:
        """Say whether the query is over and everything was taken."""
        with self._room:
            return not self._written and not self._query.isActive and self._query.exception() is None

    def forget(self, batch: SpooledBatch) -> None:
        """Remove the files of a batch."""
        for file in batch.files[:1]:
            remove(file.rpartition("/")[0])

    def position(self, batch: SpooledBatch) -> SparkPosition:
        """Return Spark's offsets behind a batch, and the logs of its sources (which files were seen, say)."""
        offsets: dict[str, bytes] = batch.position
        watermark = json.loads(offsets[f"offsets/{batch.number}"].split(b"\n")[1]).get("batchWatermarkMs", 0)
        logs = {
            "metadata": self._logs.read("metadata"),
            **offsets,
            f"commits/{batch.number}": b'v1\n{"nextBatchWatermarkMs":%d}' % watermark,
        }
        for name in self._logs.names("sources"):
            # Spark removes old ones, replaced by a newer that holds them all.
            with suppress(FileNotFoundError):
                logs[name] = self._logs.read(name)
        return SparkPosition(batch.number, logs)

    def close(self) -> None:
        """Stop the query and remove everything."""
        with self._room:
            self._closed = True
            self._room.notify_all()
        with suppress(PySparkException):
            self._query.stop()
        remove(self._directory)


class BatchFrameFeed:
    """Computes a DataFrame once and writes its rows to Parquet files, beside the job's loop."""

    def __init__(self, frame: DataFrame, directory: str, *, written: str | None, keep: bool) -> None:
        self._frame = frame
        self._keep = keep
        self._target = written or f"{directory}/{uuid4().hex}"
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._write, name="flott-dataframe", daemon=True)
        if written is None:
            self._thread.start()
        elif not find_files([written], may_be_missing=True):
            raise FlottError(
                f"the rows of the DataFrame were written to '{written}' for the job that took this checkpoint, and "
                "they are gone. Give from_spark(..., directory=...) a place that nobody clears, and they stay"
            )

    def _write(self) -> None:
        try:
            self._frame.write.parquet(as_uri(self._target))
        except Exception as error:  # noqa: BLE001 - told to whoever asks for the rows
            self._failure = error

    def directory(self) -> str | None:
        """Return where the rows are, once all are written."""
        if self._thread.is_alive():
            return None
        if self._failure is not None:
            raise FlottError(f"the DataFrame could not be computed: {short_cause(self._failure)}") from self._failure
        return self._target

    def close(self, *, keep: bool) -> None:
        """Remove the rows unless they may be needed again."""
        if self._thread.is_alive():
            self._thread.join(PATIENCE)
        if not keep and not self._keep:
            remove(self._target)


def first_lines(error: BaseException) -> str:
    """Return what happened to a query, without the plan that Spark adds."""
    return str(error).partition("=== Streaming Query ===")[0].strip()[:600]


def remove(directory: str) -> None:
    """Remove a directory with all in it; one that is not there is no error."""
    file_system, path = fsspec.core.url_to_fs(directory)
    with suppress(FileNotFoundError, OSError):
        file_system.rm(path, recursive=True)
