"""CSV files: read in columns, many lines at once; written row by row."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as pa_csv

from flott.common.java_float import java_float
from flott.common.serialization import BulkWriter, BulkWriterFactory
from flott.connectors.arrow_rows import columns_as_text, row_type_of
from flott.connectors.csv_lines import OPEN_QUOTE, first_open_quote
from flott.connectors.decoded_stream import decoded, open_file
from flott.connectors.file_errors import first_wrong_line
from flott.connectors.file_range import FileRange
from flott.connectors.file_source import StreamFormat
from flott.connectors.line_numbers import LineNumbers
from flott.connectors.paths import edition_of
from flott.connectors.text_lines import PIECE
from flott.errors import FlottError
from flott.runtime.columns import ColumnBatch, RecordShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.connectors.file_source import Blocks
    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead

KNOWN_HEADERS = 256
NO_COLUMNS = pa.schema([])


@dataclass(frozen=True, slots=True)
class CsvColumns:
    """The columns of CSV files, and how they are written."""

    schema: pa.Schema = NO_COLUMNS
    element_separators: tuple[tuple[str, str], ...] = ()
    """What stands between the elements of each array column."""
    separator: str = ","
    quote: str | None = '"'
    escape: str | None = None
    null: str | None = None
    line_separator: str = "\n"
    comments: bool = False
    use_header: bool = False
    strict_headers: bool = False
    skip_first: bool = False

    def with_column(self, name: str, kind: Any, element_separator: str | None = None) -> CsvColumns:
        """Return the same with one more column."""
        separators = self.element_separators if element_separator is None else ((name, element_separator),)
        if element_separator is not None:
            separators = (*self.element_separators, *separators)
        return replace(self, schema=self.schema.append(pa.field(name, kind)), element_separators=separators)


@dataclass(frozen=True)
class CsvFormat(StreamFormat):
    """The rows of CSV files, as batches in columns. A row is a line: quoted values have no line breaks."""

    columns: CsvColumns

    def get_produced_type(self) -> TypeInformation:
        return row_type_of(self.columns.schema)

    def read(self, read: SplitRead, blocks: Blocks) -> Iterator[Batch]:
        path, columns = FileRange.of(read.split).path, self.columns
        names = header_of(path, self.charset, columns, edition_of(path)) if columns.use_header else columns.schema.names
        drop = (columns.use_header or columns.skip_first) and read.start == 0
        numbers = LineNumbers(read, self.charset)
        for block, charset in blocks(read):
            text = block if charset == "utf-8" else block.decode(charset, "replace").encode()
            if drop:
                # Left empty, so that lines keep their numbers.
                text, drop = b"\n" + text.partition(b"\n")[2], False
            if columns.comments:
                lines = text.split(b"\n")
                text = b"\n".join(b"" if line.lstrip().startswith(b"#") else line for line in lines)
            if text.strip():
                yield self._parsed(path, text, names, numbers)
            numbers.after(block)

    def _parsed(self, path: str, text: bytes, names: list[str], numbers: LineNumbers) -> ColumnBatch:
        columns = self.columns
        try:
            table = self._table(text, names)
            wrong = first_open_quote(text, table.num_rows, columns.separator, columns.quote, columns.escape)
            if wrong is not None:
                line = text.split(b"\n")[wrong].decode("utf-8", "replace")[:200]
                raise FlottError(f"'{path}': line {numbers.before_block() + wrong + 1}: {OPEN_QUOTE}: '{line}'")
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            number, line = first_wrong_line(text, lambda part: self._table(part, names))
            raise FlottError(
                f"'{path}': the line '{line}' does not fit its CsvSchema "
                f"({columns_as_text(columns.schema)}): {error}; it is line {numbers.before_block() + number + 1}"
            ) from error
        separators = dict(columns.element_separators)
        made = [_column(table.column(field.name), field, separators.get(field.name)) for field in columns.schema]
        return ColumnBatch(tuple(made), RecordShape(tuple(columns.schema.names)))

    def _table(self, text: bytes, names: list[str]) -> Any:
        columns = self.columns
        separators = dict(columns.element_separators)
        kinds = {field.name: pa.string() if field.name in separators else field.type for field in columns.schema}
        return pa_csv.read_csv(
            pa.BufferReader(text),
            pa_csv.ReadOptions(column_names=names, use_threads=False, block_size=max(len(text) + 1, PIECE)),
            pa_csv.ParseOptions(
                delimiter=columns.separator, quote_char=columns.quote or False, escape_char=columns.escape or False
            ),
            pa_csv.ConvertOptions(
                column_types=kinds,
                null_values=[] if columns.null is None else [columns.null],
                strings_can_be_null=columns.null is not None,
                quoted_strings_can_be_null=False,
                include_columns=columns.schema.names,
            ),
        )


def _column(column: Any, field: Any, separator: str | None) -> Any:
    whole = column.combine_chunks()
    if separator is None:
        return whole
    return pc.cast(pc.split_pattern(whole, separator), field.type)


@lru_cache(KNOWN_HEADERS)
def header_of(path: str, charset: str, columns: CsvColumns, edition: tuple[Any, ...]) -> list[str]:
    """Return the names in the first line of an edition of a file, in its order."""
    del edition
    with open_file(path) as file:
        stream, charset = decoded(path, file, charset)
        line = stream.read(PIECE).split(b"\n", 1)[0].decode(charset, "replace").rstrip("\r")
    names = next(csv.reader([line], delimiter=columns.separator, quotechar=columns.quote or '"'))
    missing = [name for name in columns.schema.names if name not in names]
    if missing or (columns.strict_headers and names != columns.schema.names):
        raise FlottError(
            f"'{path}' has the columns {', '.join(names)}; its CsvSchema has {', '.join(columns.schema.names)}"
        )
    return names


class CsvWriterFactory(BulkWriterFactory[Any]):
    """Opens CSV files for rows."""

    def __init__(self, columns: CsvColumns) -> None:
        self.columns = columns

    def create(self, stream: BinaryIO) -> CsvWriter:
        """Return the writer of one file."""
        return CsvWriter(stream, self.columns)


class CsvWriter(BulkWriter[Any]):
    """Writes rows to a CSV file, with a header if the columns have one."""

    def __init__(self, stream: BinaryIO, columns: CsvColumns) -> None:
        self._text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
        self._columns = columns
        self._separators = dict(columns.element_separators)
        self._writer = csv.writer(
            self._text,
            delimiter=columns.separator,
            quotechar=columns.quote,
            escapechar=columns.escape,
            quoting=csv.QUOTE_NONE if columns.quote is None else csv.QUOTE_MINIMAL,
            lineterminator=columns.line_separator,
        )
        if columns.use_header:
            self._writer.writerow(columns.schema.names)

    def add_element(self, element: Any) -> None:
        """Add a row: a Row, a tuple or a dict."""
        names = self._columns.schema.names
        values = map(element.get, names) if isinstance(element, dict) else element
        self._writer.writerow([self._cell(name, value) for name, value in zip(names, values, strict=True)])

    def flush(self) -> None:
        """Write the rows that are held."""
        self._text.flush()

    def finish(self) -> None:
        """Write what is held and leave the stream open."""
        self._text.flush()
        self._text.detach()

    def _cell(self, name: str, value: Any) -> str:
        if value is None:
            return self._columns.null or ""
        if isinstance(value, list | tuple):
            separator = self._separators.get(name, ";")
            return separator.join(self._cell(name, one) for one in value)
        if isinstance(value, bool):
            return "true" if value else "false"
        return java_float(value) if isinstance(value, float) else str(value)
