"""Numbers: the four operations with Flink's types, rounding, powers and logarithms."""

from __future__ import annotations

import decimal
import math
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call, Literal
from flott.table.functions.registry import (
    SignatureError,
    a_number,
    an_integer,
    cast_to,
    check_count,
    row_by_row,
    rows,
    scalar,
    takes,
    with_nulls,
)
from flott.table.functions.result_types import arithmetic_type
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

EXACT = decimal.Context(prec=80, rounding=ROUND_HALF_UP)
WIDE = decimal.Context(prec=1200, rounding=ROUND_HALF_UP)
INTERVALS = (t.DayTimeIntervalType, t.YearMonthIntervalType)


def _bind(name: str, args: list[Expr]) -> Call:
    one, other = args
    if isinstance(one.type, INTERVALS) or isinstance(other.type, INTERVALS) or t.is_timestamp(one.type):
        return _bind_times(name, one, other)
    for arg in args:
        if not a_number(arg.type):
            raise SignatureError(f"{name} takes numbers, not {arg.type.nullable()!r}; CAST it to a number before")
    if isinstance(one.type, t.NullType) or isinstance(other.type, t.NullType):
        kind = one.type if isinstance(other.type, t.NullType) else other.type
        return Call(kind.nullable(), name, (cast_to(one, kind), cast_to(other, kind)))
    kind = with_nulls(arithmetic_type(name, one.type, other.type), args)
    if not isinstance(kind, t.DecimalType):
        one, other = cast_to(one, kind), cast_to(other, kind)
    return Call(kind, name, (one, other))


def _bind_times(name: str, one: Expr, other: Expr) -> Call:
    args = [one, other]
    timed = [t.is_timestamp(arg.type) or isinstance(arg.type, (t.DateType, t.TimeType)) for arg in args]
    spans = [isinstance(arg.type, INTERVALS) for arg in args]
    if name == "+" and timed[1] and spans[0]:
        return _bind_times(name, other, one)
    if name in "+-" and timed[0] and spans[1]:
        kind, by_months = one.type, isinstance(other.type, t.YearMonthIntervalType)
        if isinstance(kind, t.TimeType) and by_months:
            raise SignatureError("a TIME has no months; give an interval of hours, minutes or seconds")
        return Call(with_nulls(kind, args), f"TIME{name}", (one, other))
    if name in "+-" and all(spans) and one.type.same_as(other.type):
        return Call(with_nulls(one.type, args), name, (one, other))
    if name == "-" and all(t.is_timestamp(arg.type) for arg in args):
        return Call(with_nulls(t.DayTimeIntervalType(), args), name, (one, other))
    if name == "*" and spans.count(True) == 1:
        one, other = (one, other) if spans[0] else (other, one)
        if not a_number(other.type):
            raise SignatureError(f"{one.type.nullable()!r} * {other.type.nullable()!r}: give a number")
        return Call(with_nulls(one.type, args), name, (one, cast_to(other, DataTypes.BIGINT())))
    raise SignatureError(f"{one.type.nullable()!r} {name} {other.type.nullable()!r} makes no sense")


def _operation(name: str, whole: Any) -> None:
    def evaluate(call: Call, args: list[Column], _: Session) -> Column:
        if isinstance(call.type, t.DecimalType):
            return _decimals(call, args)
        try:
            made = whole(*args)
            return made.cast(pa.int32()) if isinstance(call.type, t.YearMonthIntervalType) else made
        except pa.ArrowInvalid as error:
            raise FlottError(f"{name}: the divisor is 0 in a row") from error

    scalar(name, bind=_bind)(evaluate)


def _decimals(call: Call, args: list[Column]) -> Column:
    kind = to_arrow_type(call.type)
    if call.function in {"+", "-", "*"}:
        (p1, s1), (p2, s2) = (_digits(arg) for arg in args)
        needed = p1 + p2 + 1 if call.function == "*" else max(p1 - s1, p2 - s2) + max(s1, s2) + 1
        if needed <= t.MAX_DECIMAL:
            function = {"+": pc.add, "-": pc.subtract, "*": pc.multiply}[call.function]
            return function(*(_as_decimal(arg) for arg in args)).cast(kind)
    operate = {"+": EXACT.add, "-": EXACT.subtract, "*": EXACT.multiply, "/": EXACT.divide, "%": EXACT.remainder}
    function = operate[call.function]
    values = []
    for row in rows(args):
        try:
            made = None if row is None else function(Decimal(row[0]), Decimal(row[1]))
        except decimal.DivisionByZero:
            raise FlottError(f"{call.function}: the divisor is 0 in a row") from None
        values.append(None if made is None else fit_decimal(made, kind.precision, kind.scale))
    made_column = pa.array(values, kind)
    return made_column[0] if all(isinstance(arg, pa.Scalar) for arg in args) else made_column


def _digits(arg: Column) -> tuple[int, int]:
    kind = arg.type
    return (
        (kind.precision, kind.scale)
        if pa.types.is_decimal(kind)
        else ({8: 3, 16: 5, 32: 10, 64: 19}[kind.bit_width], 0)
    )


def _as_decimal(arg: Column) -> Column:
    return arg if pa.types.is_decimal(arg.type) else arg.cast(pa.decimal128(_digits(arg)[0], 0))


def fit_decimal(value: Decimal, precision: int, scale: int) -> Decimal | None:
    """Return a number rounded to a type's digits; None if it is too large for it.

    >>> fit_decimal(Decimal("1.005"), 3, 2), fit_decimal(Decimal("12.3"), 2, 1)
    (Decimal('1.01'), None)
    """
    if not value.is_finite() or (value and value.adjusted() > precision - scale):
        return None
    rounded = value.quantize(Decimal(1).scaleb(-scale), context=EXACT)
    # abs(…) would round to 28 digits.
    return rounded if rounded.copy_abs() < Decimal(10) ** (precision - scale) else None


def _divide(one: Column, other: Column) -> Column:
    if pa.types.is_floating(one.type):
        return pc.divide(one, other)
    try:
        return pc.divide_checked(one, other)
    except pa.ArrowInvalid:
        # The smallest number has no opposite, which Arrow makes 0 or an error; in Java it stays. Only 0 is an error.
        return pc.if_else(pc.equal(other, -1), pc.negate(one), pc.divide(one, other))


def _float_remainder(one: float, other: float) -> float:
    return math.nan if other == 0 or math.isinf(one) else math.fmod(one, other)


def _remainder(one: Column, other: Column) -> Column:
    """Return the remainder with the sign of the dividend, as Java's."""
    if pa.types.is_floating(one.type):
        return row_by_row(_float_remainder)(Call(DataTypes.DOUBLE(), "%", ()), [one, other], None).cast(one.type)  # type: ignore[arg-type]
    return pc.subtract(one, pc.multiply(_divide(one, other), other))


_operation("+", pc.add)
_operation("-", pc.subtract)
_operation("*", pc.multiply)
_operation("/", _divide)
_operation("%", _remainder)


def _bind_mod(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 2, 2)
    return _bind("%", args)


@scalar("MOD", bind=_bind_mod)
def _mod(call: Call, args: list[Column], session: Session) -> Column:
    raise AssertionError  # a call of MOD becomes one of %


def _bind_same(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 1)
    if not a_number(args[0].type) and not isinstance(args[0].type, t.DayTimeIntervalType):
        raise SignatureError(f"{name} takes a number, not {args[0].type.nullable()!r}")
    return Call(args[0].type, name, (args[0],))


@scalar("NEGATE", bind=_bind_same)
def _negate(call: Call, args: list[Column], _: Session) -> Column:
    return pc.negate(args[0])


@scalar("ABS", bind=_bind_same)
def _abs(call: Call, args: list[Column], _: Session) -> Column:
    return pc.abs(args[0])


def _bind_sign(name: str, args: list[Expr]) -> Call:
    call = takes(DataTypes.INT(), a_number)(name, args)
    kind = call.args[0].type
    if isinstance(kind, t.DecimalType) and kind.precision == kind.scale:
        # 1 has a digit before the point.
        scale = min(kind.scale, t.MAX_DECIMAL - 1)
        kind = t.DecimalType(kind.is_nullable, scale + 1, scale)
    return Call(kind, name, call.args)


@scalar("SIGN", bind=_bind_sign)
def _sign(call: Call, args: list[Column], _: Session) -> Column:
    signs = pc.sign(args[0])
    if isinstance(call.type, t.DecimalType):
        return signs.cast(pa.decimal128(19, 0)).cast(to_arrow_type(call.type))
    return signs.cast(args[0].type)


def _bind_round(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 2)
    kind = args[0].type
    if not a_number(kind):
        raise SignatureError(f"{name} takes a number, not {kind.nullable()!r}")
    if len(args) > 1 and not an_integer(args[1].type):
        raise SignatureError(f"{name}: the number of digits is an integer, not {args[1].type.nullable()!r}")
    known = len(args) == 1 or isinstance(args[1], Literal)
    if isinstance(kind, t.DecimalType) and known:
        places = args[1].value if len(args) > 1 else 0  # type: ignore[attr-defined]
        scale = max(0, min(kind.scale, places or 0))
        kind = DataTypes.DECIMAL(min(kind.precision - kind.scale + scale + 1, t.MAX_DECIMAL), scale)
    return Call(with_nulls(kind, args), name, tuple(args))


MOST_PLACES = 400
"""No number has so many digits on one side of the point."""


def _rounded(value: Any, digits: int) -> Any:
    """Return a number rounded to so many digits behind the point, or before it."""
    if isinstance(value, float) and not math.isfinite(value):
        return value
    places = max(-MOST_PLACES, min(digits, MOST_PLACES))
    exact = Decimal(str(value))
    if places >= -int(exact.as_tuple().exponent):
        return value
    rounded = exact.quantize(Decimal(1).scaleb(-places), context=WIDE)
    return rounded if isinstance(value, Decimal) else type(value)(rounded)


@scalar("ROUND", bind=_bind_round)
def _round(call: Call, args: list[Column], session: Session) -> Column:
    places = args[1] if len(args) > 1 else pa.scalar(0)
    kind = call.type

    def one(value: Any, digits: int) -> Any:
        made = _rounded(value, digits)
        if isinstance(kind, t.DecimalType):
            return fit_decimal(made, kind.precision, kind.scale)
        if isinstance(kind, t.IntegralType):
            half = 2 ** (kind.bits - 1)
            return (made + half) % (2 * half) - half
        return made

    return row_by_row(one)(call, [args[0], places], session)


def _bind_whole(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 1)
    kind = args[0].type
    if not a_number(kind):
        raise SignatureError(f"{name} takes a number or a timestamp, not {kind.nullable()!r}")
    if isinstance(kind, t.DecimalType):
        kind = DataTypes.DECIMAL(min(kind.precision - kind.scale + 1, t.MAX_DECIMAL), 0)
    return Call(with_nulls(kind, args), name, (args[0],))


def _whole(name: str, *names: str, function: Any) -> None:
    def evaluate(call: Call, args: list[Column], session: Session) -> Column:
        kind = args[0].type
        if pa.types.is_integer(kind):
            return args[0]
        if not pa.types.is_decimal(kind):
            return function(args[0])
        if kind.precision == t.MAX_DECIMAL:
            exact = math.floor if name == "FLOOR" else math.ceil
            return row_by_row(lambda value: Decimal(exact(value)))(call, args, session)
        # The next integer may have one more digit.
        wider = pa.decimal128(kind.precision + 1, kind.scale)
        return function(args[0].cast(wider)).cast(to_arrow_type(call.type))

    scalar(name, *names, bind=_bind_whole)(evaluate)


_whole("FLOOR", function=pc.floor)
_whole("CEIL", "CEILING", function=pc.ceil)


def _real(*names: str, function: Any, count: int = 1) -> None:
    """Define a function of floating point numbers."""

    def bind(name: str, args: list[Expr]) -> Call:
        call = takes(DataTypes.DOUBLE(), *[a_number] * count)(name, args)
        return Call(call.type, name, tuple(cast_to(arg, DataTypes.DOUBLE()) for arg in args))

    scalar(*names, bind=bind)(lambda call, args, _: function(*args))


_real("SQRT", function=pc.sqrt)
_real("EXP", function=pc.exp)
_real("LN", function=pc.ln)
_real("LOG10", function=pc.log10)
_real("LOG2", function=pc.log2)
_real("SIN", function=pc.sin)
_real("COS", function=pc.cos)
_real("TAN", function=pc.tan)
_real("POWER", "POW", function=pc.power, count=2)
