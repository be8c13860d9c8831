"""Numbers as numbers of other types: decimals, floating point numbers and integers, as Java converts them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.functions.arithmetic import fit_decimal
from flott.table.functions.result_types import digits

if TYPE_CHECKING:
    from flott.table.functions.registry import Column

EXACT_DIGITS = 15
"""Integers of so many digits are exact as floating point numbers."""


def may_be_too_large(source: t.DataType, target: t.DataType) -> bool:
    """Return whether a number may have too many digits for a DECIMAL, which gives NULL."""
    if not isinstance(target, t.DecimalType) or not isinstance(source, t.NumericType):
        return (
            isinstance(target, t.DecimalType) and isinstance(source, t.BooleanType) and target.scale == target.precision
        )
    if isinstance(source, (t.FloatType, t.DoubleType)):
        return True
    precision, scale = digits(source)
    # Rounding may bring one more digit.
    return precision - scale + (scale > target.scale) > target.precision - target.scale


def to_decimals(column: Column, source: t.DataType, target: t.DecimalType) -> Column:
    """Return numbers as decimals; what is too large is NULL."""
    precision, scale = target.precision, target.scale
    kind = to_arrow_type(target)
    if isinstance(source, t.IntegralType) and precision - scale >= len(str(2 ** (source.bits - 1))):
        return column.cast(pa.decimal128(19, 0)).cast(kind)
    given = [column.as_py()] if isinstance(column, pa.Scalar) else column.to_pylist()
    read = (lambda value: Decimal(repr(value))) if isinstance(source, (t.DoubleType, t.FloatType)) else Decimal
    made = pa.array([None if one is None else fit_decimal(read(one), precision, scale) for one in given], kind)
    return made[0] if isinstance(column, pa.Scalar) else made


def to_floating(column: Column, source: t.DecimalType, kind: Any) -> Column:
    """Return decimals as the floating point numbers next to them, which Arrow does not always find.

    >>> to_floating(
    ...     pa.array([Decimal("8.31")], pa.decimal128(3, 2)), t.DecimalType(True, 3, 2), pa.float64()
    ... ).to_pylist()
    [8.31]
    """
    array = pa.array([column.as_py()], column.type) if isinstance(column, pa.Scalar) else column
    if source.precision <= EXACT_DIGITS:
        # Both the digits and the power of ten are exact, and so their quotient is rounded once.
        words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset :][: 2 * len(array) : 2]
        made = pa.array(words / 10.0**source.scale, mask=array.is_null().to_numpy(zero_copy_only=False))
    else:
        made = pa.array([None if one is None else float(one) for one in array.to_pylist()], pa.float64())
    made = made.cast(kind)
    return made[0] if isinstance(column, pa.Scalar) else made


def to_integers(column: Column, kind: Any) -> Column:
    """Return floating point numbers cut to integers, as Java does: what is too large becomes the largest.

    Types of less than 32 bits are cut from integers of 32 bits.
    """
    if pa.types.is_int8(kind) or pa.types.is_int16(kind):
        return to_integers(column, pa.int32()).cast(kind, safe=False)
    array = pa.array([column.as_py()], column.type) if isinstance(column, pa.Scalar) else column
    mask = array.is_null().to_numpy(zero_copy_only=False)
    values = np.nan_to_num(array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.float64))
    bounds = np.iinfo(kind.to_pandas_dtype())
    whole = np.where(values >= bounds.max, bounds.max, np.where(values <= bounds.min, bounds.min, 0)).astype(np.int64)
    inside = (values > bounds.min) & (values < bounds.max)
    whole[inside] = np.trunc(values[inside]).astype(np.int64)
    made = pa.array(whole, pa.int64(), mask=mask).cast(kind)
    return made[0] if isinstance(column, pa.Scalar) else made
