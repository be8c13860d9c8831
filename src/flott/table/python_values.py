"""Values as functions of the user's see them: rows are Rows, maps are dicts, times are those of datetime."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from flott.common.types import Row
from flott.table.arrow_types import plain_values, to_arrow_type
from flott.table.types import ArrayType, DataType, MapType, RowType


def to_python(column: Any, kind: DataType) -> list[Any]:
    """Return the values of a column for a function of the user's.

    >>> from flott.table.types import DataTypes
    >>> kind = DataTypes.ROW([DataTypes.FIELD("n", DataTypes.INT())])
    >>> to_python(pa.array([{"n": 3}]), kind)
    [Row(n=3)]
    """
    values: list[Any] = column.to_pylist()
    return [_seen(value, kind) for value in values] if _differs(kind) else values


def _differs(kind: DataType) -> bool:
    """Say whether values look different in Arrow."""
    return _differs(kind.element_type) if isinstance(kind, ArrayType) else isinstance(kind, (MapType, RowType))


def _seen(value: Any, kind: DataType) -> Any:
    if value is None:
        return None
    if isinstance(kind, RowType):
        return Row(*kind.field_names())(*(_seen(value[field.name], field.data_type) for field in kind.fields))
    if isinstance(kind, ArrayType):
        return [_seen(one, kind.element_type) for one in value]
    if isinstance(kind, MapType):
        return {_seen(key, kind.key_type): _seen(one, kind.value_type) for key, one in value}
    return value


def from_python(value: Any, kind: DataType) -> Any:
    """Return what a function of the user's gave as Arrow takes it: rows become dicts, maps pairs.

    >>> from flott.table.types import DataTypes
    >>> from_python((1,), DataTypes.ROW([DataTypes.FIELD("n", DataTypes.INT())]))
    {'n': 1}
    """
    if value is None or not _differs(kind):
        return value
    if isinstance(kind, RowType):
        if isinstance(value, dict):
            return value
        cells = tuple(value) if isinstance(value, (tuple, list, Row)) else (value,)
        pairs = zip(kind.fields, cells, strict=True)
        return {field.name: from_python(cell, field.data_type) for field, cell in pairs}
    if isinstance(kind, ArrayType):
        return [from_python(one, kind.element_type) for one in value]
    if isinstance(kind, MapType):
        pairs_of = value.items() if isinstance(value, dict) else value
        return [(from_python(key, kind.key_type), from_python(one, kind.value_type)) for key, one in pairs_of]
    return value


def plain_from_python(value: Any, kind: DataType) -> Any:
    """Return what a function of the user's gave as stateful operators keep it."""
    made: Any = plain_values(pa.array([from_python(value, kind)], to_arrow_type(kind)))[0]
    return made
