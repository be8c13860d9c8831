"""What stands in JSON documents: JSON_VALUE, JSON_EXISTS, JSON_QUERY, and IS JSON."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.errors import FlottError
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call, Literal
from flott.table.functions.json_path import JsonPath, NotFoundError, parse_json, parse_path
from flott.table.functions.json_text import json_text
from flott.table.functions.registry import (
    SignatureError,
    a_text,
    cast_to,
    check_count,
    rows,
    scalar,
    takes,
)
from flott.table.sql.type_text import parse_type
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

RETURNED = (t.VarCharType, t.CharType, t.BooleanType, t.IntType, t.DoubleType)
TEXT = DataTypes.STRING()
WITHOUT, CONDITIONAL = "WITHOUT_ARRAY", "CONDITIONAL_ARRAY"


def _path(name: str, args: Sequence[Expr]) -> None:
    """Make sure that there are a document and a path."""
    document, path = args[0], args[1]
    if not a_text(document.type):
        raise SignatureError(f"{name}: the document is {document.type.nullable()!r}, wanted is a text")
    if not isinstance(path, Literal) or not isinstance(path.value, str):
        raise SignatureError(f"{name}: the path must stand in the query, as in {name}(data, '$.name')")
    parse_path(path.value)


def _options(name: str, args: list[Expr], *defaults: Any) -> list[Expr]:
    """Return all arguments, those that are left out as the defaults."""
    check_count(name, args, 2, 2 + len(defaults))
    _path(name, args)
    null = DataTypes.NULL()
    left_out = [Literal(TEXT if one is not None else null, one) for one in defaults[len(args) - 2 :]]
    return [*args, *left_out]


def _word(call: Call, place: int) -> str:
    return str(call.args[place].value)  # type: ignore[attr-defined]


def _found(text: str, path: JsonPath) -> Any:
    """Return what is at a path; what is no document, or has nothing at a strict path, is an error."""
    try:
        document = parse_json(text)
    except ValueError:
        raise FlottError(f"'{text:.100}' is no JSON") from None
    try:
        return path.find(document)
    except NotFoundError:
        raise FlottError(f"there is nothing at the path in '{text:.100}'") from None


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _column(call: Call, args: list[Column], values: list[Any]) -> Column:
    made = pa.array(values, to_arrow_type(call.type))
    return made[0] if all(isinstance(arg, pa.Scalar) for arg in args) else made


# ---------------------------------------------------------------------------- JSON_VALUE


def _bind_value(name: str, args: list[Expr]) -> Call:
    document, path, returned, on_empty, empty, on_error, error = _options(
        name, args, "STRING", "NULL", None, "NULL", None
    )
    kind = parse_type(str(returned.value)).nullable()  # type: ignore[attr-defined]
    if not isinstance(kind, RETURNED):
        raise SignatureError(f"{name} can return STRING, BOOLEAN, INT and DOUBLE, not {kind!r}; CAST its result")
    given = (document, path, on_empty, cast_to(empty, kind), on_error, cast_to(error, kind))
    return Call(kind, name, given)


def _as(kind: t.DataType) -> Callable[[Any], Any]:
    """Return how a scalar of a document becomes a value of a type; what is of another kind is a ValueError."""
    if isinstance(kind, t.BooleanType):
        return lambda value: _checked(value, bool)
    if isinstance(kind, t.IntType):
        return lambda value: _checked(value, int)
    if isinstance(kind, t.DoubleType):
        return lambda value: float(_checked(value, int, Decimal))
    return scalar_text


def _checked(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds or (isinstance(value, int) and not -(2**31) <= value < 2**31):
        raise ValueError
    return value


def scalar_text(value: Any) -> str:
    """Return a scalar of a document as text.

    >>> scalar_text(True), scalar_text(Decimal("1.0")), scalar_text("a")
    ('true', '1.0', 'a')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


@scalar("JSON_VALUE", bind=_bind_value)
def _value(call: Call, args: list[Column], _: Session) -> Column:
    path, on_empty, on_error = parse_path(_word(call, 1)), _word(call, 2), _word(call, 4)
    converted = _as(call.type)

    def instead(behaviour: str, default: Any, problem: str) -> Any:
        if behaviour == "ERROR":
            raise FlottError(f"JSON_VALUE with {_word(call, 1)!r}: {problem}")
        return default if behaviour == "DEFAULT" else None

    def one(text: str, empty: Any, error: Any) -> Any:
        try:
            value = _found(text, path)
        except FlottError as problem:
            return instead(on_error, error, str(problem))
        if value is None or not _is_scalar(value):
            behaviour, default = (on_error, error) if path.strict else (on_empty, empty)
            return instead(behaviour, default, f"there is no single value at the path in '{text:.100}'")
        try:
            return converted(value)
        except ValueError:
            return instead(on_error, error, f"{value!r:.100} is no {call.type!r}")

    given = rows([args[0], args[3], args[5]], nulls=True)
    return _column(call, args, [None if row is None or row[0] is None else one(*row) for row in given])


# ---------------------------------------------------------------------------- JSON_EXISTS


def _bind_exists(name: str, args: list[Expr]) -> Call:
    document, path, on_error = _options(name, args, "FALSE")
    return Call(DataTypes.BOOLEAN(), name, (document, path, on_error))


@scalar("JSON_EXISTS", bind=_bind_exists)
def _exists(call: Call, args: list[Column], _: Session) -> Column:
    path, on_error = parse_path(_word(call, 1)), _word(call, 2)
    otherwise = {"TRUE": True, "FALSE": False}.get(on_error)

    def one(text: str) -> bool | None:
        try:
            return _found(text, path) is not None
        except FlottError:
            if on_error == "ERROR":
                raise
            return otherwise

    return _column(call, args, [None if row is None else one(*row) for row in rows(args[:1])])


# ---------------------------------------------------------------------------- JSON_QUERY


def _bind_query(name: str, args: list[Expr]) -> Call:
    return Call(TEXT, name, tuple(_options(name, args, WITHOUT, "NULL", "NULL")))


@scalar("JSON_QUERY", bind=_bind_query)
def _query(call: Call, args: list[Column], _: Session) -> Column:
    path, wrapper, on_empty, on_error = parse_path(_word(call, 1)), *(_word(call, place) for place in (2, 3, 4))

    def instead(behaviour: str, problem: str) -> str | None:
        if behaviour == "ERROR":
            raise FlottError(f"JSON_QUERY with {_word(call, 1)!r}: {problem}")
        return {"EMPTY_ARRAY": "[]", "EMPTY_OBJECT": "{}"}.get(behaviour)

    def one(text: str) -> str | None:
        try:
            value = _found(text, path)
        except FlottError as problem:
            return instead(on_error, str(problem))
        if value is not None and wrapper != WITHOUT and not (wrapper == CONDITIONAL and isinstance(value, list)):
            value = [value]
        if value is None or (not path.strict and _is_scalar(value)):
            return instead(on_empty, f"there is no array or object at the path in '{text:.100}'")
        if _is_scalar(value):
            return instead(on_error, f"at the path in '{text:.100}' is a single value")
        return json_text(value)

    return _column(call, args, [None if row is None else one(*row) for row in rows(args[:1])])


# ---------------------------------------------------------------------------- IS JSON


ANY = (dict, list, str, int, Decimal, bool, type(None))
SHAPES = {"VALUE": ANY, "SCALAR": ANY[2:], "ARRAY": (list,), "OBJECT": (dict,)}


def _bind_is_json(name: str, args: list[Expr]) -> Call:
    return replace(takes(DataTypes.BOOLEAN(), a_text)(name, args), type=DataTypes.BOOLEAN().not_null())


@scalar(*(f"IS JSON {shape}" for shape in SHAPES), bind=_bind_is_json)
def _is_json(call: Call, args: list[Column], _: Session) -> Column:
    """Say whether texts are JSON of a kind; NULL is none."""
    kinds = SHAPES[call.function.rpartition(" ")[2]]

    def check(text: str | None) -> bool:
        try:
            return text is not None and isinstance(parse_json(text), kinds)
        except ValueError:
            return False

    return _column(call, args, [check(*row) for row in rows(args, nulls=True) if row is not None])
