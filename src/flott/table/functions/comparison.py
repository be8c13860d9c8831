"""Comparisons and the logic of TRUE, FALSE and unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.table import types as t
from flott.table.expr import Call
from flott.table.functions.nested_values import equal_values, is_nested
from flott.table.functions.registry import SignatureError, alike, check_count, row_by_row, scalar, takes, with_nulls
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.expr import Expr
    from flott.table.functions.registry import Column, Session

BOOLEAN = DataTypes.BOOLEAN()


def a_condition(kind: t.DataType) -> bool:
    """Say whether it is TRUE or FALSE."""
    return isinstance(kind, (t.BooleanType, t.NullType))


def _bind_comparison(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 2, 2)
    same = alike(name, args)
    if name in ORDERED:
        _refuse_order(name, same)
    return Call(with_nulls(BOOLEAN, args), name, tuple(same))


ORDERED = {"<", "<=", ">", ">="}


def _refuse_order(name: str, args: Sequence[Expr]) -> None:
    if is_nested(args[0].type):
        raise SignatureError(f"{name}: values of {args[0].type.nullable()!r} have no order; compare their parts")


@scalar("=", bind=_bind_comparison)
def _equals(call: Call, args: list[Column], session: Session) -> Column:
    kind = call.args[0].type
    return equal_values(kind, args, session) if is_nested(kind) else pc.equal(*args)


@scalar("<>", bind=_bind_comparison)
def _differs(call: Call, args: list[Column], session: Session) -> Column:
    return pc.invert(_equals(call, args, session))


def _comparison(name: str, function: Any) -> None:
    scalar(name, bind=_bind_comparison)(lambda call, args, _: function(*args))


_comparison("<", pc.less)
_comparison("<=", pc.less_equal)
_comparison(">", pc.greater)
_comparison(">=", pc.greater_equal)


def _bind_distinct(name: str, args: list[Expr]) -> Call:
    return Call(BOOLEAN.not_null(), name, _bind_comparison(name, args).args)


@scalar("IS NOT DISTINCT FROM", bind=_bind_distinct)
def _same(call: Call, args: list[Column], session: Session) -> Column:
    both = pc.and_(pc.is_null(args[0]), pc.is_null(args[1]))
    return pc.or_(pc.fill_null(_equals(call, args, session), fill_value=False), both)


_logic = takes(BOOLEAN, a_condition, a_condition)


@scalar("AND", bind=_logic)
def _and(call: Call, args: list[Column], _: Session) -> Column:
    return pc.and_kleene(*(_boolean(arg) for arg in args))


@scalar("OR", bind=_logic)
def _or(call: Call, args: list[Column], _: Session) -> Column:
    return pc.or_kleene(*(_boolean(arg) for arg in args))


@scalar("NOT", bind=takes(BOOLEAN, a_condition))
def _not(call: Call, args: list[Column], _: Session) -> Column:
    return pc.invert(_boolean(args[0]))


def _boolean(arg: Column) -> Column:
    return arg.cast(pa.bool_()) if pa.types.is_null(arg.type) else arg


def _bind_null_test(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 1)
    return Call(BOOLEAN.not_null(), name, tuple(args))


@scalar("IS NULL", bind=_bind_null_test)
def _is_null(call: Call, args: list[Column], _: Session) -> Column:
    return pc.is_null(args[0])


def _bind_truth(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1, 1)
    if not a_condition(args[0].type):
        raise SignatureError(f"{name} takes a condition, not {args[0].type.nullable()!r}")
    return Call(BOOLEAN.not_null(), name, tuple(args))


@scalar("IS TRUE", bind=_bind_truth)
def _is_true(call: Call, args: list[Column], _: Session) -> Column:
    return pc.fill_null(_boolean(args[0]), fill_value=False)


@scalar("IS FALSE", bind=_bind_truth)
def _is_false(call: Call, args: list[Column], _: Session) -> Column:
    return pc.fill_null(pc.invert(_boolean(args[0])), fill_value=False)


def _bind_in(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 2)
    return Call(with_nulls(BOOLEAN, args), name, tuple(alike(name, args)))


@scalar("IN", bind=_bind_in)
def _in(call: Call, args: list[Column], session: Session) -> Column:
    """Say whether the first is among the others; unknown if it is not and one of them is NULL."""
    whole = _equals(call, args[:2], session)
    for other in args[2:]:
        whole = pc.or_kleene(whole, _equals(call, [args[0], other], session))
    return whole


def _bind_extreme(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1)
    same = alike(name, args)
    _refuse_order(name, same)
    return Call(with_nulls(same[0].type, args), name, tuple(same))


@scalar("GREATEST", bind=_bind_extreme)
def _greatest(call: Call, args: list[Column], session: Session) -> Column:
    return row_by_row(lambda *values: max(values))(call, args, session)


@scalar("LEAST", bind=_bind_extreme)
def _least(call: Call, args: list[Column], session: Session) -> Column:
    return row_by_row(lambda *values: min(values))(call, args, session)
