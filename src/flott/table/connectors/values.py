"""Tables whose rows stand in their options: for tests and for trying things out.

``'data'`` is a list of rows in JSON, such as ``[[1, "a"], ["-D", 1, "a"]]``; a kind of change may stand first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flott.common.types import Row, RowKind
from flott.connectors.base import Source
from flott.connectors.index_range import IndexRangeEnumerator
from flott.runtime.batch import Batch
from flott.table.connectors.registry import TableSource
from flott.table.errors import TableError
from flott.table.functions.casts import converted
from flott.table.functions.registry import Session
from flott.table.python_values import column_from_python, to_python
from flott.table.spark_sql.sources import given_rows
from flott.table.types import DataTypes, is_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.source import SplitRead
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field
    from flott.table.types import DataType

KINDS = {str(kind): kind for kind in RowKind}
MANY = 1024


class RowsSource(Source):
    """Gives out rows, so many at once."""

    def __init__(self, rows: list[Any], batch_size: int) -> None:
        self.rows = rows
        self.batch_size = batch_size

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> IndexRangeEnumerator:
        return IndexRangeEnumerator(0, len(self.rows), parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        for start in range(read.start, read.end, self.batch_size):
            yield Batch(self.rows[start : min(start + self.batch_size, read.end)])


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what gives out the rows, in order."""
    text = options.text("data", required=True) or "[]"
    size = options.whole("batch-size", MANY) or MANY
    try:
        given = json.loads(text)
    except ValueError as error:
        raise TableError(f"table '{options.table}': 'data' is no JSON: {error}") from None
    kinds = [KINDS[row[0]] if _has_kind(row, fields) else RowKind.INSERT for row in given]
    values = [row[1:] if _has_kind(row, fields) else row for row in given]
    for row in values:
        if len(row) != len(fields):
            raise TableError(f"table '{options.table}': row {row} has {len(row)} values for {len(fields)} columns")
    columns = [_column([row[place] for row in values], field.type) for place, field in enumerate(fields)]
    changelog = any(kind is not RowKind.INSERT for kind in kinds)
    rows = [Row.of_kind(kind, *cells) for kind, *cells in zip(kinds, *columns, strict=True)]

    def stream(environment: Any) -> Any:
        from flott.common.watermark_strategy import WatermarkStrategy

        made = environment.from_source(RowsSource(rows, size), WatermarkStrategy.no_watermarks(), "Values")
        return made.force_non_parallel()

    in_spark = None if changelog else given_rows(fields, zip(*columns, strict=True))
    return TableSource(stream, changelog=changelog, in_spark=in_spark)


def _has_kind(row: list[Any], fields: tuple[Field, ...]) -> bool:
    return len(row) == len(fields) + 1 and row[0] in KINDS


def _column(values: list[Any], kind: DataType) -> list[Any]:
    """Return values of JSON as values of a column: what is text there is read as CAST would."""
    import pyarrow as pa

    if not is_text(kind) and any(isinstance(value, str) for value in values):
        texts = pa.array([None if value is None else str(value) for value in values], pa.string())
        found: list[Any] = converted(texts, DataTypes.STRING(), kind, Session(), lenient=False).to_pylist()
        return found
    return to_python(column_from_python(values, kind), kind)
