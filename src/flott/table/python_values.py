"""Values as functions of the user's see them: rows are Rows, maps are dicts, times are those of datetime."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from flott.common.types import Row
from flott.errors import FlottError
from flott.table.arrow_types import plain_values, to_arrow_type
from flott.table.functions.arithmetic import fit_decimal
from flott.table.types import ArrayType, DataType, DecimalType, MapType, RowType

BEYOND = (
    "a DATE or TIMESTAMP is not in the years 1 to 9999, and Python has no others; leave such rows out, or CAST a "
    "DATE to STRING"
)


def to_python(column: Any, kind: DataType) -> list[Any]:
    """Return the values of a column for a function of the user's.

    >>> from flott.table.types import DataTypes
    >>> kind = DataTypes.ROW([DataTypes.FIELD("n", DataTypes.INT())])
    >>> to_python(pa.array([{"n": 3}]), kind)
    [Row(n=3)]
    """
    try:
        values: list[Any] = column.to_pylist()
    except OverflowError:
        raise FlottError(BEYOND) from None
    return [_seen(value, kind) for value in values] if _differs(kind) else values


def _differs(kind: DataType) -> bool:
    """Say whether values look different in Arrow."""
    if isinstance(kind, ArrayType):
        return isinstance(kind.element_type, DecimalType) or _differs(kind.element_type)
    return isinstance(kind, (MapType, RowType))


def _seen(value: Any, kind: DataType) -> Any:
    if value is None:
        return None
    if isinstance(kind, RowType):
        return Row(*kind.field_names())(*(_seen(value[field.name], field.data_type) for field in kind.fields))
    if isinstance(kind, ArrayType):
        return [_seen(one, kind.element_type) for one in value]
    if isinstance(kind, MapType):
        return {_as_key(_seen(key, kind.key_type)): _seen(one, kind.value_type) for key, one in value}
    return value


def _as_key(value: Any) -> Any:
    """Return a value as a key of a dict: lists as tuples, dicts as tuples of pairs."""
    if isinstance(value, dict):
        value = value.items()
    elif not isinstance(value, (list, tuple)):
        return value
    return tuple(map(_as_key, value))


def from_python(value: Any, kind: DataType) -> Any:
    """Return what a function of the user's gave as Arrow takes it: rows become dicts, maps pairs.

    >>> from flott.table.types import DataTypes
    >>> from_python((1,), DataTypes.ROW([DataTypes.FIELD("n", DataTypes.INT())]))
    {'n': 1}
    """
    if isinstance(kind, DecimalType) and isinstance(value, Decimal):
        return fit_decimal(value, kind.precision, kind.scale)
    if value is None or not _differs(kind):
        return value
    if isinstance(kind, RowType):
        return _fields_from(value, kind)
    if isinstance(kind, MapType):
        pairs = value.items() if isinstance(value, dict) else value
        return [(from_python(key, kind.key_type), from_python(one, kind.value_type)) for key, one in pairs]
    return [from_python(one, kind.element_type) for one in value]  # type: ignore[attr-defined]


def _fields_from(value: Any, kind: RowType) -> dict[str, Any]:
    names = value.get_field_names() if isinstance(value, Row) else None
    if names is not None and set(names) == set(kind.field_names()):
        value = dict(zip(names, value, strict=True))
    if isinstance(value, dict):
        return {field.name: from_python(value.get(field.name), field.data_type) for field in kind.fields}
    cells = tuple(value) if isinstance(value, (tuple, list, Row)) else (value,)
    pairs = zip(kind.fields, cells, strict=True)
    return {field.name: from_python(cell, field.data_type) for field, cell in pairs}


def column_from_python(values: list[Any], kind: DataType) -> Any:
    """Return the column of values of the user's; decimals are rounded to the digits of their type, as Flink does.

    >>> from flott.table.types import DataTypes
    >>> column_from_python([Decimal("1.059"), Decimal("12345.6")], DataTypes.DECIMAL(5, 2)).to_pylist()
    [Decimal('1.06'), None]
    """
    arrow = to_arrow_type(kind)
    if not _differs(kind):
        try:
            return pa.array(values, arrow)
        except pa.ArrowInvalid:
            if not isinstance(kind, DecimalType):
                raise
    return pa.array([from_python(value, kind) for value in values], arrow)


def plain_from_python(value: Any, kind: DataType) -> Any:
    """Return what a function of the user's gave as stateful operators keep it."""
    made: Any = plain_values(column_from_python([value], kind))[0]
    return made
