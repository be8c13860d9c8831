"""Dates and times: parts of them, rounding, intervals, formats, and the clock."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call
from flott.table.functions.casts import moments_at, read_timestamp
from flott.table.functions.date_patterns import date_pattern
from flott.table.functions.date_reading import check_pattern, read_exactly, read_leniently
from flott.table.functions.registry import (
    SignatureError,
    a_number,
    a_text,
    cast_to,
    check_count,
    row_by_row,
    scalar,
    takes,
    with_nulls,
)
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from decimal import Decimal

    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

PARTS: dict[str, Any] = {
    "YEAR": pc.year, "QUARTER": pc.quarter, "MONTH": pc.month, "WEEK": pc.iso_week, "DAYOFMONTH": pc.day,
    "DAYOFYEAR": pc.day_of_year, "HOUR": pc.hour, "MINUTE": pc.minute, "SECOND": pc.second,
    "DAYOFWEEK": lambda column: pc.day_of_week(column, count_from_zero=False, week_start=7),
    "MILLISECOND": pc.millisecond,
}  # fmt: skip
SAME = {"DAY": "DAYOFMONTH", "DOW": "DAYOFWEEK", "DOY": "DAYOFYEAR"}
UNITS = {"YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "WEEK": "week", "DAY": "day", "HOUR": "hour",
         "MINUTE": "minute", "SECOND": "second", "MILLISECOND": "millisecond"}  # fmt: skip
MICROS = {"SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000, "DAY": 86_400_000_000,
          "WEEK": 604_800_000_000, "MILLISECOND": 1_000}  # fmt: skip
DAY = MICROS["DAY"]
EARLIEST, LATEST = -62_167_219_200_000, 253_402_300_799_999
"""The moments that Flink knows, in milliseconds since 1970: those of the years 0 to 9999."""


def a_time(kind: t.DataType) -> bool:
    """Say whether it is a date or a timestamp."""
    return t.is_timestamp(kind) or isinstance(kind, (t.DateType, t.TimeType))


def local(column: Column, session: Session) -> Column:
    """Return moments as the clock of the session shows them."""
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        return pc.local_timestamp(column.cast(pa.timestamp("us", session.zone)))
    return column


def _bind_part(name: str, args: list[Expr]) -> Call:
    call = takes(DataTypes.BIGINT(), a_time)(name, args)
    kind = args[0].type
    if isinstance(kind, t.TimeType) and name not in OF_DAY:
        raise SignatureError(f"{name}: a TIME has no day; give a DATE or a timestamp")
    if isinstance(kind, t.DateType) and name in OF_DAY:
        return Call(call.type, name, (cast_to(args[0], DataTypes.TIMESTAMP(3)),))
    return call


OF_DAY = {"HOUR", "MINUTE", "SECOND", "MILLISECOND"}
"""Parts of the time of day."""


def _define_part(name: str, function: Any) -> None:
    scalar(name, bind=_bind_part)(lambda call, args, session: function(local(args[0], session)).cast(pa.int64()))


for _name, _function in PARTS.items():
    _define_part(_name, _function)


def part_function(unit: str) -> str | None:
    """Return the function that takes a part of a timestamp: EXTRACT(unit FROM …)."""
    found = SAME.get(unit, unit)
    return found if found in PARTS else None


def _bind_rounded(name: str, args: list[Expr]) -> Call:
    unit = args[1].value  # type: ignore[attr-defined]
    if unit not in UNITS or not a_time(args[0].type):
        raise SignatureError(
            f"{name.removesuffix(' TO')}({args[0].type.nullable()!r} TO {unit}): give a timestamp and one of "
            f"{', '.join(UNITS)}"
        )
    return Call(args[0].type, name, tuple(args))


def _rounded(name: str, function: Any) -> None:
    def evaluate(call: Call, args: list[Column], session: Session) -> Column:
        made = function(local(args[0], session), UNITS[args[1].as_py()])
        if made.type == args[0].type:
            return made
        kind = to_arrow_type(call.type)
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            return moments_at(made, session.zone).cast(kind)
        return made.cast(kind)

    scalar(name, bind=_bind_rounded)(evaluate)


def _floored(moments: Column, unit: str) -> Column:
    # Weeks begin on Sunday, as in Flink.
    return pc.floor_temporal(moments, unit=unit, week_starts_monday=False)


def _ceiled(moments: Column, unit: str) -> Column:
    """Return the next whole units; what is whole stays, which Arrow does not see of months and years."""
    if pa.types.is_date(moments.type) and unit == "day":
        return pc.add(moments, dt.timedelta(days=1)).cast(moments.type)  # to Flink, a day ends with the next
    whole = _floored(moments, unit)
    return pc.if_else(pc.equal(whole, moments), whole, pc.ceil_temporal(moments, unit=unit, week_starts_monday=False))


_rounded("FLOOR TO", _floored)
_rounded("CEIL TO", _ceiled)


def _moved(sign: int) -> Any:
    def evaluate(call: Call, args: list[Column], session: Session) -> Column:
        moment, span = args
        if pa.types.is_time(moment.type):
            return _time_of_day(moment, span, sign)
        if pa.types.is_duration(span.type):
            if pa.types.is_date(moment.type):
                # As in Flink, the hours of an interval are dropped.
                days = pc.multiply(pc.divide(span.cast(pa.int64()), DAY), sign)
                return pc.add(moment.cast(pa.int32()).cast(pa.int64()), days).cast(pa.int32()).cast(moment.type)
            return (pc.add if sign > 0 else pc.subtract)(moment, span).cast(moment.type)
        return row_by_row(lambda at, months: add_months(at, sign * months))(call, args, session)

    return evaluate


def _time_of_day(time: Column, span: Column, sign: int) -> Column:
    """Return a time of day some time later: past midnight it begins again."""
    moved = pc.add(time.cast(pa.int64()), pc.multiply(span.cast(pa.int64()), sign))
    days = pc.floor(pc.divide(moved.cast(pa.float64()), float(DAY))).cast(pa.int64())
    return pc.subtract(moved, pc.multiply(days, DAY)).cast(time.type)


Moment = TypeVar("Moment", dt.date, dt.datetime)


def add_months(moment: Moment, months: int) -> Moment:
    """Return a moment some months later, at the last day of the month if there is no such day.

    >>> add_months(dt.datetime(2020, 1, 31), 1)
    datetime.datetime(2020, 2, 29, 0, 0)
    """
    total = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(total, 12)
    days = (dt.date(year + (month == 11), (month + 1) % 12 + 1, 1) - dt.date(year, month + 1, 1)).days  # noqa: PLR2004 - counted on one hand
    return moment.replace(year=year, month=month + 1, day=min(moment.day, days))


def _bind_nothing(name: str, args: list[Expr]) -> Call:
    raise SignatureError(f"write a timestamp {name[-1]} an interval")


scalar("TIME+", bind=_bind_nothing)(_moved(1))
scalar("TIME-", bind=_bind_nothing)(_moved(-1))


TIME_OF_DAY = re.compile(r"%[^YmdjaAbBuwUVGy%]")
"""What is not the same all day."""


def _bind_format(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 2, 2)
    first = args[0]
    if a_text(first.type):
        # What is not a timestamp gives NULL, as in Flink.
        first = Call(DataTypes.TIMESTAMP(3).nullable(), "TRY_CAST", (cast_to(first, DataTypes.STRING()),))
    return takes(DataTypes.STRING(), a_time, a_text)(name, [first, args[1]])


@scalar("DATE_FORMAT", bind=_bind_format)
def _date_format(call: Call, args: list[Column], session: Session) -> Column:
    moments = local(args[0], session)
    if isinstance(args[1], pa.Scalar) and not isinstance(moments, pa.Scalar) and args[1].as_py() is not None:
        form, digits = date_pattern(args[1].as_py())
        if not digits:
            unit = "second" if TIME_OF_DAY.search(form) else "day"
            whole = pc.floor_temporal(moments, unit=unit) if pa.types.is_timestamp(moments.type) else moments
            # Writing a moment takes longer than finding out that it is the same as others.
            distinct = whole.cast(pa.timestamp("s"), safe=False).dictionary_encode()
            return pc.strftime(distinct.dictionary, format=form).take(distinct.indices)
    return row_by_row(written)(call, [moments, args[1]], session)


def written(moment: dt.datetime, pattern: str) -> str:
    """Write a moment in Java's pattern.

    >>> written(dt.datetime(2020, 1, 31, 12, 0, 0, 5000), "HH:mm:ss.SSS")
    '12:00:00.005'
    """
    form, digits = date_pattern(pattern)
    fraction = f"{getattr(moment, 'microsecond', 0):06d}000"[:digits]
    return moment.strftime(form) + fraction


def _bind_to_timestamp(name: str, args: list[Expr]) -> Call:
    call = takes(DataTypes.TIMESTAMP(3), a_text, a_text, least=1)(name, args)
    check_pattern(args)
    return Call(call.type.nullable(), name, call.args)


def _parsed(text: str, pattern: str | None = None) -> dt.datetime | None:
    """Read a timestamp up to its milliseconds, which is what functions of time give; None if it is none."""
    try:
        moment = read_timestamp(text) if pattern is None else read_exactly(text, pattern)
    except ValueError:
        return None
    return None if moment is None else moment.replace(microsecond=moment.microsecond // 1000 * 1000)


scalar("TO_TIMESTAMP", bind=_bind_to_timestamp)(row_by_row(_parsed))


def _bind_to_date(name: str, args: list[Expr]) -> Call:
    call = takes(DataTypes.DATE(), a_text, a_text, least=1)(name, args)
    check_pattern(args)
    return Call(call.type.nullable(), name, call.args)


def _date(text: str, pattern: str | None = None) -> dt.date | None:
    found = _parsed(text) if pattern is None else read_leniently(text, pattern)
    return None if found is None else found.date()


scalar("TO_DATE", bind=_bind_to_date)(row_by_row(_date))


def _bind_to_ltz(name: str, args: list[Expr]) -> Call:
    call = takes(DataTypes.TIMESTAMP_LTZ(3), a_number, a_number)(name, args)
    precision = getattr(args[1], "value", 0)
    if precision not in {0, 3, None}:
        raise SignatureError(f"{name}(number, {precision}): the precision is 0 (seconds) or 3 (milliseconds)")
    return Call(call.type.nullable(), name, call.args)


def _millis(number: float | Decimal, precision: int) -> int | None:
    """Return a number of seconds (precision 0) or milliseconds (3) in milliseconds; None if it is out of range."""
    if precision not in {0, 3}:
        raise FlottError(f"TO_TIMESTAMP_LTZ(number, {precision}): the precision is 0 (seconds) or 3 (milliseconds)")
    if not math.isfinite(number):
        return None
    # The fraction of a second counts only of floating point numbers, as in Flink.
    whole = number if isinstance(number, float) and precision == 0 else int(number)
    millis = int(whole * 1000) if precision == 0 else int(whole)
    if isinstance(number, float) and precision:
        millis = math.floor(number)  # the earlier one, as in Flink
    return millis if EARLIEST <= millis <= LATEST else None


@scalar("TO_TIMESTAMP_LTZ", bind=_bind_to_ltz)
def _to_ltz(call: Call, args: list[Column], session: Session) -> Column:
    """Return the moment so many seconds (precision 0) or milliseconds (3) after 1970."""
    known = args[1].as_py() if isinstance(args[1], pa.Scalar) else None
    kind = to_arrow_type(call.type)
    if known is not None and pa.types.is_integer(args[0].type) and not isinstance(args[0], pa.Scalar):
        millis = pc.multiply(args[0].cast(pa.int64()), 1000 if known == 0 else 1)
        edge = EARLIEST // 1000, LATEST // 1000
        inside = pc.and_(*_within(args[0], *(edge if known == 0 else (EARLIEST, LATEST))))
        micros = pc.multiply(pc.if_else(inside, millis, pa.scalar(None, pa.int64())), 1000)
        return micros.cast(kind)
    number = Call(DataTypes.BIGINT(), "TO_TIMESTAMP_LTZ", call.args)
    return pc.multiply(row_by_row(_millis)(number, args, session), 1000).cast(kind)


def _within(column: Column, low: int, high: int) -> tuple[Column, Column]:
    return pc.greater_equal(column.cast(pa.int64()), low), pc.less_equal(column.cast(pa.int64()), high)


NOT_A_TIME = -(2**63)
"""What UNIX_TIMESTAMP gives for a string that is none, as in Flink."""


def _bind_unix(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 0, 2)
    if args and not a_text(args[0].type):
        raise SignatureError(f"{name} takes a text such as '2020-01-31 12:00:00', not {args[0].type.nullable()!r}")
    check_pattern(args)
    return Call(DataTypes.BIGINT().nullable(), name, tuple(args))


@scalar("UNIX_TIMESTAMP", bind=_bind_unix, changing=True)
def _unix(call: Call, args: list[Column], session: Session) -> Column:
    if not args:
        return pa.scalar(session.now // 1000, pa.int64())
    zone = ZoneInfo(session.zone)

    def seconds(text: str, pattern: str = "yyyy-MM-dd HH:mm:ss") -> int:
        found = read_leniently(text, pattern)
        if found is None:
            return NOT_A_TIME
        # As in Flink, the later moment where the clock shows a time twice.
        return math.floor(max(found.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1)))

    return row_by_row(seconds)(call, args, session)


def _bind_difference(name: str, args: list[Expr]) -> Call:
    unit = getattr(args[0], "value", None) if args else None
    if len(args) != 3 or unit not in {*MICROS, "MONTH", "YEAR", "QUARTER"}:  # noqa: PLR2004 - counted on one hand
        raise SignatureError(f"{name}: write {name}(DAY, from, to)")
    times = [cast_to(arg, DataTypes.TIMESTAMP(3)) if isinstance(arg.type, t.DateType) else arg for arg in args[1:]]
    for arg in times:
        if not a_time(arg.type) or (isinstance(arg.type, t.TimeType) and unit not in MICROS):
            raise SignatureError(f"{name}: {arg.type.nullable()!r} is no timestamp")
    one, other = (arg.type for arg in times)
    if type(one) is not type(other):
        raise SignatureError(f"{name} takes two times of one type; CAST {one.nullable()!r} or {other.nullable()!r}")
    return Call(with_nulls(DataTypes.INT(), times), name, (args[0], *times))


@scalar("TIMESTAMPDIFF", bind=_bind_difference)
def _difference(call: Call, args: list[Column], session: Session) -> Column:
    unit = args[0].as_py()
    if unit in MICROS:
        start, end = (_whole_millis(column) for column in args[1:])
        # What does not fit an INT loses its upper bits, as in Java.
        return pc.divide(pc.subtract(end, start), MICROS[unit]).cast(pa.int32(), safe=False)
    size = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}[unit]
    return row_by_row(lambda start, end: int(_months(start, end) / size))(call, args[1:], session)


def _whole_millis(column: Column) -> Column:
    """Return times in microseconds without what is below the millisecond."""
    if pa.types.is_timestamp(column.type):
        column = pc.floor_temporal(column, unit="millisecond")
    return column.cast(pa.int64())


def _months(start: dt.datetime, end: dt.datetime) -> int:
    """Return how many whole months there are from one moment to another."""
    days = (start.date(), end.date())
    months = _months_of_days(*days) if days[0] <= days[1] else -_months_of_days(*reversed(days))
    # As in Flink, which compares the times of day also when it counts backwards.
    early = _millis_of_day(end) < _millis_of_day(start) and add_months(days[0], months) == days[1]
    return months - early


def _months_of_days(start: dt.date, end: dt.date) -> int:
    months = (end.year - start.year) * 12 + end.month - start.month
    return months - (add_months(start, months) > end)


def _millis_of_day(moment: dt.datetime) -> tuple[int, int, int, int]:
    return moment.hour, moment.minute, moment.second, moment.microsecond // 1000


# The clock: the same for all rows of a batch


def _clock(name: str, kind: t.DataType) -> None:
    def evaluate(call: Call, args: list[Column], session: Session) -> Column:
        moment = dt.datetime.fromtimestamp(session.now / 1000, ZoneInfo(session.zone))
        if isinstance(kind, t.LocalZonedTimestampType):
            return pa.scalar(session.now * 1000, pa.int64()).cast(to_arrow_type(kind))
        plain = moment.replace(tzinfo=None)
        made = plain.date() if isinstance(kind, t.DateType) else plain.time() if isinstance(kind, t.TimeType) else plain
        return pa.scalar(made, to_arrow_type(kind))

    def bind(name: str, args: list[Expr]) -> Call:
        check_count(name, args, 0, 0)
        return Call(kind.not_null(), name, ())

    scalar(name, bind=bind, changing=True)(evaluate)


for _name in ("PROCTIME", "CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP"):
    _clock(_name, DataTypes.TIMESTAMP_LTZ(3))
_clock("LOCALTIMESTAMP", DataTypes.TIMESTAMP(3))
_clock("CURRENT_DATE", DataTypes.DATE())
_clock("LOCALTIME", DataTypes.TIME(0))
_clock("CURRENT_TIME", DataTypes.TIME(0))
