"""Sources of rows that somebody else computes and writes down first: batch after batch, or all at once.

The driver asks a *feed* for what is written; tasks read Parquet files. `flott.spark` has the feeds for DataFrames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flott.connectors.arrow_rows import row_type_of
from flott.connectors.base import Source
from flott.connectors.file_source import FileSource, FileSourceSettings
from flott.connectors.parquet_format import ParquetFormat
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.connectors.text_file_enumerator import TextFileEnumerator
    from flott.runtime.batch import Batch

BEYOND = 1 << 62
"""Behind the end of any file."""


@dataclass(frozen=True, slots=True)
class SpooledBatch:
    """Rows that are written down: which files they are in, and what it takes to go on behind them."""

    number: int
    files: tuple[str, ...]
    position: Any
    """For a feed to start from; it holds all it takes, so that nothing else must be kept with a checkpoint."""


class BatchFeed(Protocol):
    """Lives in the driver: writes batches down, one after the other, never far ahead."""

    def take(self) -> SpooledBatch | None:
        """Return the next batch if it is written; raises when there will be none because something failed."""

    def ended(self) -> bool:
        """Say whether no batch will come any more, and none waits."""

    def forget(self, batch: SpooledBatch) -> None:
        """Remove the files of a batch that was read and counts."""

    def position(self, batch: SpooledBatch) -> Any:
        """Return what it takes to go on behind a batch."""

    def close(self) -> None:
        """Stop, and remove everything."""


class SpooledBatchSource(Source):
    """Batches of a feed; each is one epoch, so that a checkpoint always stands between two of them."""

    def __init__(self, schema: Any, make_feed: Callable[[Any], BatchFeed], *, bounded: bool) -> None:
        self.format = ParquetFormat(schema)
        self.bounded = bounded
        self._make_feed: Callable[[Any], BatchFeed] | None = make_feed

    def __getstate__(self) -> dict[str, Any]:
        # The feed is the driver's; tasks only read files.
        return {"format": self.format, "bounded": self.bounded, "_make_feed": None}

    def is_bounded(self) -> bool:
        return self.bounded

    def create_enumerator(self, parallelism: int) -> SpooledBatchEnumerator:
        if self._make_feed is None:
            raise TypeError("a source of a DataFrame is used only in the driver that has the DataFrame")
        return SpooledBatchEnumerator(self._make_feed, parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        if read.start != read.end:
            for file in read.start:
                yield from self.format.read_range(file, 0, BEYOND)

    def get_produced_type(self) -> TypeInformation:
        return row_type_of(self.format.schema)


class SpooledBatchEnumerator:
    """Plans one batch per epoch, its files dealt out to the subtasks."""

    def __init__(self, make_feed: Callable[[Any], BatchFeed], parallelism: int) -> None:
        self._make_feed = make_feed
        self._parallelism = parallelism
        self._feed: BatchFeed | None = None
        self._start: Any = None
        self._planned: SpooledBatch | None = None
        self._ended = False

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan the next batch, if it is there; the one before it counts by now."""
        del scale, now
        if self._feed is None:
            self._feed = self._make_feed(self._start)
        batch = None if self._ended else self._feed.take()
        if batch is not None:
            if self._planned is not None:
                self._feed.forget(self._planned)
            self._planned = batch
        self._ended = self._ended or self._feed.ended()
        return SourcePlan(self._reads(batch), empty=batch is None, backlog=batch is not None, ended=self._ended)

    def _reads(self, batch: SpooledBatch | None) -> tuple[tuple[SplitRead, ...], ...]:
        files = () if batch is None else batch.files
        mine = [files[subtask :: self._parallelism] for subtask in range(self._parallelism)]
        # A split for each subtask, so that its watermark goes on from batch to batch.
        return tuple(
            (SplitRead(f"rows-{subtask}", mine[subtask], (), ended=self._ended),)
            for subtask in range(self._parallelism)
        )

    def snapshot(self) -> Any:
        """Return what a feed needs to go on behind the last batch that was planned."""
        if self._planned is None or self._feed is None:
            return self._start
        return self._feed.position(self._planned)

    def restore(self, state: Any) -> None:
        """Go back behind the batch of a snapshot."""
        self.close()
        self._start = state
        self._ended = False

    def close(self) -> None:
        """Stop the feed."""
        if self._feed is not None:
            self._feed.close()
        self._feed = self._planned = None


class WholeFeed(Protocol):
    """Lives in the driver: writes all rows down at once, into a directory."""

    def directory(self) -> str | None:
        """Return where the rows are, once all are written; raises when that failed."""

    def close(self, *, keep: bool) -> None:
        """Stop, and remove everything unless the rows may be needed again."""


class SpooledRowsSource(Source):
    """Rows that a feed writes down before the first is read, so that reading them again gives the same."""

    def __init__(self, schema: Any, make_feed: Callable[[str | None], WholeFeed]) -> None:
        self.format = ParquetFormat(schema)
        self._make_feed: Callable[[str | None], WholeFeed] | None = make_feed

    def __getstate__(self) -> dict[str, Any]:
        return {"format": self.format, "_make_feed": None}

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> SpooledRowsEnumerator:
        if self._make_feed is None:
            raise TypeError("a source of a DataFrame is used only in the driver that has the DataFrame")
        return SpooledRowsEnumerator(self, self._make_feed, parallelism)

    def files_in(self, directory: str) -> FileSource:
        """Return the source of what was written."""
        return FileSource(FileSourceSettings(self.format, (directory,)))

    def read(self, read: SplitRead) -> Iterator[Batch]:
        return self.format.read(read, lambda _: iter(()))

    def get_produced_type(self) -> TypeInformation:
        return row_type_of(self.format.schema)


class SpooledRowsEnumerator:
    """Waits until all rows are written, then plans ranges of the files."""

    def __init__(
        self, source: SpooledRowsSource, make_feed: Callable[[str | None], WholeFeed], parallelism: int
    ) -> None:
        self._source = source
        self._make_feed = make_feed
        self._parallelism = parallelism
        self._feed: WholeFeed | None = None
        self._files: tuple[str, TextFileEnumerator] | None = None
        self._snapshots = False
        self._ended = False

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan the next ranges; nothing before all is written."""
        if self._files is None:
            if self._feed is None:
                self._feed = self._make_feed(None)
            directory = self._feed.directory()
            if directory is None:
                return SourcePlan(((),) * self._parallelism, empty=True, backlog=False, ended=False)
            self._files = directory, self._source.files_in(directory).create_enumerator(self._parallelism)
        plan = self._files[1].plan(scale, now)
        self._ended = plan.ended
        return plan

    def snapshot(self) -> Any:
        """Return the directory and the positions in its files."""
        self._snapshots = self._files is not None
        return None if self._files is None else (self._files[0], self._files[1].snapshot())

    def restore(self, state: Any) -> None:
        """Go on in the files that are written; from the beginning, if none were."""
        if self._files is not None:
            self._files[1].close()
        self._files = None
        if state is not None:
            if self._feed is None:
                self._feed = self._make_feed(state[0])
            enumerator = self._source.files_in(state[0]).create_enumerator(self._parallelism)
            enumerator.restore(state[1])
            self._files = state[0], enumerator

    def close(self) -> None:
        """Release the files; they stay where a checkpoint may need them, and go when all was read."""
        if self._files is not None:
            self._files[1].close()
        if self._feed is not None:
            self._feed.close(keep=self._snapshots and not self._ended)
