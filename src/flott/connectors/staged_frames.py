"""A sink whose output somebody else writes: tasks stage rows as Parquet, the driver has them written when they count.

`flott.spark` has what writes them: any writer of Spark's.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol
from uuid import uuid4

from flott.connectors.base import Committer, CommittingSinkWriter, Sink, SupportsCommitter
from flott.connectors.parquet_format import ParquetWriter
from flott.connectors.staged_files import StagingArea, writer_folder
from flott.runtime.crash_points import reach

if TYPE_CHECKING:
    from flott.connectors.base import SinkScope
    from flott.runtime.batch import Batch
    from flott.runtime.operators.commit_requests import CommitRequest
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext


@dataclass(frozen=True, slots=True)
class StagedRows:
    """Rows that one subtask has staged in one epoch: the committable of the sink."""

    checkpoint: int
    """The checkpoint that they count with; 0 when the job takes none."""
    name: str


class FrameWrite(Protocol):
    """Writes rows for good. Asked a second time with the same number, after a crash, it should change nothing."""

    def __call__(self, number: int, files: list[str]) -> None:
        """Write the rows in Parquet files; ``number`` is their checkpoint's, or just the next one without any."""

    def forget(self, number: int, files: list[str]) -> None:
        """It is over: the rows are written, and the files are gone, so nobody will ask a second time."""


class StagedRowsSink(Sink, SupportsCommitter):
    """Rows go through Parquet files in a directory; with each checkpoint, those that it covers are written at once."""

    def __init__(self, schema: Any, directory: str, write: FrameWrite) -> None:
        self.schema = schema
        self.directory = directory
        self._write: FrameWrite | None = write
        self._numbers = count(1)

    def __getstate__(self) -> dict[str, Any]:
        # What writes for good is the driver's.
        return {"schema": self.schema, "directory": self.directory, "_write": None, "_numbers": count(1)}

    def create_writer(self, context: WriterInitContext) -> StagedRowsWriter:
        return StagedRowsWriter(self.schema, self.directory, context)

    def create_committer(self) -> StagedRowsCommitter:
        if self._write is None:
            raise TypeError("the output of a sink to Spark is written in the driver only")
        return StagedRowsCommitter(StagingArea(self.directory), self.directory, self._write, self._numbers)

    def abort_stale(self, scope: SinkScope, kept: list[StagedRows]) -> None:
        StagingArea(self.directory).tidy(scope, {rows.name for rows in kept})

    def make_durable(self, committables: list[StagedRows], *, committed: bool) -> None:
        if not committed:
            StagingArea(self.directory).sync([rows.name for rows in committables])


class StagedRowsWriter(CommittingSinkWriter):
    """Writes the rows of one subtask, one file an epoch."""

    def __init__(self, schema: Any, directory: str, context: WriterInitContext) -> None:
        self._schema = schema
        self._context = context
        self._area = StagingArea(directory)
        self._folder = writer_folder(context)
        self._open: tuple[str, BinaryIO, ParquetWriter] | None = None

    def write(self, element: Any, context: WriteContext) -> None:
        """Write one row."""
        del context
        self._writer().add_element(element)

    def write_batch(self, batch: Batch) -> None:
        """Write many rows, in columns if they are."""
        writer = self._writer()
        if batch.columnar:
            writer.add_columns(batch)  # type: ignore[arg-type]
        else:
            for element in batch.values:
                writer.add_element(element)

    def _writer(self) -> ParquetWriter:
        if self._open is None:
            name = f"{self._folder}/{uuid4().hex}.parquet"
            stream = self._area.create(name)
            self._open = name, stream, ParquetWriter(stream, self._schema)
        return self._open[2]

    def prepare_commit(self) -> list[StagedRows]:
        """Complete the epoch's file."""
        if self._open is None:
            return []
        name, stream, writer = self._open
        writer.finish()
        stream.close()
        self._open = None
        return [StagedRows(self._context.get_next_checkpoint_id(), name)]

    def close(self) -> None:
        """Remove what was not handed over."""
        if self._open is not None:
            self._open[1].close()
            self._area.remove([self._open[0]])
            self._open = None


class StagedRowsCommitter(Committer):
    """Has the rows of each checkpoint written, then removes their files: with them gone, it is done."""

    def __init__(self, area: StagingArea, directory: str, write: FrameWrite, numbers: count[int]) -> None:
        self._area = area
        self._directory = directory
        self._write = write
        self._numbers = numbers

    def commit(self, requests: list[CommitRequest]) -> None:
        by_checkpoint: dict[int, list[str]] = {}
        for request in requests:
            rows: StagedRows = request.get_committable()
            by_checkpoint.setdefault(rows.checkpoint, []).append(rows.name)
        for checkpoint, names in sorted(by_checkpoint.items()):
            number = checkpoint or next(self._numbers)
            files = [f"{self._directory}/{name}" for name in sorted(names)]
            # Files are removed only when all is written: one that is missing says so.
            if all(map(self._area.exists, names)):
                reach("rows.before-write")
                self._write(number, files)
                reach("rows.after-write")
            self._area.remove(names)
            self._write.forget(number, files)
            for folder in {name.rpartition("/")[0] for name in names}:
                self._area.remove_empty(folder)
