"""Rows of Python values as a plan."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.common.types import Row
from flott.table.arrow_types import from_arrow_type
from flott.table.errors import TableError
from flott.table.plan.nodes import Field, Values
from flott.table.python_values import column_from_python
from flott.table.types import DataType, DataTypes, RowType

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_DIGITS = DataTypes.DECIMAL(38, 18)


def values_node(elements: list[Any], schema: DataType | Sequence[str] | None) -> Values:
    """Return the plan of given rows.

    >>> [field.type for field in values_node([(1, "a")], ["id", "name"]).fields]
    [BIGINT, STRING]
    """
    rows = [tuple(one) if isinstance(one, (tuple, list, Row)) else (one,) for one in elements]
    if isinstance(schema, RowType):
        names, types = schema.field_names(), schema.field_types()
    elif isinstance(schema, DataType):
        names, types = ["f0"], [schema]
    else:
        if not rows:
            raise TableError("from_elements([]): there is nothing to take types from; give schema=DataTypes.ROW([...])")
        names = list(schema) if schema else _names(elements[0], len(rows[0]))
        types = [_type_of([row[place] for row in rows]) for place in range(len(rows[0]))]
    for row in rows:
        if len(row) != len(names):
            raise TableError(f"from_elements(…): row {row!r:.100} has {len(row)} values for {len(names)} columns")
    for place, (name, kind) in enumerate(zip(names, types, strict=True)):
        try:
            column_from_python([row[place] for row in rows], kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise TableError(f"from_elements(…): column '{name}' is {kind!r}: {error}") from None
    return Values(tuple(Field(name, kind) for name, kind in zip(names, types, strict=True)), tuple(rows))


def _names(first: Any, width: int) -> list[str]:
    named = getattr(first, "_fields", None) if isinstance(first, Row) else None
    return list(named) if named else [f"_{place + 1}" for place in range(width)]


def _type_of(values: list[Any]) -> DataType:
    present = [value for value in values if value is not None]
    if present and isinstance(present[0], Decimal):
        return MOST_DIGITS
    if present and isinstance(present[0], dt.datetime):
        return DataTypes.TIMESTAMP_LTZ(6) if present[0].tzinfo else DataTypes.TIMESTAMP(6)
    return from_arrow_type(pa.array(values).type)
