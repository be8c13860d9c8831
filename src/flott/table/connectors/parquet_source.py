"""Parquet files as a source: read row group by row group, in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from flott.connectors.base import Source
from flott.connectors.file_errors import reading
from flott.connectors.find_files import find_files
from flott.connectors.input_format import InputSplitEnumerator
from flott.connectors.parquet_format import typed
from flott.errors import FlottError
from flott.table.arrow_types import to_arrow_type
from flott.table.connectors.file_metadata import Place, metadata_value
from flott.table.runtime.changes import pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead
    from flott.table.types import DataType

ROWS = 65_536
GROUPS = 16
"""So many row groups are read by a subtask in one epoch at scale 1."""


class ParquetSource(Source):
    """The row groups of the files that are there when the job starts."""

    def __init__(
        self, path: str, names: Sequence[str], types: Sequence[DataType], layout: Sequence[Place] | None = None
    ) -> None:
        self.path = path
        self.names = list(names)
        self.types = [to_arrow_type(kind) for kind in types]
        self.layout = tuple(layout or [None] * len(self.names))
        """For each column a key of the file's metadata, or None for the next of ``names``."""

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> InputSplitEnumerator:
        # The row groups are part of checkpoints: files that come later change nothing.
        return InputSplitEnumerator(self, parallelism, GROUPS)  # type: ignore[arg-type]

    def create_input_splits(self, parallelism: int) -> list[tuple[str, int]]:
        """Return file and number of each row group."""
        found = []
        for file in find_files([self.path]):
            if not file.size:
                continue
            with reading(file.path), fsspec.open(file.path, "rb") as opened:
                found += [(file.path, group) for group in range(pq.ParquetFile(opened).num_row_groups)]
        return found

    def read(self, read: SplitRead) -> Iterator[Batch]:
        ((path, group),) = read.start
        pairs = list(zip(self.names, self.types, strict=True))
        with reading(path), fsspec.open(path, "rb") as opened:
            file = pq.ParquetFile(opened)
            missing = [name for name in self.names if name not in file.schema_arrow.names]
            if missing:
                raise FlottError(f"'{path}' has no column '{missing[0]}'; it has {', '.join(file.schema_arrow.names)}")
            about = {key: metadata_value(key, path) for key in self.layout if key is not None}
            for piece in file.iter_batches(ROWS, row_groups=[group], columns=self.names):
                rest = (typed(piece.column(name), kind, f"'{path}': column '{name}'") for name, kind in pairs)
                if len(piece):
                    columns = [next(rest) if key is None else pa.repeat(about[key], len(piece)) for key in self.layout]
                    yield pack(columns, None)
