"""The rows of a statement as JSON, a line each."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TextIO

from flott.table.connectors.printing import render_value
from flott.table.types import ArrayType, RowType

if TYPE_CHECKING:
    from flott.table.table_result import TableResult
    from flott.table.types import DataType


def show_json_rows(result: TableResult, out: TextIO) -> None:
    """Write each row as an object, as it comes; of a query with the kind of change that it is."""
    schema = result.get_resolved_schema()
    names, kinds = schema.get_column_names(), schema.get_column_data_types()
    with result.collect() as rows:
        for row in rows:
            told: dict[str, Any] = {"op": str(row.get_row_kind())} if result.is_query() else {}
            told["row"] = {name: plain(value, kind) for name, value, kind in zip(names, row, kinds, strict=True)}
            out.write(f"{json.dumps(told, ensure_ascii=False)}\n")
            out.flush()


def plain(value: Any, kind: DataType) -> Any:
    """Return a value as JSON has it; what JSON does not have is the text that a printed table shows.

    >>> import datetime, decimal
    >>> from flott.table.types import DataTypes
    >>> plain([1, None], DataTypes.ARRAY(DataTypes.INT())), plain(decimal.Decimal("1.50"), DataTypes.DECIMAL(3, 2))
    ([1, None], '1.50')
    >>> plain(datetime.date(2026, 1, 2), DataTypes.DATE()), plain(float("nan"), DataTypes.DOUBLE())
    ('2026-01-02', 'NaN')
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(kind, ArrayType):
        return [plain(one, kind.element_type) for one in value]
    if isinstance(kind, RowType):
        return {
            name: plain(one, inner)
            for name, one, inner in zip(kind.field_names(), value, kind.field_types(), strict=True)
        }
    return render_value(value, kind)
