"""How rows are written as lines of text."""

from __future__ import annotations

import base64
import csv
import datetime as dt
import io
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO

from flott.common.java_float import java_float
from flott.common.serialization import Encoder
from flott.table.functions.casts import write_timestamp
from flott.table.types import ArrayType, MapType, RowType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class LineFormat:
    """CSV or JSON, with its options."""

    name: str
    delimiter: str = ","
    null: str | None = None
    """What stands for NULL in CSV; by default nothing at all does."""
    ignore_errors: bool = False


def line_encoder(form: LineFormat, names: Sequence[str], types: Sequence[DataType]) -> Encoder[Any]:
    """Return what writes a row as a line."""
    return CsvEncoder(form, types) if form.name == "csv" else JsonEncoder(names, types)


class CsvEncoder(Encoder[Any]):
    """Writes a row as values with a delimiter between them."""

    def __init__(self, form: LineFormat, types: Sequence[DataType]) -> None:
        self.form = form
        self.types = list(types)

    def encode(self, element: Any, stream: BinaryIO) -> None:
        """Write a row."""
        line = io.StringIO()
        writer = csv.writer(line, delimiter=self.form.delimiter, lineterminator="\n")
        null = self.form.null or ""
        writer.writerow(
            [null if value is None else text_of(value, kind) for value, kind in zip(element, self.types, strict=True)]
        )
        stream.write(line.getvalue().encode())


class JsonEncoder(Encoder[Any]):
    """Writes a row as an object of JSON."""

    def __init__(self, names: Sequence[str], types: Sequence[DataType]) -> None:
        self.names = list(names)
        self.types = list(types)

    def encode(self, element: Any, stream: BinaryIO) -> None:
        """Write a row."""
        cells = {name: _plain(value, kind) for name, value, kind in zip(self.names, element, self.types, strict=True)}
        stream.write(json.dumps(cells, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def text_of(value: Any, kind: DataType) -> str:
    """Return a value as CSV has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_float(value)
    made = _plain(value, kind)
    return made if isinstance(made, str) else json.dumps(made)


def _plain(value: Any, kind: DataType) -> Any:  # noqa: PLR0911 - a case a line
    """Return a value as JSON knows it."""
    if value is None:
        return None
    if isinstance(kind, ArrayType):
        return [_plain(one, kind.element_type) for one in value]
    if isinstance(kind, RowType):
        return {field.name: _plain(one, field.data_type) for field, one in zip(kind.fields, value, strict=True)}
    if isinstance(kind, MapType):
        return {text_of(key, kind.key_type): _plain(one, kind.value_type) for key, one in value.items()}
    if isinstance(value, dt.datetime):
        return _moment(value, kind.precision)  # type: ignore[attr-defined]
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def _moment(value: dt.datetime, precision: int) -> str:
    """Return a time as Flink writes it in messages and files: a fraction only as long as it must be."""
    whole, point, fraction = write_timestamp(value.replace(tzinfo=None), precision).partition(".")
    fraction = fraction.rstrip("0")
    return whole + (point + fraction if fraction else "") + ("Z" if value.tzinfo else "")
