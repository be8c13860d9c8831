"""Records of a stream kept in files, batch by batch, with their timestamps: what ``cache()`` writes and reads."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar
from uuid import uuid4

import fsspec

from flott.connectors.base import CommittingSinkWriter, Sink, Source, SupportsCommitter
from flott.connectors.file_sink import FileCommitter
from flott.connectors.find_files import find_files
from flott.connectors.input_format import InputSplitEnumerator
from flott.connectors.staged_files import StagedFile, StagedFiles, StagingArea, writer_folder
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.connectors.base import SinkScope
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext
    from flott.runtime.source import SplitRead


class CachedRecordsSink(Sink, SupportsCommitter):
    """Writes batches to files below a path; they show once they count."""

    def __init__(self, path: str) -> None:
        self.path = path

    def create_writer(self, context: WriterInitContext) -> CachedRecordsWriter:
        return CachedRecordsWriter(self.path, context)

    def create_committer(self) -> FileCommitter:
        return FileCommitter(StagingArea(self.path))

    def abort_stale(self, scope: SinkScope, kept: list[StagedFiles]) -> None:
        StagingArea(self.path).tidy(scope, {file.staged for one in kept for file in one.files})

    def make_durable(self, committables: list[StagedFiles], *, committed: bool) -> None:
        StagingArea(self.path).make_durable(committables, committed=committed)


class CachedRecordsWriter(CommittingSinkWriter):
    """Writes the batches of one subtask, into one file per epoch."""

    def __init__(self, path: str, context: WriterInitContext) -> None:
        self._area = StagingArea(path)
        self._directory = writer_folder(context)
        self._open: tuple[StagedFile, BinaryIO] | None = None

    def write(self, element: Any, context: WriteContext) -> None:
        """Write one record."""
        self.write_batch(Batch([element], [context.timestamp()]))

    def write_batch(self, batch: Batch) -> None:
        """Write records, in columns if they are."""
        if self._open is None:
            name = uuid4().hex
            file = StagedFile(f"{self._directory}/{name}", f"part-{name}")
            self._open = file, self._area.create(file.staged)
        pickle.dump(batch if batch.columnar else (batch.values, batch.stamps), self._open[1], 5)

    def prepare_commit(self) -> list[StagedFiles]:
        """Complete the epoch's file."""
        if self._open is None:
            return []
        file, stream = self._open
        stream.close()
        self._open = None
        return [StagedFiles(self._directory, (file,))]

    def close(self) -> None:
        """Remove what was not handed over."""
        if self._open is not None:
            self._open[1].close()
            self._area.remove([self._open[0].staged])
            self._open = None


class CachedRecordsSource(Source):
    """Reads the files again, each as a whole, records with their timestamps."""

    fresh_batches: ClassVar[bool] = True

    def __init__(self, path: str) -> None:
        self.path = path

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> InputSplitEnumerator:
        return InputSplitEnumerator(self, parallelism)  # type: ignore[arg-type]

    def create_input_splits(self, parallelism: int) -> list[str]:
        """Return the files."""
        return [file.path for file in find_files([self.path], may_be_missing=True)]

    def read(self, read: SplitRead) -> Iterator[Batch]:
        (path,) = read.start
        with fsspec.open(path, "rb") as stream:
            while True:
                try:
                    found = pickle.load(stream)
                except EOFError:
                    return
                yield found if isinstance(found, Batch) else Batch(*found)
