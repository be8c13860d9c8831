"""CAST and TRY_CAST: values as values of another type."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from flott.common.java_float import java_float
from flott.errors import FlottError
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call
from flott.table.functions.arithmetic import fit_decimal
from flott.table.functions.number_casts import may_be_too_large, to_decimals, to_floating, to_integers
from flott.table.functions.quick_reads import quick_read
from flott.table.functions.registry import SignatureError, scalar
from flott.table.lengths import of_length
from flott.table.nested_columns import part_types, rebuilt
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

TIMESTAMP = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?(Z)?")
TIME = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?")
BYTES = (t.BinaryType, t.VarBinaryType)
NESTED = (t.ArrayType, t.MapType, t.RowType)
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
TRUE = {"true", "t", "1", "yes", "y"}
FALSE = {"false", "f", "0", "no", "n"}
UTC = dt.timezone.utc


def check_cast(source: t.DataType, target: t.DataType) -> None:
    """Make sure that values of one type can become values of the other."""
    numbers = isinstance(source, t.NumericType) and isinstance(target, (t.NumericType, t.BooleanType))
    truth = isinstance(source, t.BooleanType) and isinstance(target, t.NumericType)
    timed = (t.DateType, t.TimeType, t.TimestampType, t.LocalZonedTimestampType)
    times = isinstance(source, timed) and isinstance(target, timed) and _have_day_and_time(source, target)
    texts = t.is_text(source) or t.is_text(target)
    bytes_ = isinstance(source, BYTES) and isinstance(target, BYTES)
    if isinstance(source, NESTED) and type(source) is type(target):
        _check_parts(source, target)
        return
    nested = isinstance(source, NESTED) or isinstance(target, NESTED)
    known = source.same_as(target) or isinstance(source, t.NullType) or numbers or truth or times or bytes_
    if not (known or (texts and not nested)):
        raise SignatureError(f"{source.nullable()!r} can't be CAST to {target.nullable()!r}")


def _have_day_and_time(source: t.DataType, target: t.DataType) -> bool:
    """Return whether one time has what the other is made of: a DATE has no time of day, a TIME no day."""
    if isinstance(source, t.TimeType) or isinstance(target, t.TimeType):
        return isinstance(target, t.TimeType) and not isinstance(source, t.DateType)
    return True


def _check_parts(source: t.DataType, target: t.DataType) -> None:
    """Make sure that the parts of nested values can become those of others: the fields of rows in their order."""
    ones, others = part_types(source), part_types(target)
    if len(ones) != len(others):
        raise SignatureError(f"{source.nullable()!r} can't be CAST to {target.nullable()!r}: it has other fields")
    for (_, one), (_, other) in zip(ones, others, strict=True):
        check_cast(one, other)


def bind_cast(arg: Expr, target: t.DataType, *, lenient: bool) -> Call:
    """Return the call that makes an expression one of another type."""
    check_cast(arg.type, target)
    nullable = arg.type.is_nullable or lenient or may_be_too_large(arg.type, target)
    return Call(target.nullable() if nullable else target.not_null(), "TRY_CAST" if lenient else "CAST", (arg,))


def _bind_wrongly(name: str, args: list[Expr]) -> Call:
    raise SignatureError(f"write {name}(value AS type)")


@scalar("CAST", bind=_bind_wrongly)
def _cast(call: Call, args: list[Column], session: Session) -> Column:
    return converted(args[0], call.args[0].type, call.type, session, lenient=False)


@scalar("TRY_CAST", bind=_bind_wrongly)
def _try_cast(call: Call, args: list[Column], session: Session) -> Column:
    return converted(args[0], call.args[0].type, call.type, session, lenient=True)


def converted(column: Column, source: t.DataType, target: t.DataType, session: Session, *, lenient: bool) -> Column:  # noqa: C901, PLR0911, PLR0912 - a case a line
    """Return a column as one of another type; what can't be is an error, or NULL if that is wanted."""
    kind = to_arrow_type(target)
    if isinstance(source, t.NullType):
        return column.cast(kind)
    if isinstance(source, NESTED):
        return _of_parts(column, source, target, session, lenient=lenient)
    if t.is_text(target):
        return _texts(column, source, target, session)
    if t.is_text(source):
        quick = quick_read(column, target)
        if quick is not None:
            return quick
        made = _each(column, _reader(target, session), kind, source, target, lenient=lenient)
        return of_length(made, target) if isinstance(target, BYTES) else made
    if isinstance(source, t.NumericType) and isinstance(target, t.BooleanType):
        return pc.not_equal(column, pa.scalar(0, column.type))
    if isinstance(source, t.BooleanType):
        return converted(column.cast(pa.int8()), DataTypes.TINYINT(), target, session, lenient=lenient)
    if isinstance(source, BYTES) and isinstance(target, BYTES):
        return of_length(column, target)
    if isinstance(target, t.DecimalType):
        return to_decimals(column, source, target)
    if isinstance(source, t.DecimalType):
        if isinstance(target, t.IntegralType):
            if source.precision == source.scale:  # no digit before the point, and Arrow has no room for the 0
                return pc.if_else(pc.is_valid(column), pa.scalar(0, kind), pa.scalar(None, kind))
            return pc.trunc(column).cast(pa.decimal128(source.precision, 0), safe=False).cast(kind, safe=False)
        return to_floating(column, source, kind)
    if isinstance(source, t.FractionalType) and isinstance(target, t.IntegralType):
        return to_integers(column, kind)
    if isinstance(source, t.NumericType):
        return column.cast(kind, safe=False)
    return _times(column, source, target, session)


def _of_parts(column: Column, source: t.DataType, target: t.DataType, session: Session, *, lenient: bool) -> Column:
    """Return rows, arrays or maps whose parts are those of another type."""
    pairs = [(one, other) for (_, one), (_, other) in zip(part_types(source), part_types(target), strict=True)]

    def change(place: int, values: Column) -> Column:
        one, other = pairs[place]
        return values if one.same_as(other) else converted(values, one, other, session, lenient=lenient)

    array = pa.array([column.as_py()], column.type) if isinstance(column, pa.Scalar) else column
    made = rebuilt(array, to_arrow_type(target), change)
    return made[0] if isinstance(column, pa.Scalar) else made


def _each(
    column: Column, read: Callable[[Any], Any], kind: Any, source: t.DataType, target: t.DataType, *, lenient: bool
) -> Column:
    values: list[Any] = []
    given = [column.as_py()] if isinstance(column, pa.Scalar) else column.to_pylist()
    for value in given:
        try:
            values.append(None if value is None else read(value))
        except (ValueError, InvalidOperation, OverflowError) as error:
            if not lenient:
                raise FlottError(
                    f"CAST({value!r} AS {target.nullable()!r}): it is none; TRY_CAST gives NULL instead"
                ) from error
            values.append(None)
    made = pa.array(values, kind)
    return made[0] if isinstance(column, pa.Scalar) else made


def _reader(target: t.DataType, session: Session) -> Callable[[str], Any]:  # noqa: PLR0911 - a case a line
    """Return how values of a type are read from text."""
    if isinstance(target, t.IntegralType):
        edge = 2 ** (target.bits - 1)
        return lambda text: _whole(text, edge)
    if isinstance(target, t.DecimalType):
        precision, scale = target.precision, target.scale
        return lambda text: _decimal(text, precision, scale)
    if isinstance(target, t.FractionalType):
        return _floating_text
    if isinstance(target, t.BooleanType):
        return _truth
    if isinstance(target, t.DateType):
        return lambda text: read_timestamp(text).date()
    if isinstance(target, t.TimeType):
        return lambda text: read_time(text, target.precision)
    if isinstance(target, t.TimestampType):
        return lambda text: _floored(read_timestamp(text), target.precision)
    if isinstance(target, t.LocalZonedTimestampType):
        zone = ZoneInfo(session.zone)
        return lambda text: _floored(read_timestamp(text, zone), target.precision)
    return lambda text: text.encode()


def _floating_text(text: str) -> float:
    word = text.strip()
    if word.lstrip("+-") not in {"NaN", "Infinity"} and not NUMBER.fullmatch(word):
        raise ValueError(text)
    return float(word)


def _decimal(text: str, precision: int, scale: int) -> Decimal:
    if not NUMBER.fullmatch(text.strip()):
        raise ValueError(text)
    made = fit_decimal(Decimal(text.strip()), precision, scale)
    if made is None:
        raise OverflowError(text)
    return made


def _whole(text: str, edge: int) -> int:
    word = text.strip()
    if not NUMBER.fullmatch(word) or "e" in word.lower():
        raise ValueError(text)
    number = int(Decimal(word))
    if not -edge <= number < edge:
        raise OverflowError(text)
    return number


def _truth(text: str) -> bool:
    folded = text.strip().lower()
    if folded in TRUE:
        return True
    if folded in FALSE:
        return False
    raise ValueError(text)


def read_time(text: str, precision: int) -> dt.time:
    """Read a time of day as SQL writes it, with so many digits of the second's fraction.

    >>> read_time("12:00:00.129", 2)
    datetime.time(12, 0, 0, 120000)
    """
    found = TIME.fullmatch(text.strip())
    if not found:
        raise ValueError(text)
    hour, minute, second, fraction = found.groups(default="0")
    return dt.time(int(hour), int(minute), int(second), int(fraction[:precision].ljust(6, "0")[:6]))


def read_timestamp(text: str, zone: dt.tzinfo | None = None) -> dt.datetime:
    """Read a timestamp as SQL writes it.

    >>> read_timestamp("2020-01-31 12:00:00.5")
    datetime.datetime(2020, 1, 31, 12, 0, 0, 500000)
    """
    found = TIMESTAMP.fullmatch(text.strip())
    if not found:
        raise ValueError(text)
    year, month, day, hour, minute, second, fraction, utc = found.groups(default="0")
    local = UTC if utc == "Z" and zone is not None else zone
    micros = int(fraction.ljust(6, "0")[:6])
    return dt.datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), micros, tzinfo=local)


def _floored(moment: dt.datetime, precision: int) -> dt.datetime:
    step = 10 ** (6 - precision)
    return moment.replace(microsecond=moment.microsecond // step * step)


def _texts(column: Column, source: t.DataType, target: t.DataType, session: Session) -> Column:
    if t.is_text(source):
        texts = column
    elif isinstance(source, (t.IntegralType, t.DateType)):
        texts = column.cast(pa.string())
    else:
        write = text_writer(source, session)
        given = [column.as_py()] if isinstance(column, pa.Scalar) else column.to_pylist()
        made = pa.array([None if value is None else write(value) for value in given], pa.string())
        texts = made[0] if isinstance(column, pa.Scalar) else made
    return of_length(texts, target)


def text_writer(source: t.DataType, session: Session) -> Callable[[Any], str]:  # noqa: PLR0911 - a case a line
    """Return how a value of a type becomes text."""
    if isinstance(source, t.BooleanType):
        return lambda value: "TRUE" if value else "FALSE"
    if isinstance(source, t.DecimalType):
        return lambda value: f"{value:f}"
    if isinstance(source, t.FractionalType):
        return partial(java_float, single=isinstance(source, t.FloatType))
    if isinstance(source, t.TimeType):
        return lambda value: write_time(value, source.precision)
    if isinstance(source, t.DayTimeIntervalType):
        return day_time_text
    if isinstance(source, t.YearMonthIntervalType):
        return lambda months: f"{'-' if months < 0 else '+'}{abs(months) // 12}-{abs(months) % 12:02d}"
    if isinstance(source, t.TimestampType):
        return lambda value: write_timestamp(value, source.precision)
    if isinstance(source, t.LocalZonedTimestampType):
        zone = ZoneInfo(session.zone)
        return lambda value: write_timestamp(value.astimezone(zone), source.precision)
    if isinstance(source, (t.BinaryType, t.VarBinaryType)):
        return lambda value: value.decode("utf-8", "replace")
    return str


def write_time(time: dt.time, precision: int) -> str:
    """Write a time of day as SQL does: its fraction without zeros at the end, but for the first.

    >>> write_time(dt.time(12, 0, 0, 120000), 3), write_time(dt.time(12), 3), write_time(dt.time(12), 0)
    ('12:00:00.12', '12:00:00.0', '12:00:00')
    """
    written = _with_fraction(time.strftime("%H:%M:%S"), time.microsecond, precision)
    return f"{written[:9]}{written[9:].rstrip('0') or '0'}" if precision else written


def write_timestamp(moment: dt.datetime, precision: int) -> str:
    """Write a timestamp as SQL does.

    >>> write_timestamp(dt.datetime(2020, 1, 31, 12), 3)
    '2020-01-31 12:00:00.000'
    """
    return _with_fraction(moment.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0"), moment.microsecond, precision)


def _with_fraction(text: str, micros: int, precision: int) -> str:
    return f"{text}.{f'{micros:06d}'[:precision]}" if precision else text


def day_time_text(span: dt.timedelta) -> str:
    """Write an interval of days and times as SQL does.

    >>> day_time_text(dt.timedelta(days=12)), day_time_text(dt.timedelta(seconds=-1.5))
    ('+12 00:00:00.000', '-0 00:00:01.500')
    """
    millis = abs(span) // dt.timedelta(milliseconds=1)
    seconds, millis = divmod(millis, 1000)
    days, seconds = divmod(seconds, 86_400)
    sign = "-" if span < dt.timedelta() else "+"
    return f"{sign}{days} {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{millis:03d}"


def _times(column: Column, source: t.DataType, target: t.DataType, session: Session) -> Column:
    kind = to_arrow_type(target)
    if isinstance(source, t.LocalZonedTimestampType) and not isinstance(target, t.LocalZonedTimestampType):
        local = pc.local_timestamp(column.cast(pa.timestamp("us", session.zone)))
        plain = t.TimestampType(True, source.precision)
        return _times(local, plain, target, session)
    if isinstance(source, (t.TimestampType, t.DateType)) and isinstance(target, t.LocalZonedTimestampType):
        plain = column.cast(pa.timestamp("us"))
        return cut_to_precision(moments_at(plain, session.zone).cast(kind), target.precision)
    if isinstance(target, t.TimeType):
        return cut_to_precision(column.cast(kind, safe=False), target.precision)
    if isinstance(target, t.DateType):
        return pc.floor_temporal(column, unit="day").cast(kind, safe=False)
    return cut_to_precision(column.cast(kind), getattr(target, "precision", 6))


def moments_at(clock: Column, zone: str) -> Column:
    """Return the moments at which clocks of a zone show a time: the earlier one of two.

    What no clock shows, in the gap when summer time begins, is later by the length of the gap.

    >>> plain = pa.array([dt.datetime(2020, 3, 29, 2, 30)], pa.timestamp("us"))
    >>> pc.local_timestamp(moments_at(plain, "Europe/Berlin")).to_pylist()
    [datetime.datetime(2020, 3, 29, 3, 30)]
    """
    moments = pc.assume_timezone(clock, zone, ambiguous="earliest", nonexistent="earliest")
    return pc.add(moments, pc.subtract(clock, pc.local_timestamp(moments)))


def cut_to_precision(column: Column, precision: int) -> Column:
    """Return timestamps without the digits that their type does not have."""
    if precision >= 6:  # noqa: PLR2004 - counted on one hand
        return column
    step = 10 ** (6 - precision)
    micros = column.cast(pa.int64())
    return _floor_to(micros, step).cast(column.type)


def _floor_to(micros: Column, step: int) -> Column:
    quotient = pc.divide(micros, step)
    rounded = pc.multiply(quotient, step)
    return pc.if_else(pc.greater(rounded, micros), pc.subtract(rounded, step), rounded)
