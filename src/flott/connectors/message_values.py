"""Values of messages: what a type looks like in JSON and in the cells of CSV, as Flink writes and reads it."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any

from flott.common import Row
from flott.common.java_float import java_float
from flott.common.typeinfo.basic import BasicType, BasicTypeInfo
from flott.common.typeinfo.collections import MapTypeInfo, PrimitiveArrayTypeInfo, _SequenceTypeInfo
from flott.common.typeinfo.composite import RowTypeInfo, TupleTypeInfo
from flott.common.typeinfo.temporal import DateTypeInfo, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from flott.errors import GraphError

BITS = {BasicType.BYTE: 8, BasicType.SHORT: 16, BasicType.INT: 32, BasicType.LONG: 64}
TEXTS = (BasicType.STRING, BasicType.CHAR)
DATES, TIMES, MOMENTS = "date", "time", "moment"
TemporalType = (DateTypeInfo, TimeTypeInfo, TimestampTypeInfo, LocalTimeTypeInfo)


class BadValueError(ValueError):
    """A value is not of the type it should have."""


def checked_row(kind: Any, where: str) -> RowTypeInfo:
    """Return the type of rows, or say what is wanted."""
    if not isinstance(kind, RowTypeInfo):
        raise GraphError(f"{where}: the type of a message is a row, such as Types.ROW_NAMED(['id'], [Types.LONG()])")
    for field in kind.get_field_types():
        _check(field, where)
    return kind


def row_of(kind: RowTypeInfo, values: list[Any]) -> Row:
    """Return a Row, with names if its type has them."""
    return Row(*kind.get_field_names())(*values) if kind.has_names() else Row(*values)


def _check(kind: Any, where: str) -> None:
    if isinstance(kind, (RowTypeInfo, TupleTypeInfo)):
        for field in kind.get_field_types():
            _check(field, where)
    elif isinstance(kind, _SequenceTypeInfo):
        _check(kind.element_type, where)
    elif isinstance(kind, MapTypeInfo):
        _check(kind.value_type_info, where)
    elif not isinstance(kind, TemporalType) and not (
        isinstance(kind, BasicTypeInfo) and kind.basic_type is not BasicType.INSTANT
    ):
        raise GraphError(f"{where}: values of type {kind!r} can't be written in messages")


# JSON


NESTED = (_SequenceTypeInfo, TupleTypeInfo, MapTypeInfo)


def from_json(kind: Any, value: Any, *, strict: bool = False, lenient: bool = False) -> Any:
    """Return a value of JSON as one of a type.

    Args:
        kind: The type.
        value: What ``json.loads`` made.
        strict: The fields of a row must all be there.
        lenient: A field of a row that has a wrong value is None.
    """
    if value is None:
        return None
    if isinstance(value, str) and not value.isascii():
        _check_characters(value)
    if isinstance(kind, RowTypeInfo):
        return _row_from(kind, value, strict=strict, lenient=lenient)
    if isinstance(kind, NESTED):
        return _nested_from(kind, value, strict=strict)
    return _single_from(kind, value)


def _check_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadValueError(f"{text!r:.100} has a character that is half of a pair: {error.reason}") from None


def _row_from(kind: RowTypeInfo, value: Any, *, strict: bool, lenient: bool) -> Row:
    names = kind.get_field_names()
    found = _expected(value, dict, "object")
    missing = [name for name in names if name not in found] if strict else []
    if missing:
        raise BadValueError(f"could not find field with name '{missing[0]}'")
    cells: list[Any] = []
    for name, field in zip(names, kind.get_field_types(), strict=True):
        try:
            cells.append(from_json(field, found.get(name), strict=strict, lenient=lenient))
        except BadValueError:
            if not lenient:
                raise
            cells.append(None)
    return row_of(kind, cells)


def _nested_from(kind: Any, value: Any, *, strict: bool) -> Any:
    if _is_bytes(kind):
        return base64.b64decode(_expected(value, str, "text in base 64"))
    if isinstance(kind, MapTypeInfo):
        pairs = _expected(value, dict, "object").items()
        return {from_text(kind.key_type_info, key): from_json(kind.value_type_info, one) for key, one in pairs}
    items = _expected(value, list, "array")
    if isinstance(kind, TupleTypeInfo):
        return tuple(from_json(one, item) for one, item in zip(kind.get_field_types(), items, strict=True))
    return [from_json(kind.element_type, item, strict=strict) for item in items]


def _single_from(kind: Any, value: Any) -> Any:
    if isinstance(value, bool) and _is(kind, BasicType.BOOLEAN):
        return value
    if isinstance(value, str):
        return from_text(kind, value)
    if _is(kind, *TEXTS):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, (bool, list, dict)):
        raise BadValueError(f"{value!r:.100} is no {kind!r}")
    try:
        return from_text(kind, str(int(value)) if _is(kind, *BITS) else str(value))
    except (OverflowError, ValueError):  # 1e400 is infinite, and so no integer
        raise BadValueError(f"{value!r:.100} is no {kind!r}") from None


def _expected(value: Any, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise BadValueError(f"{value!r:.100} is no {name}")
    return value


def _is_bytes(kind: Any) -> bool:
    return isinstance(kind, PrimitiveArrayTypeInfo) and _is(kind.element_type, BasicType.BYTE)


def to_json(kind: Any, value: Any) -> Any:
    """Return a value of a type as JSON knows it."""
    if value is None:
        return None
    if isinstance(kind, RowTypeInfo):
        fields = zip(kind.get_field_names(), kind.get_field_types(), value, strict=True)
        return {name: to_json(field, one) for name, field, one in fields}
    if isinstance(kind, NESTED):
        return _nested_to(kind, value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return to_text(kind, value) if isinstance(kind, TemporalType) else value


def _nested_to(kind: Any, value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(kind, MapTypeInfo):
        return {to_text(kind.key_type_info, key): to_json(kind.value_type_info, one) for key, one in value.items()}
    if isinstance(kind, TupleTypeInfo):
        return [to_json(field, one) for field, one in zip(kind.get_field_types(), value, strict=True)]
    return [to_json(kind.element_type, one) for one in value]


def json_text(value: Any) -> str:
    """Write JSON, with numbers as Java writes them.

    >>> json_text({"a": [1e20, "x"], "b": None})
    '{"a":[1.0E20,"x"],"b":null}'
    """
    if isinstance(value, dict):
        return f"{{{','.join(f'{json_text(name)}:{json_text(one)}' for name, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(json_text, value))}]"
    if isinstance(value, float):
        return java_float(value) if math.isfinite(value) else f'"{java_float(value)}"'
    return json.dumps(value, ensure_ascii=False)


# Text


def from_text(kind: Any, text: str) -> Any:
    """Return a text as a value of a type that is no collection.

    >>> from_text(BasicTypeInfo.INT_TYPE_INFO(), " 12"), from_text(DateTypeInfo(), "2020-01-31")
    (12, datetime.date(2020, 1, 31))
    """
    try:
        return _parsed(kind, text)
    except (ValueError, InvalidOperation):
        raise BadValueError(f"{text!r:.100} is no {kind!r}") from None


def _parsed(kind: Any, text: str) -> Any:  # noqa: PLR0911 - a case a line
    if _is(kind, *TEXTS):
        return text
    if _is(kind, *BITS):
        number, bits = int(text.strip()), BITS[kind.basic_type]
        if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
            raise ValueError(text)
        return number
    if _is(kind, BasicType.BIG_INT):
        return int(text.strip())
    if _is(kind, BasicType.FLOAT, BasicType.DOUBLE):
        return float(text.strip())
    if _is(kind, BasicType.BIG_DEC):
        return Decimal(text.strip())
    if _is(kind, BasicType.BOOLEAN):
        return text.strip().lower() == "true"
    plain = text.strip().removesuffix("Z")
    if _temporal(kind) == DATES:
        return dt.date.fromisoformat(plain)
    if _temporal(kind) == TIMES:
        return dt.time.fromisoformat(plain)
    return dt.datetime.fromisoformat(plain)


def to_text(kind: Any, value: Any) -> str:
    """Return a value that is no collection as text.

    >>> to_text(TimestampTypeInfo(), dt.datetime(2020, 1, 31, 12, 30))
    '2020-01-31T12:30:00Z'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(kind, TemporalType):
        return str(value.isoformat()) + ("" if _temporal(kind) == DATES else "Z")
    return java_float(value) if isinstance(value, float) else str(value)


def _is(kind: Any, *basic: BasicType) -> bool:
    return isinstance(kind, BasicTypeInfo) and kind.basic_type in basic


def _temporal(kind: Any) -> str:
    if isinstance(kind, LocalTimeTypeInfo):
        return (DATES, TIMES, MOMENTS)[kind.time_type.value]
    return {DateTypeInfo: DATES, TimeTypeInfo: TIMES}.get(type(kind), MOMENTS)
