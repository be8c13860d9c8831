"""Rows, arrays and maps: their parts, and how they are put together."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call, Literal
from flott.table.functions.nested_values import comparable, is_nested
from flott.table.functions.registry import SignatureError, a_number, alike, cast_to, check_count, row_by_row, scalar
from flott.table.functions.result_types import common_type
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session


def _bind_field(name: str, args: list[Expr]) -> Call:
    kind, wanted = args[0].type, args[1].value  # type: ignore[attr-defined]
    if not isinstance(kind, t.RowType):
        raise SignatureError(f"{kind.nullable()!r} has no fields, so '.{wanted}' can't be taken from it")
    found = dict(zip(kind.field_names(), kind.field_types(), strict=True)).get(wanted)
    if found is None:
        raise SignatureError(f"{kind.nullable()!r} has no field '{wanted}'")
    return Call(found.nullable() if kind.is_nullable else found, name, tuple(args))


@scalar("FIELD", bind=_bind_field)
def _field(call: Call, args: list[Column], _: Session) -> Column:
    return pc.struct_field(args[0], args[1].as_py())


def _bind_item(name: str, args: list[Expr]) -> Call:
    kind = args[0].type
    if isinstance(kind, t.ArrayType) and a_number(args[1].type):
        return Call(kind.element_type.nullable(), name, tuple(args))
    if isinstance(kind, t.MapType):
        if common_type([kind.key_type, args[1].type]) is None:
            raise SignatureError(f"a key of {kind.nullable()!r} is {kind.key_type!r}, not {args[1].type.nullable()!r}")
        return Call(kind.value_type.nullable(), name, (args[0], cast_to(args[1], kind.key_type)))
    raise SignatureError(f"{kind.nullable()!r}[{args[1].type.nullable()!r}] makes no sense; give an array or a map")


@scalar("ITEM", bind=_bind_item)
def _item(call: Call, args: list[Column], session: Session) -> Column:
    """Return an element of an array, counted from 1, or a value of a map."""
    kind = call.args[0].type
    if isinstance(kind, t.MapType):
        if is_nested(kind.key_type):
            return row_by_row(partial(_of_key, kind=kind.key_type))(call, args, session)
        return row_by_row(lambda entries, key: dict(entries).get(key))(call, args, session)
    return row_by_row(lambda items, at: items[at - 1] if 0 < at <= len(items) else None)(call, args, session)


def _of_key(entries: list[tuple[Any, Any]], key: Any, kind: t.DataType) -> Any:
    wanted = comparable(key, kind)
    return next((value for own, value in entries if comparable(own, kind) == wanted), None)


def _bind_size(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 1)
    if not isinstance(args[0].type, (t.ArrayType, t.MapType)):
        raise SignatureError(f"CARDINALITY takes an array or a map, not {args[0].type.nullable()!r}")
    return Call(DataTypes.INT().nullable(), name, tuple(args))


scalar("CARDINALITY", bind=_bind_size)(row_by_row(len))


def _bind_array(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1)
    same = alike("ARRAY", args)
    return Call(DataTypes.ARRAY(same[0].type).not_null(), name, tuple(same))


@scalar("ARRAY", bind=_bind_array)
def _array(call: Call, args: list[Column], _: Session) -> Column:
    length = max((len(arg) for arg in args if not isinstance(arg, pa.Scalar)), default=1)
    columns = [[arg.as_py()] * length if isinstance(arg, pa.Scalar) else arg.to_pylist() for arg in args]
    made = pa.array([list(row) for row in zip(*columns, strict=True)], to_arrow_type(call.type))
    return made[0] if all(isinstance(arg, pa.Scalar) for arg in args) else made


def _bind_map(name: str, args: list[Expr]) -> Call:
    if not args or len(args) % 2:
        raise SignatureError("MAP takes keys and values by turns, as in MAP['a', 1, 'b', 2]")
    keys, values = alike("MAP", args[::2]), alike("MAP", args[1::2])
    if keys[0].type.same_as(DataTypes.NULL()):
        raise SignatureError("MAP: the keys are NULL; CAST them to a type")
    pairs = tuple(part for pair in zip(keys, values, strict=True) for part in pair)
    return Call(DataTypes.MAP(keys[0].type, values[0].type).not_null(), name, pairs)


@scalar("MAP", bind=_bind_map)
def _map(call: Call, args: list[Column], _: Session) -> Column:
    length = max((len(arg) for arg in args if not isinstance(arg, pa.Scalar)), default=1)
    columns = [[arg.as_py()] * length if isinstance(arg, pa.Scalar) else arg.to_pylist() for arg in args]
    kind = call.args[0].type
    rows = []
    for row in zip(*columns, strict=True):
        pairs = {comparable(key, kind): (key, value) for key, value in zip(row[::2], row[1::2], strict=True)}
        rows.append(list(pairs.values()))
    made = pa.array(rows, to_arrow_type(call.type))
    return made[0] if all(isinstance(arg, pa.Scalar) for arg in args) else made


def _bind_row(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1)
    fields = [DataTypes.FIELD(f"EXPR${position}", arg.type) for position, arg in enumerate(args)]
    return Call(DataTypes.ROW(fields).not_null(), name, tuple(args))


@scalar("ROW", bind=_bind_row)
def _row(call: Call, args: list[Column], _: Session) -> Column:
    names = call.type.field_names()  # type: ignore[attr-defined]
    if all(isinstance(arg, pa.Scalar) for arg in args):
        return pa.scalar({name: arg.as_py() for name, arg in zip(names, args, strict=True)}, to_arrow_type(call.type))
    length = max(len(arg) for arg in args if not isinstance(arg, pa.Scalar))
    columns = [pa.repeat(arg, length) if isinstance(arg, pa.Scalar) else arg for arg in args]
    return pa.StructArray.from_arrays(columns, names)


def field_of(row: Expr, name: str) -> tuple[str, list[Expr]]:
    """Return function and arguments that take a field of a row."""
    return "FIELD", [row, Literal(DataTypes.STRING().not_null(), name)]
