"""Lines of text become columns."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.functions.casts import converted
from flott.table.functions.registry import Session
from flott.table.runtime.changes import pack
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.runtime.batch import Batch
    from flott.table.connectors.file_formats import LineFormat
    from flott.table.types import DataType

TEXT = DataTypes.STRING()
NESTED = (t.ArrayType, t.MapType, t.RowType)


class LinesToColumns(Operator):
    """Reads CSV or JSON, a row on each line; values are read as CAST reads them from text."""

    def __init__(self, form: LineFormat, names: Sequence[str], types: Sequence[DataType]) -> None:
        self.form = form
        self.names = list(names)
        self.types = list(types)

    def process(self, batch: Batch) -> None:
        rows = self._csv(batch.values) if self.form.name == "csv" else self._json(batch.values)
        if rows:
            self.output.emit(pack(self._columns(rows), None))

    def _csv(self, lines: list[str]) -> list[list[Any]]:
        null, width = self.form.null, len(self.names)
        rows = []
        for line, cells in zip(lines, csv.reader(lines, delimiter=self.form.delimiter), strict=True):
            if not line:
                continue
            if len(cells) != width:
                if self.form.ignore_errors:
                    continue
                raise self._wrong(line, f"it has {len(cells)} values for {width} columns")
            rows.append([
                None if value == null or (value == "" and null is None and not t.is_text(kind)) else value
                for value, kind in zip(cells, self.types, strict=True)
            ])  # fmt: skip
        return rows

    def _json(self, lines: list[str]) -> list[list[Any]]:
        rows = []
        for line in lines:
            if not line.strip():
                continue
            try:
                found = json.loads(line)
                rows.append([found.get(name) for name in self.names])
            except (ValueError, AttributeError) as error:
                if not self.form.ignore_errors:
                    raise self._wrong(line, f"it is no object of JSON: {error}") from None
        return rows

    def _wrong(self, line: str, problem: str) -> FlottError:
        return FlottError(
            f"{self.context.title}: line {line!r:.200} can't be read: {problem}. Mend the file, or set "
            f"'{self.form.name}.ignore-parse-errors' = 'true'."
        )

    def _columns(self, rows: list[list[Any]]) -> list[Any]:
        made = []
        for name, values, kind in zip(self.names, zip(*rows, strict=True), self.types, strict=True):
            try:
                made.append(_column(list(values), kind, lenient=self.form.ignore_errors))
            except (FlottError, pa.ArrowException) as error:
                raise FlottError(f"{self.context.title}: column '{name}': {error}") from None
        return made


def _column(values: list[Any], kind: DataType, *, lenient: bool) -> Any:
    if isinstance(kind, NESTED):
        return pa.array(values, to_arrow_type(kind))
    if t.is_text(kind):
        return pa.array(
            [None if value is None else value if isinstance(value, str) else json.dumps(value) for value in values]
        )
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and isinstance(kind, (t.IntegralType, t.DoubleType, t.FloatType)):
        return pa.array(values, to_arrow_type(kind))
    if kinds <= {bool} and isinstance(kind, t.BooleanType):
        return pa.array(values, pa.bool_())
    texts = pa.array([None if value is None else str(value) for value in values], pa.string())
    return converted(texts, TEXT, kind, Session(), lenient=lenient)
