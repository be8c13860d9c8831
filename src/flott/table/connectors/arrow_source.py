"""Columns that stand in the program, such as those of a pandas DataFrame, as a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.connectors.base import Source
from flott.connectors.index_range import IndexRangeEnumerator
from flott.table.runtime.changes import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead

ROWS = 65_536


class ArrowSource(Source):
    """The rows of an Arrow table; they travel as Arrow's own bytes.

    >>> source = ArrowSource(pa.table({"id": [1, 2, 3]}))
    >>> [reads] = source.create_enumerator(parallelism=1).plan(1.0, now=0).reads
    >>> [len(batch) for read in reads for batch in source.read(read)]
    [3]
    """

    def __init__(self, columns: pa.Table) -> None:
        self.count = columns.num_rows
        written = pa.BufferOutputStream()
        with pa.ipc.new_stream(written, columns.schema) as writer:
            writer.write_table(columns, max_chunksize=ROWS)
        self._bytes = written.getvalue().to_pybytes()
        self._table: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"count": self.count, "_bytes": self._bytes, "_table": None}

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> IndexRangeEnumerator:
        return IndexRangeEnumerator(0, self.count, parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        if self._table is None:
            self._table = pa.ipc.open_stream(self._bytes).read_all()
        for piece in self._table.slice(read.start, read.end - read.start).to_batches(ROWS):
            if len(piece):
                yield pack(piece.columns, None)
