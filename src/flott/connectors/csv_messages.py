"""Messages of CSV: a row is a line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flott.common.serialization import DeserializationSchema, SerializationSchema
from flott.common.typeinfo.collections import _SequenceTypeInfo
from flott.common.typeinfo.composite import RowTypeInfo
from flott.connectors.csv_lines import cells_of
from flott.connectors.message_values import checked_row, from_text, row_of, to_text
from flott.errors import FlottError, GraphError

if TYPE_CHECKING:
    from typing_extensions import Self

    from flott.common import Row
    from flott.common.typeinfo import TypeInformation

LONGEST_UNQUOTED = 24
"""Longer texts are quoted without a look at them, as Flink does."""
LINE_ENDS = ("\n", "\r", "\r\n", "")


@dataclass(frozen=True, slots=True)
class CsvLine:
    """How a line is written."""

    row_type: RowTypeInfo
    delimiter: str = ","
    inner_delimiter: str = ";"
    quote: str | None = '"'
    escape: str | None = None
    null: str | None = None
    line_end: str = "\n"
    comments: bool = False
    ignore_errors: bool = False


class _Builder:
    """What both builders can say."""

    def __init__(self, type_info: TypeInformation) -> None:
        if type_info is None:
            raise TypeError("Type information must not be None")
        self._line = CsvLine(checked_row(type_info, f"{type(self).__qualname__}(...)"))

    def _with(self, **changes: Any) -> Self:
        self._line = replace(self._line, **changes)
        return self

    def set_array_element_delimiter(self, delimiter: str) -> Self:
        """Chooses what stands between the elements of a value that is an array or a row; a semicolon if not said."""
        return self._with(inner_delimiter=delimiter)

    def set_quote_character(self, c: str) -> Self:
        """Chooses what texts are quoted with."""
        return self._with(quote=_letter(c, "set_quote_character"))

    def set_escape_character(self, c: str) -> Self:
        """Chooses what stands before a character that means itself."""
        return self._with(escape=_letter(c, "set_escape_character"))


class CsvRowDeserializationSchema(DeserializationSchema["Row"]):
    """Reads messages that are lines of CSV.

    >>> from flott.common import Types
    >>> schema = CsvRowDeserializationSchema.Builder(Types.ROW([Types.INT(), Types.STRING()])).build()
    >>> schema.deserialize(b'1,"a, b"')
    <Row(1, 'a, b')>
    """

    def __init__(self, line: CsvLine) -> None:
        self._line = line

    def deserialize(self, message: bytes) -> Row | None:
        """Returns the row of a message; None for one that can't be read, if such are to be ignored."""
        line = self._line
        try:
            text = message.decode()
            if line.comments and text.startswith("#"):
                return None
            return self._read(text)
        except (ValueError, OverflowError) as error:
            if line.ignore_errors:
                return None
            raise FlottError(f"failed to deserialize CSV row {message!r:.200}: {error}") from None

    def _read(self, text: str) -> Row:
        line = self._line
        cells: list[str | None] = [*cells_of(text, line.delimiter, line.quote, line.escape)]
        kinds = line.row_type.get_field_types()
        if len(cells) != len(kinds) and not line.ignore_errors:
            raise ValueError(f"row length mismatch: {len(kinds)} fields expected but was {len(cells)}")
        cells = [*cells, *[None] * (len(kinds) - len(cells))]
        return row_of(line.row_type, [self._field(kind, cell) for kind, cell in zip(kinds, cells, strict=False)])

    def _field(self, kind: Any, cell: str | None) -> Any:
        try:
            return None if cell is None else self._value(kind, cell)
        except ValueError:
            if self._line.ignore_errors:
                return None
            raise

    def _value(self, kind: Any, cell: str) -> Any:
        line = self._line
        if cell == line.null:
            return None
        if isinstance(kind, _SequenceTypeInfo):
            return [self._value(kind.element_type, one) for one in cell.split(line.inner_delimiter)] if cell else []
        if isinstance(kind, RowTypeInfo):
            fields = zip(kind.get_field_types(), cell.split(line.inner_delimiter), strict=True)
            return row_of(kind, [self._value(field, one) for field, one in fields])
        return from_text(kind, cell)

    def get_produced_type(self) -> TypeInformation:
        """Returns the type of the rows."""
        return self._line.row_type

    class Builder(_Builder):
        """Gathers the settings of a schema."""

        def set_field_delimiter(self, delimiter: str) -> Self:
            """Chooses what stands between values; a comma if not said."""
            return self._with(delimiter=_letter(delimiter, "set_field_delimiter"))

        def set_null_literal(self, null_literal: str) -> Self:
            """Chooses what stands for None."""
            return self._with(null=null_literal)

        def set_allow_comments(self, allow_comments: bool) -> Self:
            """Leaves out lines that begin with ``#``."""
            return self._with(comments=allow_comments)

        def set_ignore_parse_errors(self, ignore_parse_errors: bool) -> Self:
            """Drops messages that can't be read; a field that is missing or has a wrong value is None."""
            return self._with(ignore_errors=ignore_parse_errors)

        def build(self) -> CsvRowDeserializationSchema:
            """Returns the schema."""
            return CsvRowDeserializationSchema(self._line)


class CsvRowSerializationSchema(SerializationSchema["Row"]):
    r"""Writes rows as lines of CSV.

    >>> from flott.common import Row, Types
    >>> schema = CsvRowSerializationSchema.Builder(Types.ROW([Types.INT(), Types.STRING()])).build()
    >>> schema.serialize(Row(1, "a b"))
    b'1,"a b"\n'
    """

    def __init__(self, line: CsvLine) -> None:
        self._line = line
        # Flink quotes whatever has a character up to these, the space among them.
        self._safe = max(map(ord, f"{line.delimiter}{line.quote or ''}{line.line_end}"))

    def serialize(self, value: Row) -> bytes:
        """Returns the message of a row."""
        line = self._line
        kinds = line.row_type.get_field_types()
        cells = [self._cell(kind, one) for kind, one in zip(kinds, value, strict=True)]
        return f"{line.delimiter.join(cells)}{line.line_end}".encode()

    def _cell(self, kind: Any, value: Any) -> str:
        if value is None:
            return self._line.null or ""
        text = self._text(kind, value)
        return self._quoted(text) if not isinstance(value, (int, float)) or isinstance(value, bool) else text

    def _text(self, kind: Any, value: Any) -> str:
        inner = self._line.inner_delimiter
        if value is None:
            return self._line.null or ""
        if isinstance(kind, RowTypeInfo):
            return inner.join(self._text(field, one) for field, one in zip(kind.get_field_types(), value, strict=True))
        if isinstance(kind, _SequenceTypeInfo) and not isinstance(value, (bytes, str)):
            return inner.join(self._text(kind.element_type, one) for one in value)
        return to_text(kind, value)

    def _quoted(self, text: str) -> str:
        quote, escape = self._line.quote, self._line.escape
        if quote is None:
            return text
        unsafe = any(ord(letter) <= self._safe or letter == escape for letter in text)
        if len(text) <= LONGEST_UNQUOTED and not unsafe:
            return text
        for letter in (escape, quote):
            if letter is not None:
                text = text.replace(letter, letter * 2)
        return f"{quote}{text}{quote}"

    class Builder(_Builder):
        """Gathers the settings of a schema."""

        def set_field_delimiter(self, c: str) -> Self:
            """Chooses what stands between values; a comma if not said."""
            return self._with(delimiter=_letter(c, "set_field_delimiter"))

        def set_null_literal(self, s: str) -> Self:
            """Chooses what stands for None."""
            return self._with(null=s)

        def set_line_delimiter(self, delimiter: str) -> Self:
            r"""Chooses what ends the line: ``\\n`` if not said, ``\\r``, ``\\r\\n``, or nothing."""
            if delimiter not in LINE_ENDS:
                raise GraphError(f"set_line_delimiter({delimiter!r}): a line ends with one of {LINE_ENDS}")
            return self._with(line_end=delimiter)

        def disable_quote_character(self) -> Self:
            """Quotes nothing."""
            return self._with(quote=None)

        def build(self) -> CsvRowSerializationSchema:
            """Returns the schema."""
            return CsvRowSerializationSchema(self._line)


def _letter(text: str, method: str) -> str:
    if len(text) != 1:
        raise GraphError(f"{method}({text!r}): give one character")
    return text
