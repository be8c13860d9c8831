"""Computes once what is the same for every row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.errors import FlottError
from flott.table.compile import ArrowCompiler, column_of
from flott.table.expr import Call, Expr, Literal, rewritten
from flott.table.functions.registry import Session, functions
from flott.table.plan.nodes import Filter, Join, Node, Project
from flott.table.types import BooleanType, CharType, DecimalType, DoubleType, IntegralType, VarCharType

if TYPE_CHECKING:
    from flott.table.types import DataType

FOLDED = (BooleanType, CharType, DecimalType, DoubleType, IntegralType, VarCharType)


def fold_constants(node: Node) -> Node:
    """Replace calls whose arguments are constants by their results.

    >>> from flott.table.types import DataTypes
    >>> str(folded(Call(DataTypes.BIGINT(), "CAST", (Literal(DataTypes.INT(), 3),))))
    '3'
    """
    if isinstance(node, Project):
        exprs = tuple(folded(expr) for expr in node.exprs)
        return node if exprs == node.exprs else replace(node, exprs=exprs)
    if isinstance(node, Filter):
        condition = folded(node.condition)
        return node if condition == node.condition else replace(node, condition=condition)
    if isinstance(node, Join) and node.condition is not None:
        condition = folded(node.condition)
        return node if condition == node.condition else replace(node, condition=condition)
    return node


def folded(expr: Expr) -> Expr:
    """Return an expression without calls of constants."""
    return rewritten(expr, _fold)


def _fold(expr: Expr) -> Expr | None:
    if not isinstance(expr, Call) or not _foldable(expr.type):
        return None
    args = [folded(arg) for arg in expr.args]
    constant = all(isinstance(arg, Literal) and _foldable(arg.type) for arg in args)
    if not constant or not args or functions()[expr.function].changing:
        return None if list(expr.args) == args else replace(expr, args=tuple(args))
    try:
        compiled = ArrowCompiler().compile(replace(expr, args=tuple(args)))
        return Literal(expr.type, column_of(compiled([], 1, Session()), 1)[0].as_py())
    except FlottError:
        return None  # It fails when, and only if, a row needs it.


def _foldable(kind: DataType) -> bool:
    return isinstance(kind, FOLDED)
