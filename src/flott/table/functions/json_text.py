"""Values as JSON: JSON_STRING, JSON_OBJECT, JSON_ARRAY, and texts in quotes."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.common.java_float import java_float
from flott.errors import FlottError
from flott.table import types as t
from flott.table.expr import Call, Literal
from flott.table.functions.json_path import parse_json
from flott.table.functions.registry import SignatureError, a_text, anything, row_by_row, rows, scalar, takes
from flott.table.python_values import to_python
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

TEXT = DataTypes.STRING()
MADE_OF_JSON = {"JSON", "JSON_OBJECT", "JSON_ARRAY"}
"""What these functions give is put into other documents as it is, not as text."""


def json_text(value: Any) -> str:
    """Write a value of a document, fields in the order of their names.

    >>> json_text({"b": [1, Decimal("2.50")], "a": None})
    '{"a":null,"b":[1,2.50]}'
    """
    if isinstance(value, dict):
        return _object((name, json_text(one)) for name, one in value.items())
    if isinstance(value, list):
        return f"[{','.join(map(json_text, value))}]"
    if isinstance(value, float):
        return _of_float(value)
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def encoder(kind: t.DataType) -> Callable[[Any], str]:  # noqa: PLR0911 - a case a line
    """Return how a value of a type, as functions of the user's see it, is written."""
    if isinstance(kind, t.ArrayType):
        element = encoder(kind.element_type)
        return lambda value: f"[{','.join('null' if one is None else element(one) for one in value)}]"
    if isinstance(kind, t.MapType):
        inner = encoder(kind.value_type)
        return lambda value: _object((str(key), "null" if one is None else inner(one)) for key, one in value.items())
    if isinstance(kind, t.RowType):
        names, kinds = kind.field_names(), [encoder(one) for one in kind.field_types()]
        return lambda row: _object(
            (name, "null" if one is None else write(one)) for name, write, one in zip(names, kinds, row, strict=True)
        )
    if isinstance(kind, t.FloatType):
        return lambda value: _of_float(value, single=True)
    if isinstance(kind, t.DecimalType):
        return str
    if isinstance(kind, (t.BinaryType, t.VarBinaryType)):
        return lambda value: f'"{base64.b64encode(value).decode()}"'
    if isinstance(kind, (t.DateType, t.TimeType, t.TimestampType, t.LocalZonedTimestampType)):
        return lambda value: f'"{_time_text(value)}"'
    return json_text


def _of_float(value: float, *, single: bool = False) -> str:
    """Return a floating point number in JSON, which has no infinity: as in Flink, it is a string there."""
    text = java_float(value, single=single)
    return str(Decimal(text)) if math.isfinite(value) else f'"{text}"'


def _object(pairs: Iterable[tuple[str, str]]) -> str:
    """Write fields in the order of their names, the last of those with the same name."""
    return "{" + ",".join(f"{json_text(name)}:{text}" for name, text in sorted(dict(pairs).items())) + "}"


def _time_text(value: dt.date | dt.time) -> str:
    """Write a time with as many groups of three digits behind the second as it needs, as Java does."""
    if not isinstance(value, (dt.datetime, dt.time)):
        return value.isoformat()
    digits = "seconds" if not value.microsecond else "milliseconds" if value.microsecond % 1000 == 0 else "auto"
    return value.replace(tzinfo=None).isoformat(timespec=digits) + ("Z" if value.tzinfo else "")


def _text_column(args: list[Column], values: list[str | None]) -> Column:
    made = pa.array(values, pa.string())
    return made[0] if all(isinstance(arg, pa.Scalar) for arg in args) else made


def _bind_string(name: str, args: list[Expr]) -> Call:
    call = takes(TEXT, anything)(name, args)
    if isinstance(args[0].type, (t.DayTimeIntervalType, t.YearMonthIntervalType)):
        raise SignatureError(f"{name}: JSON has no {args[0].type.nullable()!r}; CAST it AS STRING")
    return call


@scalar("JSON_STRING", bind=_bind_string)
def _string(call: Call, args: list[Column], _: Session) -> Column:
    kind = call.args[0].type
    write = encoder(kind)
    column = pa.array([args[0].as_py()], args[0].type) if isinstance(args[0], pa.Scalar) else args[0]
    return _text_column(args, [None if value is None else write(value) for value in to_python(column, kind)])


# ---------------------------------------------------------------------------- JSON_OBJECT and JSON_ARRAY


def _on_null(name: str, args: Sequence[Expr]) -> list[Expr]:
    if not args or not isinstance(args[0], Literal) or args[0].value not in {"NULL", "ABSENT"}:
        raise SignatureError(f"{name} takes first what becomes of NULL: 'NULL' or 'ABSENT'")
    return list(args)


def _documents(args: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return values as JSON; what is JSON already stays as it is.

    This is decided before constants are folded: afterwards nobody could tell JSON from a text.
    """
    return tuple(
        arg if isinstance(arg, Call) and arg.function in MADE_OF_JSON else _bind_string("JSON_STRING", [arg])
        for arg in args
    )


def _bind_object(name: str, args: list[Expr]) -> Call:
    given = _on_null(name, args)
    keys = given[1::2]
    if len(given) % 2 == 0 or not all(isinstance(key, Literal) and isinstance(key.value, str) for key in keys):
        raise SignatureError(f"{name} takes pairs of a name in quotes and a value: {name}('id' VALUE id)")
    pairs = zip(keys, _documents(given[2::2]), strict=True)
    return Call(TEXT.not_null(), name, (given[0], *(one for pair in pairs for one in pair)))


@scalar("JSON_OBJECT", bind=_bind_object)
def _json_object(call: Call, args: list[Column], _: Session) -> Column:
    keep = call.args[0].value == "NULL"  # type: ignore[attr-defined]
    names = [str(key.value) for key in call.args[1::2]]  # type: ignore[attr-defined]
    made: list[str | None] = []
    for row in rows(args[2::2], nulls=True) if names else [()]:
        pairs = zip(names, row or (), strict=True)
        made.append(_object((name, one or "null") for name, one in pairs if keep or one is not None))
    return _text_column(args, made)


def _bind_array(name: str, args: list[Expr]) -> Call:
    on_null, *items = _on_null(name, args)
    return Call(TEXT.not_null(), name, (on_null, *_documents(items)))


@scalar("JSON_ARRAY", bind=_bind_array)
def _json_array(call: Call, args: list[Column], _: Session) -> Column:
    keep = call.args[0].value == "NULL"  # type: ignore[attr-defined]
    made: list[str | None] = [
        f"[{','.join(one or 'null' for one in row or () if keep or one is not None)}]"
        for row in (rows(args[1:], nulls=True) if args[1:] else [()])
    ]
    return _text_column(args, made)


def _bind_part(name: str, args: list[Expr]) -> Call:
    """Type what JSON_ARRAYAGG and JSON_OBJECTAGG put together; NULL where a row is left out."""
    on_null, *parts = _on_null(name, args)
    if len(parts) != (1 if name == "JSON_ITEM" else 2):
        raise SignatureError("write JSON_ARRAYAGG(value) or JSON_OBJECTAGG(KEY name VALUE value)")
    return Call(TEXT, name, (on_null, *_documents(parts)))


@scalar("JSON_ITEM", "JSON_PAIR", bind=_bind_part)
def _part(call: Call, args: list[Column], _: Session) -> Column:
    keep = call.args[0].value == "NULL"  # type: ignore[attr-defined]
    made: list[str | None] = []
    for row in rows(args[1:], nulls=True):
        *name, value = row or ()
        text = value or ("null" if keep else None)
        made.append(None if text is None else ":".join([*name, text]))
    return _text_column(args, made)


def _bind_json(name: str, args: list[Expr]) -> Call:
    call = takes(TEXT, a_text)(name, args)
    return Call(call.type.nullable(), name, call.args)


@scalar("JSON", bind=_bind_json)
def _json(call: Call, args: list[Column], _: Session) -> Column:
    """Return a document to be put into another one as it is; what is empty is none."""

    def checked(text: str) -> str | None:
        if not text:
            return None
        try:
            return json_text(parse_json(text))
        except ValueError:
            raise FlottError(f"JSON('{text:.100}'): this is no JSON") from None

    return _text_column(args, [None if row is None else checked(*row) for row in rows(args)])


# ---------------------------------------------------------------------------- texts in quotes


def quoted(text: str) -> str:
    """Return a text in quotes; slashes, and what is not ASCII, are escaped.

    >>> quoted("tea")
    '"tea"'
    """
    return json.dumps(text).replace("/", "\\/")


def unquoted(text: str) -> str:
    """Return the text that JSON has in quotes; what is not, or not rightly, in quotes stays.

    As Flink does, it looks for a string at the beginning, and then takes all between the first and the last quote.

    >>> unquoted('"a"'), unquoted('"["a"]"'), unquoted('"a')
    ('a', '["a"]', '"a')
    """
    if len(text) < len('""') or not (text.startswith('"') and text.endswith('"')):
        return text
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
        return ESCAPED.sub(_plain_character, text[1:-1])
    except ValueError:
        return text


ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)


def _plain_character(found: re.Match[str]) -> str:
    return str(json.loads(f'"{found[0]}"'))


scalar("JSON_QUOTE", bind=takes(TEXT, a_text))(row_by_row(quoted))
scalar("JSON_UNQUOTE", bind=takes(TEXT, a_text))(row_by_row(unquoted))
