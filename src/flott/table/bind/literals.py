"""Constants and intervals."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.expr import Literal
from flott.table.functions.casts import read_timestamp
from flott.table.types import MAX_DECIMAL, DataTypes, DayTimeIntervalType, YearMonthIntervalType

if TYPE_CHECKING:
    from flott.table import types as t

SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 604800}
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
ORDER = ("DAY", "HOUR", "MINUTE", "SECOND")
INT_EDGE, BIGINT_EDGE = 2**31, 2**63


def literal(node: exp.Literal) -> Literal:
    """Return a number or text as a constant.

    >>> literal(exp.Literal.number("0.908")).type
    DECIMAL(3, 3) NOT NULL
    """
    text: str = node.this
    if node.is_string:
        return Literal(DataTypes.CHAR(max(1, len(text))).not_null(), text)
    if "e" in text.lower():
        if math.isinf(float(text)):
            raise ValueError(f"{text} is out of the range of DOUBLE")
        return Literal(DataTypes.DOUBLE().not_null(), float(text))
    if "." in text:
        value = Decimal(text)
        scale = -int(value.as_tuple().exponent)
        precision = max(len(value.as_tuple().digits), scale, 1)
        return Literal(_decimal(text, precision, scale), value)
    number = int(text)
    if not -BIGINT_EDGE <= number < BIGINT_EDGE:
        return Literal(_decimal(text, len(str(abs(number))), 0), Decimal(number))
    kind = DataTypes.INT() if -INT_EDGE <= number < INT_EDGE else DataTypes.BIGINT()
    return Literal(kind.not_null(), number)


def _decimal(text: str, precision: int, scale: int) -> t.DataType:
    if precision > MAX_DECIMAL:
        raise ValueError(f"{text} has more than {MAX_DECIMAL} digits")
    return DataTypes.DECIMAL(precision, scale).not_null()


def timestamp_literal(text: str, kind: t.DataType) -> Literal:
    """Return a date or timestamp that stands in a statement; ValueError if it is none."""
    moment = read_timestamp(text)
    if kind.same_as(DataTypes.DATE()):
        return Literal(kind.not_null(), moment.date())
    digits = len(text.partition(".")[2])
    return Literal(DataTypes.TIMESTAMP(min(digits, 6)).not_null(), moment)


LONGEST_MONTHS = 2**31 - 1
LONGEST_MICROS = 2**63 - 1


def interval(node: exp.Interval) -> Literal:
    """Return an interval as a constant: a timedelta, or a number of months; ValueError if it is none.

    >>> interval(exp.Interval(this=exp.Literal.string("10"), unit=exp.var("SECOND"))).value
    datetime.timedelta(seconds=10)
    """
    try:
        made = _interval(node)
    except (ArithmeticError, AttributeError, ValueError) as error:
        if isinstance(error, ValueError) and str(error).startswith("INTERVAL"):
            raise
        raise ValueError(f"{node.sql()}: give a number in quotes and a unit, as in INTERVAL '10' MINUTES") from None
    months = isinstance(made.value, int)
    size = made.value if months else made.value // dt.timedelta(microseconds=1)
    most = LONGEST_MONTHS if months else LONGEST_MICROS
    if abs(size) > most:
        raise ValueError(f"{node.sql()} is too long: {most} {'months' if months else 'microseconds'} is the most")
    return made


def _interval(node: exp.Interval) -> Literal:
    text = node.this.name
    unit = node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return _span(text, unit.this.name.upper(), unit.expression.name.upper())
    name = (unit.name if unit is not None else "").upper().removesuffix("S")
    if name in MONTHS:
        return Literal(YearMonthIntervalType().not_null(), int(text) * MONTHS[name])
    if name not in SECONDS:
        raise ValueError(f"INTERVAL '{text}' {name}: the unit is one of {', '.join([*SECONDS, *MONTHS])}")
    span = dt.timedelta(microseconds=int(Decimal(text) * SECONDS[name] * 10**6))
    return Literal(DayTimeIntervalType().not_null(), span)


def _span(text: str, first: str, last: str) -> Literal:
    if (first, last) == ("YEAR", "MONTH"):
        sign = -1 if text.startswith("-") else 1
        years, months = text.removeprefix("-").split("-")
        return Literal(YearMonthIntervalType().not_null(), sign * (int(years) * 12 + int(months)))
    units = ORDER[ORDER.index(first) : ORDER.index(last) + 1]
    negative = text.startswith("-")
    parts = text.lstrip("-").replace(" ", ":").split(":")
    if len(parts) != len(units):
        raise ValueError(f"INTERVAL '{text}' {first} TO {last}: give {len(units)} numbers")
    seconds = sum(Decimal(part) * SECONDS[unit] for part, unit in zip(parts, units, strict=True))
    span = dt.timedelta(microseconds=int(seconds * 10**6))
    return Literal(DayTimeIntervalType().not_null(), -span if negative else span)
