"""Types of results: which type two others have in common, and how wide a decimal gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table import types as t
from flott.table.types import MAX_DECIMAL, DataTypes

if TYPE_CHECKING:
    from collections.abc import Iterable

INTEGERS = (t.TinyIntType, t.SmallIntType, t.IntType, t.BigIntType)
DIGITS = {t.TinyIntType: 3, t.SmallIntType: 5, t.IntType: 10, t.BigIntType: 19}
LEAST_SCALE = 6


def common_type(kinds: Iterable[t.DataType]) -> t.DataType | None:
    """Return the type that values of several types can be taken as; None if there is none.

    >>> common_type([DataTypes.INT(), DataTypes.BIGINT()]), common_type([DataTypes.INT(), DataTypes.STRING()])
    (BIGINT, None)
    """
    whole: t.DataType | None = None
    for kind in kinds:
        whole = kind if whole is None else _of_two(whole, kind)
        if whole is None:
            return None
    return whole


def _of_two(one: t.DataType, other: t.DataType) -> t.DataType | None:
    nullable = one.is_nullable or other.is_nullable
    found = _of_two_nullable(one.nullable(), other.nullable())
    return found if found is None or nullable else found.not_null()


def _of_two_nullable(one: t.DataType, other: t.DataType) -> t.DataType | None:  # noqa: PLR0911 - a case a line
    if one == other or isinstance(other, t.NullType):
        return one
    if isinstance(one, t.NullType):
        return other
    if isinstance(one, t.NumericType) and isinstance(other, t.NumericType):
        return common_number(one, other)
    if t.is_text(one) and t.is_text(other):
        return _longer(one, other)
    if type(one) is type(other) and isinstance(one, (t.TimestampType, t.LocalZonedTimestampType, t.TimeType)):
        return one if one.precision >= other.precision else other  # type: ignore[attr-defined]
    timed = {type(one), type(other)}
    if timed == {t.TimestampType, t.LocalZonedTimestampType}:
        return DataTypes.TIMESTAMP_LTZ(max(one.precision, other.precision))  # type: ignore[attr-defined]
    if timed == {t.DateType, t.TimestampType}:
        return one if isinstance(one, t.TimestampType) else other
    if isinstance(one, t.ArrayType) and isinstance(other, t.ArrayType):
        element = common_type([one.element_type, other.element_type])
        return None if element is None else DataTypes.ARRAY(element)
    if isinstance(one, t.MapType) and isinstance(other, t.MapType):
        key, value = common_type([one.key_type, other.key_type]), common_type([one.value_type, other.value_type])
        return None if key is None or value is None else DataTypes.MAP(key, value)
    if isinstance(one, t.RowType) and isinstance(other, t.RowType):
        return _of_rows(one, other)
    return None


def _of_rows(one: t.RowType, other: t.RowType) -> t.DataType | None:
    """Return rows with the names of the first, and of each field the type that both have in common."""
    if len(one) != len(other):
        return None
    fields = []
    for field, there in zip(one, other, strict=True):
        kind = common_type([field.data_type, there.data_type])
        if kind is None:
            return None
        fields.append(DataTypes.FIELD(field.name, kind))
    return DataTypes.ROW(fields)


def _longer(one: t.DataType, other: t.DataType) -> t.DataType:
    lengths = [one.length, other.length]  # type: ignore[attr-defined]
    if isinstance(one, t.CharType) and isinstance(other, t.CharType) and lengths[0] == lengths[1]:
        return one
    return DataTypes.VARCHAR(max(lengths))


def common_number(one: t.DataType, other: t.DataType) -> t.DataType:
    """Return the type of numbers that two types of numbers have in common."""
    if isinstance(one, (t.DoubleType, t.FloatType)) or isinstance(other, (t.DoubleType, t.FloatType)):
        # As in Flink, a FLOAT and an integer are a FLOAT.
        doubled = any(isinstance(kind, (t.DoubleType, t.DecimalType)) for kind in (one, other))
        return DataTypes.DOUBLE() if doubled else DataTypes.FLOAT()
    if isinstance(one, t.DecimalType) or isinstance(other, t.DecimalType):
        (precision, scale), (more, fraction) = digits(one), digits(other)
        wide = max(scale, fraction)
        return fitted(max(precision - scale, more - fraction) + wide, wide)
    return one if INTEGERS.index(type(one)) >= INTEGERS.index(type(other)) else other


def digits(kind: t.DataType) -> tuple[int, int]:
    """Return how many digits numbers of a type have, and how many of them behind the point."""
    if isinstance(kind, t.DecimalType):
        return kind.precision, kind.scale
    return DIGITS[type(kind)], 0  # type: ignore[index]


def fitted(precision: int, scale: int) -> t.DecimalType:
    """Return a decimal type, with fewer digits behind the point where there are too many.

    >>> fitted(23, 3), fitted(50, 20)
    (DECIMAL(23, 3), DECIMAL(38, 8))
    """
    if precision <= MAX_DECIMAL:
        return DataTypes.DECIMAL(precision, scale)
    whole = precision - scale
    return DataTypes.DECIMAL(MAX_DECIMAL, max(MAX_DECIMAL - whole, min(scale, LEAST_SCALE)))


def arithmetic_type(operator: str, one: t.DataType, other: t.DataType) -> t.DataType:
    """Return the type of a sum, difference, product, quotient or remainder, as Flink has it.

    >>> arithmetic_type("*", DataTypes.BIGINT(), DataTypes.DECIMAL(3, 3))
    DECIMAL(23, 3)
    """
    common = common_number(one, other)
    if not isinstance(common, t.DecimalType):
        return common.nullable()
    (p1, s1), (p2, s2) = digits(one), digits(other)
    if operator in "+-":
        scale = max(s1, s2)
        return fitted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if operator == "*":
        return fitted(p1 + p2 + 1, s1 + s2)
    if operator == "/":
        scale = max(LEAST_SCALE, s1 + p2 + 1)
        return fitted(p1 - s1 + s2 + scale, scale)
    scale = max(s1, s2)
    return fitted(min(p1 - s1, p2 - s2) + scale, scale)
