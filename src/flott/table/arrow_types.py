"""Columns in Arrow: which Arrow type a column type has, and how values look inside of stateful operators.

Operators that look at single rows see timestamps as microseconds, dates as days and times as microseconds of the day:
whole numbers are quick to compare, to hash and to store.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.canonical_keys import with_one_nan
from flott.table import types as t
from flott.table.errors import TableError
from flott.table.types import DataTypes

MICROS = 6

_SIMPLE: dict[type[t.DataType], Any] = {
    t.NullType: pa.null(),
    t.BooleanType: pa.bool_(),
    t.TinyIntType: pa.int8(),
    t.SmallIntType: pa.int16(),
    t.IntType: pa.int32(),
    t.BigIntType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.CharType: pa.string(),
    t.VarCharType: pa.string(),
    t.BinaryType: pa.binary(),
    t.VarBinaryType: pa.binary(),
    t.DateType: pa.date32(),
    t.TimeType: pa.time64("us"),
    t.TimestampType: pa.timestamp("us"),
    t.LocalZonedTimestampType: pa.timestamp("us", "UTC"),
    t.DayTimeIntervalType: pa.duration("us"),
    t.YearMonthIntervalType: pa.int32(),
}


def to_arrow_type(kind: t.DataType) -> Any:
    """Return the Arrow type of a column.

    >>> to_arrow_type(DataTypes.TIMESTAMP(3)), to_arrow_type(DataTypes.DECIMAL(5, 2))
    (TimestampType(timestamp[us]), Decimal128Type(decimal128(5, 2)))
    """
    if getattr(kind, "precision", 0) > MICROS and not isinstance(kind, t.DecimalType):
        raise TableError(f"{kind!r}: times are kept to the microsecond; declare a precision of at most {MICROS}")
    simple = _SIMPLE.get(type(kind))
    if simple is not None:
        return simple
    if isinstance(kind, t.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, t.ArrayType):
        return pa.list_(to_arrow_type(kind.element_type))
    if isinstance(kind, t.MapType):
        return pa.map_(to_arrow_type(kind.key_type), to_arrow_type(kind.value_type))
    if isinstance(kind, t.RowType):
        return pa.struct([(field.name, to_arrow_type(field.data_type)) for field in kind.fields])
    raise TableError(f"{kind!r} is no type of a column")


def from_arrow_type(kind: Any) -> t.DataType:
    """Return the column type that an Arrow type stands for.

    >>> from_arrow_type(pa.list_(pa.int32()))
    ARRAY<INT>
    """
    types = pa.types
    for check, made in (
        (types.is_boolean, DataTypes.BOOLEAN()), (types.is_int8, DataTypes.TINYINT()),
        (types.is_int16, DataTypes.SMALLINT()), (types.is_int32, DataTypes.INT()),
        (types.is_integer, DataTypes.BIGINT()),
        (types.is_float32, DataTypes.FLOAT()), (types.is_floating, DataTypes.DOUBLE()),
        (types.is_string, DataTypes.STRING()), (types.is_large_string, DataTypes.STRING()),
        (types.is_binary, DataTypes.BYTES()), (types.is_large_binary, DataTypes.BYTES()),
        (types.is_date, DataTypes.DATE()), (types.is_time, DataTypes.TIME()), (types.is_null, DataTypes.NULL()),
    ):  # fmt: skip
        if check(kind):
            return made
    if types.is_timestamp(kind):
        precision = {"s": 0, "ms": 3}.get(kind.unit, MICROS)
        return DataTypes.TIMESTAMP(precision) if kind.tz is None else DataTypes.TIMESTAMP_LTZ(precision)
    if types.is_decimal(kind):
        return DataTypes.DECIMAL(kind.precision, kind.scale)
    if types.is_list(kind):
        return DataTypes.ARRAY(from_arrow_type(kind.value_type))
    if types.is_map(kind):
        return DataTypes.MAP(from_arrow_type(kind.key_type), from_arrow_type(kind.item_type))
    if types.is_struct(kind):
        return DataTypes.ROW([DataTypes.FIELD(one.name, from_arrow_type(one.type)) for one in kind])
    raise TableError(f"Arrow's {kind} is no type of a column; cast it to another before")


def plain_values(column: Any) -> list[Any]:
    """Return the values of a column as stateful operators see them.

    >>> plain_values(pa.array([1_000_000], pa.timestamp("us")))
    [1000000]
    """
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_date32(kind):
        column = column.cast(pa.int32())
    values: list[Any] = column.to_pylist()
    if pa.types.is_floating(kind) and pc.any(pc.is_nan(column)).as_py():
        return list(map(with_one_nan, values))
    return values


def column_of_plain(values: list[Any], kind: Any) -> Any:
    """Return the column of values that stateful operators have made.

    >>> column_of_plain([1_000_000, None], pa.timestamp("us")).to_pylist()
    [datetime.datetime(1970, 1, 1, 0, 0, 1), None]
    """
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        return pa.array(values, pa.int64()).cast(kind)
    if pa.types.is_date32(kind):
        return pa.array(values, pa.int32()).cast(kind)
    return pa.array(values, kind)
