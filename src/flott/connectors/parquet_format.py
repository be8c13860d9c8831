"""Parquet files: read in columns, row group by row group; written a row group at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from flott.common.serialization import BulkWriter, BulkWriterFactory
from flott.connectors.arrow_rows import columns_as_text, row_type_of
from flott.connectors.file_source import BulkFormat
from flott.connectors.paths import edition_of, is_local
from flott.errors import FlottError
from flott.runtime.columns import ColumnBatch, RecordShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.batch import Batch

ROWS_READ = 131_072
"""How many rows make a batch."""
ROWS_WRITTEN = 122_880
"""How many rows make a row group."""
KNOWN_FILES = 64


class Footer(NamedTuple):
    """What a file's end says: which columns there are, and where its row groups are."""

    schema: pa.Schema
    groups: tuple[int, ...]
    metadata: Any


class ParquetFormat(BulkFormat):
    """The rows of Parquet files, as batches in columns. Only the columns of the schema are read."""

    def __init__(self, schema: pa.Schema, *, batch_size: int = ROWS_READ, is_case_sensitive: bool = True) -> None:
        self.schema = schema
        self.batch_size = batch_size
        self.is_case_sensitive = is_case_sensitive

    def get_produced_type(self) -> TypeInformation:
        return row_type_of(self.schema)

    def read_range(self, path: str, start: int, end: int) -> Iterator[Batch]:
        footer = footer_of(path, edition_of(path))
        groups = [number for number, offset in enumerate(footer.groups) if start <= offset < end]
        if not groups:
            return
        names = self._stored_names(path, footer.schema.names)
        pairs = list(zip(names, self.schema, strict=True))
        shape = RecordShape(tuple(self.schema.names))
        with pq.ParquetFile(native(path), metadata=footer.metadata, pre_buffer=True) as file:
            for piece in file.iter_batches(self.batch_size, row_groups=groups, columns=names, use_threads=False):
                if len(piece):
                    columns = (
                        typed(piece.column(name), field.type, f"'{path}': column '{name}'") for name, field in pairs
                    )
                    yield ColumnBatch(tuple(columns), shape)

    def _stored_names(self, path: str, there: list[str]) -> list[str]:
        """Return the columns under the names that they have in the file."""
        known = {name if self.is_case_sensitive else name.lower(): name for name in there}
        wanted = [name if self.is_case_sensitive else name.lower() for name in self.schema.names]
        missing = [name for name in wanted if name not in known]
        if missing:
            raise FlottError(f"'{path}' has no column '{missing[0]}'; it has {', '.join(there)}")
        return [known[name] for name in wanted]


def typed(column: Any, kind: Any, where: str) -> Any:
    """Return a column in a type; ``where`` is what a message calls it."""
    if column.type == kind:
        return column
    try:
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise FlottError(
            f"{where} is {column.type}, and can't be read as {kind}, as the program wants: {error}"
        ) from error


@lru_cache(KNOWN_FILES)
def footer_of(path: str, edition: tuple[Any, ...]) -> Footer:
    """Return what the end of a file says; a process that outlives the job may meet another edition of it."""
    del edition
    with pq.ParquetFile(native(path)) as file:
        metadata = file.metadata
        groups = (metadata.row_group(number).column(0) for number in range(metadata.num_row_groups))
        offsets = tuple(
            column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            for column in groups
        )
        return Footer(file.schema_arrow, offsets, metadata)


def native(path: str) -> Any:
    """Return a file as Arrow reads it fastest: a local one by itself, others through fsspec."""
    file_system, inside = fsspec.core.url_to_fs(path)
    return pa.memory_map(inside) if is_local(file_system) else file_system.open(inside, "rb")


class ParquetWriterFactory(BulkWriterFactory[Any]):
    """Opens Parquet files for rows."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def create(self, stream: BinaryIO) -> ParquetWriter:
        """Return the writer of one file."""
        return ParquetWriter(stream, self.schema)


class Unfinished(pq.ParquetWriter):  # type: ignore[misc]
    """A writer of Arrow's that does not write the end of a file which nobody finished."""

    def __del__(self) -> None:
        """Leave the file as it is; its stream may be closed by now."""


class ParquetWriter(BulkWriter[Any]):
    """Writes rows to a Parquet file; they are held until they make a row group."""

    def __init__(self, stream: BinaryIO, schema: pa.Schema) -> None:
        self._schema = schema
        self._writer = Unfinished(stream, schema)
        self._rows: list[Any] = []

    def add_element(self, element: Any) -> None:
        """Add a row: a Row, a tuple or a dict."""
        self._rows.append(element)
        if len(self._rows) >= ROWS_WRITTEN:
            self.flush()

    def add_columns(self, batch: ColumnBatch) -> None:
        """Add many rows that are in columns already."""
        self.flush()
        columns = [typed(batch.column(field.name), field.type, f"column '{field.name}'") for field in self._schema]
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def flush(self) -> None:
        """Write the rows that are held."""
        if self._rows:
            self._writer.write_batch(record_batch(self._rows, self._schema))
            self._rows = []

    def finish(self) -> None:
        """Write the end of the file."""
        self.flush()
        self._writer.close()


def record_batch(rows: list[Any], schema: pa.Schema) -> Any:
    """Return rows as columns.

    >>> record_batch(
    ...     [("a", 1), {"n": 2, "word": "b"}], pa.schema([("word", pa.string()), ("n", pa.int64())])
    ... ).to_pylist()
    [{'word': 'a', 'n': 1}, {'word': 'b', 'n': 2}]
    """
    names = schema.names
    try:
        plain = [tuple(map(row.get, names)) if isinstance(row, dict) else tuple(row) for row in rows]
        columns = zip(*plain, strict=True)
        arrays = [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)]
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError) as error:
        raise FlottError(
            f"a row such as {rows[0]!r:.120} does not fit the columns {columns_as_text(schema)}: {error}"
        ) from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
