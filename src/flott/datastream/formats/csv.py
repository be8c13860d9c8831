"""CSV files, as PyFlink names them.

>>> from flott.datastream.connectors.file_system import FileSink, FileSource
>>> schema = CsvSchema.builder().add_string_column("user").add_number_column("amount").set_use_header().build()
>>> source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), "orders/*.csv.gz").build()
>>> sink = FileSink.for_bulk_format("out", CsvBulkWriters.for_schema(schema)).build()
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.connectors.csv_format import CsvColumns, CsvFormat, CsvWriterFactory
from flott.connectors.csv_messages import CsvRowDeserializationSchema, CsvRowSerializationSchema
from flott.errors import GraphError

if TYPE_CHECKING:
    from flott.common.serialization import BulkWriterFactory

__all__ = [
    "CsvBulkWriters",
    "CsvReaderFormat",
    "CsvRowDeserializationSchema",
    "CsvRowSerializationSchema",
    "CsvSchema",
    "CsvSchemaBuilder",
]


class CsvSchema:
    """The columns of CSV files, and how they are written; ``CsvSchema.builder()`` makes one."""

    def __init__(self, columns: CsvColumns) -> None:
        self.columns = columns

    @staticmethod
    def builder() -> CsvSchemaBuilder:
        """Returns a builder."""
        return CsvSchemaBuilder()

    def size(self) -> int:
        """Returns the number of columns."""
        return len(self.columns.schema)

    def __len__(self) -> int:
        return self.size()

    def __repr__(self) -> str:
        return f"CsvSchema({', '.join(f'{field.name}: {field.type}' for field in self.columns.schema)})"


class CsvSchemaBuilder:
    """Gathers the columns of CSV files, one by one, and how they are written.

    >>> CsvSchemaBuilder().add_string_column("word").add_number_column("count").set_column_separator(";").build()
    CsvSchema(word: string, count: int64)
    """

    def __init__(self) -> None:
        self._columns = CsvColumns()

    def build(self) -> CsvSchema:
        """Returns the schema."""
        if not len(self._columns.schema):
            raise GraphError("a CsvSchema needs at least one column: add_string_column('name')")
        return CsvSchema(self._columns)

    def add_string_column(self, name: str) -> CsvSchemaBuilder:
        """Adds a column of texts."""
        return self._add(name, pa.string())

    def add_boolean_column(self, name: str) -> CsvSchemaBuilder:
        """Adds a column of true and false."""
        return self._add(name, pa.bool_())

    def add_number_column(self, name: str, number_type: Any = None) -> CsvSchemaBuilder:
        """Adds a column of numbers.

        Args:
            name: The column.
            number_type: DataTypes.INT() or Types.INT(), say; by default whole numbers of 64 bits.
        """
        return self._add(name, pa.int64() if number_type is None else number_type.arrow_type())

    def add_array_column(self, name: str, separator: str = ";", element_type: Any = None) -> CsvSchemaBuilder:
        """Adds a column of lists.

        Args:
            name: The column.
            separator: What stands between two elements.
            element_type: Their type; by default texts.
        """
        element = pa.string() if element_type is None else element_type.arrow_type()
        self._columns = self._columns.with_column(name, pa.list_(element), separator)
        return self

    def add_columns_from(self, schema: CsvSchema) -> CsvSchemaBuilder:
        """Adds all columns of another schema."""
        separators = dict(schema.columns.element_separators)
        for field in schema.columns.schema:
            self._columns = self._columns.with_column(field.name, field.type, separators.get(field.name))
        return self

    def clear_columns(self) -> CsvSchemaBuilder:
        """Forgets the columns that were added."""
        return self._with(schema=pa.schema([]), element_separators=())

    def set_allow_comments(self, allow: bool = True) -> CsvSchemaBuilder:
        """Lets lines that begin with # be left out."""
        return self._with(comments=allow)

    def set_array_element_separator(self, separator: str) -> CsvSchemaBuilder:
        """Sets what stands between the elements of the array columns that were added so far."""
        named = tuple((name, separator) for name, _ in self._columns.element_separators)
        return self._with(element_separators=named)

    def set_column_separator(self, char: str) -> CsvSchemaBuilder:
        """Sets what stands between two columns."""
        return self._with(separator=_one("Column separator", char))

    def set_escape_char(self, char: str) -> CsvSchemaBuilder:
        """Sets what takes the meaning from the next character."""
        return self._with(escape=_one("Escape char", char))

    def disable_escape_char(self) -> CsvSchemaBuilder:
        """Lets no character take the meaning from the next; this is the default."""
        return self._with(escape=None)

    def set_quote_char(self, char: str) -> CsvSchemaBuilder:
        """Sets what stands around values that have separators in them."""
        return self._with(quote=_one("Quote char", char))

    def disable_quote_char(self) -> CsvSchemaBuilder:
        """Lets values stand without quotes."""
        return self._with(quote=None)

    def set_line_separator(self, separator: str) -> CsvSchemaBuilder:
        r"""Sets what is written after each row; when reading, lines end with \\n or \\r\\n."""
        return self._with(line_separator=separator)

    def set_null_value(self, null_value: str) -> CsvSchemaBuilder:
        """Sets the text that stands for None."""
        return self._with(null=null_value)

    def set_skip_first_data_row(self, skip: bool = True) -> CsvSchemaBuilder:
        """Leaves out the first line of each file."""
        return self._with(skip_first=skip)

    def set_strict_headers(self, strict: bool = True) -> CsvSchemaBuilder:
        """Refuses files whose header is not the schema's columns, in their order."""
        return self._with(strict_headers=strict)

    def set_use_header(self, use: bool = True) -> CsvSchemaBuilder:
        """Takes the order of the columns from the first line of each file; writes one."""
        return self._with(use_header=use)

    def size(self) -> int:
        """Returns the number of columns."""
        return len(self._columns.schema)

    def __len__(self) -> int:
        return self.size()

    def _add(self, name: str, kind: Any) -> CsvSchemaBuilder:
        self._columns = self._columns.with_column(name, kind)
        return self

    def _with(self, **changes: Any) -> CsvSchemaBuilder:
        self._columns = replace(self._columns, **changes)
        return self


class CsvReaderFormat(CsvFormat):
    """Reads the rows of CSV files, compressed or not. A row is a line: quoted values have no line breaks."""

    @staticmethod
    def for_schema(schema: CsvSchema) -> CsvReaderFormat:
        """Returns the format of files with these columns."""
        return CsvReaderFormat("utf-8", schema.columns)


class CsvBulkWriters:
    """Makes writers of CSV files for a FileSink."""

    @staticmethod
    def for_schema(schema: CsvSchema) -> BulkWriterFactory[Any]:
        """Returns a factory of writers for rows: Rows, tuples or dicts."""
        return CsvWriterFactory(schema.columns)


def _one(what: str, char: str) -> str:
    if len(char) != 1:
        raise ValueError(f"{what} must be a single char, got {char}")
    return char
