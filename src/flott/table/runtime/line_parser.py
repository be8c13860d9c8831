"""Lines of CSV or JSON become columns: by Arrow, many at once; line by line where Arrow can't."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json

from flott.connectors.csv_lines import cells_of, first_open_quote
from flott.connectors.text_lines import is_utf8
from flott.errors import FlottError
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.functions.casts import converted
from flott.table.functions.registry import Session
from flott.table.python_values import column_from_python
from flott.table.runtime.line_mistakes import UNREADABLE, Mistakes
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.table.connectors.file_formats import LineFormat
    from flott.table.types import DataType

TEXT = DataTypes.STRING()
ZERO_X, CASE_BIT = 0x7830, 0x2000
"""The characters 0x as one number of two bytes, and what tells its x from an X."""
NESTED = (t.ArrayType, t.MapType, t.RowType)
NUMBERS = (t.TinyIntType, t.SmallIntType, t.IntType, t.BigIntType, t.FloatType, t.DoubleType)
TIMES = (t.DateType, t.TimeType, t.TimestampType, t.LocalZonedTimestampType)


class LineParser:
    r"""Reads some columns of lines; values are read as CAST reads them from text.

    >>> from flott.table.connectors.file_formats import LineFormat
    >>> parser = LineParser(LineFormat("csv"), ["a", "b"], [DataTypes.INT(), DataTypes.STRING()], ["b"])
    >>> parser.columns(b"1,x\n2,y", "file")[0].to_pylist()
    ['x', 'y']
    """

    def __init__(
        self, form: LineFormat, names: Sequence[str], types: Sequence[DataType], wanted: Sequence[str] | None = None
    ) -> None:
        self.form = form
        self.names = list(names)
        self.types = list(types)
        self.wanted = [self.names.index(name) for name in (self.names if wanted is None else wanted)]

        self._ignored = 0

    def columns(self, block: bytes, where: str, before: Callable[[], int] | None = None) -> list[Any] | None:
        """Return the columns of a block of lines in UTF-8; None if there are no rows in it.

        Args:
            block: The lines.
            where: What errors call the place they are from.
            before: Counts the lines before the block, for errors; only called if there is one.
        """
        try:
            return self._quick(block)
        except pa.ArrowInvalid:
            pass  # Somewhere in it is a value that only CAST can read, or a mistake, which is named below.
        lines = block.decode("utf-8", "surrogateescape").replace("\r\n", "\n").removesuffix("\r").split("\n")
        return self._one_by_one(lines, Mistakes(self.form, where, before))

    def take_parse_errors(self) -> int:
        """Return how many lines and values could not be read and were ignored since the last call."""
        ignored, self._ignored = self._ignored, 0
        return ignored

    # By Arrow

    def _quick(self, block: bytes) -> list[Any] | None:
        if not block or block.isspace():
            return None
        if _may_be_hexadecimal(block) or not is_utf8(block):
            raise pa.ArrowInvalid
        chosen = [(self.names[place], self.types[place]) for place in self.wanted]
        read = self._quick_csv if self.form.name == "csv" else self._quick_json
        table = read(block, {name: _arrow(kind) for name, kind in chosen})
        if self.form.name == "csv" and first_open_quote(block, table.num_rows, self.form.delimiter) is not None:
            raise pa.ArrowInvalid
        if not table.num_rows:
            return None
        return [_typed(table[name].combine_chunks(), kind) for name, kind in chosen]

    def _quick_csv(self, block: bytes, types: dict[str, Any]) -> Any:
        form = self.form
        return pa_csv.read_csv(
            pa.BufferReader(block),
            read_options=pa_csv.ReadOptions(
                column_names=self.names, use_threads=False, block_size=max(len(block) + 1, 1024)
            ),
            parse_options=pa_csv.ParseOptions(delimiter=form.delimiter),
            convert_options=pa_csv.ConvertOptions(
                column_types=types, include_columns=list(types), true_values=["true"], false_values=["false"],
                null_values=["" if form.null is None else form.null], strings_can_be_null=form.null is not None,
                quoted_strings_can_be_null=True,
            ),
        )  # fmt: skip

    @staticmethod
    def _quick_json(block: bytes, types: dict[str, Any]) -> Any:
        return pa_json.read_json(
            pa.BufferReader(block),
            read_options=pa_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            parse_options=pa_json.ParseOptions(
                explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore"
            ),
        )

    # Line by line

    def _one_by_one(self, lines: list[str], mistakes: Mistakes) -> list[Any] | None:
        split = self._csv if self.form.name == "csv" else self._json
        rows: list[list[Any]] = []
        numbers: list[int] = []
        for number, line in enumerate(lines):
            if not line or line.isspace():
                continue
            try:
                if not is_utf8(line):
                    raise ValueError("it has bytes that are no UTF-8")
                rows.append(split(line))
            except UNREADABLE as error:
                mistakes.line(number, line, str(error))
                continue
            numbers.append(number)
        made = [
            self._column(place, list(values), numbers, mistakes)
            for place, values in zip(self.wanted, zip(*rows, strict=True), strict=bool(rows))
        ]
        self._ignored += mistakes.ignored
        return made if rows else None

    def _csv(self, line: str) -> list[Any]:
        null, width = self.form.null, len(self.names)
        cells = cells_of(line, self.form.delimiter)
        if len(cells) != width:
            raise ValueError(f"it has {len(cells)} values for {width} columns")
        return [
            None if cells[place] == null or (cells[place] == "" and null is None and not t.is_text(self.types[place]))
            else cells[place]
            for place in self.wanted
        ]  # fmt: skip

    def _json(self, line: str) -> list[Any]:
        try:
            found = json.loads(line)
            return [found.get(self.names[place]) for place in self.wanted]
        except UNREADABLE as error:
            raise ValueError(f"it is no object of JSON: {error}") from None

    def _column(self, place: int, values: list[Any], numbers: list[int], mistakes: Mistakes) -> Any:
        kind, name = self.types[place], self.names[place]
        try:
            return _column(values, kind, lenient=False)
        except UNREADABLE:
            pass  # One of the values is to blame, or several.
        for index, value in enumerate(values):
            try:
                _column([value], kind, lenient=False)
            except UNREADABLE as error:
                # A query has no CAST to change here.
                mistakes.value(numbers[index], name, str(error).partition("; TRY_CAST")[0] or type(error).__name__)
                values[index] = None
        return _column(values, kind, lenient=False)


def _may_be_hexadecimal(block: bytes) -> bool:
    """Say whether there is 0x or 0X somewhere: Arrow reads such numbers, and CAST does not."""
    for start in (0, 1):
        pairs = np.frombuffer(memoryview(block)[start : start + (len(block) - start) // 2 * 2], "<u2")
        if ((pairs | CASE_BIT) == ZERO_X).any():
            return True
    return False


def _arrow(kind: DataType) -> Any:
    """Return the type in which Arrow reads a column; times are texts at first, which CAST reads."""
    if isinstance(kind, (*NUMBERS, t.BooleanType)):
        return to_arrow_type(kind)
    if t.is_text(kind) or isinstance(kind, TIMES):
        return pa.string()
    raise pa.ArrowInvalid


def _typed(column: Any, kind: DataType) -> Any:
    if not isinstance(kind, TIMES):
        return column
    try:
        return converted(column, TEXT, kind, Session(), lenient=False)
    except FlottError:
        raise pa.ArrowInvalid from None


def _column(values: list[Any], kind: DataType, *, lenient: bool) -> Any:
    if isinstance(kind, NESTED):
        return _nested(values, kind, lenient=lenient)
    if isinstance(kind, t.DecimalType):
        return _decimals(values, kind, lenient=lenient)
    if t.is_text(kind):
        return pa.array(
            [None if value is None else value if isinstance(value, str) else json.dumps(value) for value in values],
            pa.string(),
        )
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and isinstance(kind, (t.IntegralType, t.DoubleType, t.FloatType)):
        return pa.array(values, to_arrow_type(kind))
    if kinds <= {bool} and isinstance(kind, t.BooleanType):
        return pa.array(values, pa.bool_())
    texts = pa.array([None if value is None else str(value) for value in values], pa.string())
    return converted(texts, TEXT, kind, Session(), lenient=lenient)


def _nested(values: list[Any], kind: DataType, *, lenient: bool) -> Any:
    """Return rows, arrays and maps of JSON, whose parts are read like columns."""
    try:
        return _rows(values, kind, lenient=lenient) if isinstance(kind, t.RowType) else _lists(
            values, kind, lenient=lenient)  # fmt: skip
    except (AttributeError, TypeError, ValueError) as error:
        raise FlottError(f"a value is no {kind.nullable()!r}: {error}") from None


def _rows(values: list[Any], kind: t.RowType, *, lenient: bool) -> Any:
    parts = [
        _column(
            [None if value is None else value.get(field.name) for value in values], field.data_type, lenient=lenient
        )
        for field in kind.fields
    ]
    missing = pa.array([value is None for value in values], pa.bool_())
    return pa.StructArray.from_arrays(parts, fields=list(to_arrow_type(kind)), mask=missing)


def _lists(values: list[Any], kind: Any, *, lenient: bool) -> Any:
    lists = [None if value is None else list(value.items() if isinstance(value, dict) else value) for value in values]
    flat = [one for some in lists if some is not None for one in some]
    ends = np.cumsum([0, *(len(some or ()) for some in lists)])
    offsets = pa.array(ends, pa.int32(), mask=np.array([*(some is None for some in lists), False]))
    arrow = to_arrow_type(kind)
    if isinstance(kind, t.MapType):
        keys = _column([key for key, _ in flat], kind.key_type, lenient=lenient)
        return pa.MapArray.from_arrays(
            offsets, keys, _column([one for _, one in flat], kind.value_type, lenient=lenient), type=arrow
        )
    return pa.ListArray.from_arrays(offsets, _column(flat, kind.element_type, lenient=lenient), type=arrow)


def _decimals(values: list[Any], kind: DataType, *, lenient: bool) -> Any:
    """Return decimals rounded to the digits of their type; what is too large is NULL, as in Flink."""
    found: list[Decimal | None] = []
    for value in values:
        try:
            found.append(None if value is None else Decimal(str(value).strip()))
        except InvalidOperation:
            if not lenient:
                raise FlottError(f"{value!r:.100} is no {kind.nullable()!r}") from None
            found.append(None)
    return column_from_python(found, kind)
