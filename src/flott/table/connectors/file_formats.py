"""How rows are written to files, and read from lines of text."""

from __future__ import annotations

import base64
import csv
import datetime as dt
import io
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from flott.common.java_float import java_float
from flott.common.serialization import BulkWriter, BulkWriterFactory, Encoder
from flott.table.arrow_types import to_arrow_type
from flott.table.functions.casts import write_timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.types import DataType

MANY = 10_000


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
            [null if value is None else _text(value, kind) for value, kind in zip(element, self.types, strict=True)]
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


def _text(value: Any, kind: DataType) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_float(value)
    made = _plain(value, kind)
    return made if isinstance(made, str) else json.dumps(made)


def _plain(value: Any, kind: DataType) -> Any:  # noqa: PLR0911 - a case a line
    """Return a value as JSON knows it."""
    if isinstance(value, dt.datetime):
        return write_timestamp(value.replace(tzinfo=None), kind.precision) + ("Z" if value.tzinfo else "")  # type: ignore[attr-defined]
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        return [_plain(one, kind) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one, kind) for name, one in value.items()}
    return value


class ParquetWriterFactory(BulkWriterFactory[Any]):
    """Opens Parquet files."""

    def __init__(self, names: Sequence[str], types: Sequence[DataType]) -> None:
        self.names = list(names)
        self.types = list(types)

    def create(self, stream: BinaryIO) -> BulkWriter[Any]:
        """Return a writer of one file."""
        schema = pa.schema([(name, to_arrow_type(kind)) for name, kind in zip(self.names, self.types, strict=True)])
        return ParquetWriter(stream, schema)


class ParquetWriter(BulkWriter[Any]):
    """Writes rows to a Parquet file."""

    def __init__(self, stream: BinaryIO, schema: Any) -> None:
        self._schema = schema
        self._writer = pq.ParquetWriter(stream, schema)
        self._rows: list[Any] = []

    def add_element(self, element: Any) -> None:
        """Add a row."""
        self._rows.append(list(element))
        if len(self._rows) >= MANY:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are held."""
        if self._rows:
            columns = [
                pa.array(list(values), kind)
                for values, kind in zip(zip(*self._rows, strict=True), self._schema.types, strict=True)
            ]
            self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))
            self._rows = []

    def finish(self) -> None:
        """Write the end of the file."""
        self.flush()
        self._writer.close()
