"""CASE and its relatives. All are written as CASE, which looks at a branch only where its condition holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Call, Literal
from flott.table.functions.comparison import a_condition
from flott.table.functions.registry import SignatureError, alike, cast_to, check_count, functions, scalar
from flott.table.types import DataTypes, DateType, NullType, TimestampType

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

BOOLEAN = DataTypes.BOOLEAN().not_null()


def _bind_case(name: str, args: list[Expr]) -> Call:
    """Take conditions and values in turn, and the value where none holds."""
    conditions, values = args[:-1:2], [*args[1::2], args[-1]]
    for condition in conditions:
        if not a_condition(condition.type):
            raise SignatureError(f"CASE: a condition is TRUE or FALSE, not {condition.type.nullable()!r}")
    conditions = [cast_to(one, BOOLEAN.nullable()) if isinstance(one.type, NullType) else one for one in conditions]
    same = alike("CASE", values)
    nullable = any(value.type.is_nullable for value in same)
    kind = same[0].type.nullable() if nullable else same[0].type.not_null()
    parts = [part for pair in zip(conditions, same[:-1], strict=True) for part in pair]
    return Call(kind, "CASE", (*parts, same[-1]))


def _only_lazily(call: Call, args: list[Column], session: Session) -> Column:
    raise AssertionError  # compile.py looks at the branches of CASE itself


scalar("CASE", bind=_bind_case)(_only_lazily)


def _bind_if(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 3, 3)
    return _bind_case("CASE", args)


def _bind_coalesce(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1)
    timed = (DateType, TimestampType)
    if any(isinstance(arg.type, DateType) for arg in args) and all(isinstance(arg.type, timed) for arg in args):
        args = [cast_to(arg, DataTypes.DATE()) for arg in args]  # as in Flink, where the time of day is dropped
    parts: list[Expr] = []
    for arg in args[:-1]:
        present = Call(BOOLEAN, "NOT", (Call(BOOLEAN, "IS NULL", (arg,)),))
        parts += [present, arg]
    made = _bind_case("CASE", [*parts, args[-1]])
    return Call(made.type if args[-1].type.is_nullable else made.type.not_null(), "CASE", made.args)


def _bind_nullif(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 2, 2)
    equal = functions()["="].bind("NULLIF", list(args))
    return _bind_case("CASE", [Call(equal.type, "=", equal.args), Literal(args[0].type.nullable(), None), args[0]])


def _bind_ifnull(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 2, 2)
    return _bind_coalesce("COALESCE", args)


scalar("IF", bind=_bind_if)(_only_lazily)
scalar("COALESCE", bind=_bind_coalesce)(_only_lazily)
scalar("NULLIF", bind=_bind_nullif)(_only_lazily)
scalar("IFNULL", bind=_bind_ifnull)(_only_lazily)
