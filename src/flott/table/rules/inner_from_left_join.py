"""Keeps no rows without a partner, if a condition throws them away again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.table.expr import Call, Expr, InputRef, conjuncts
from flott.table.plan.nodes import Filter, Join

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node

STRICT = {"=", "<>", "<", "<=", ">", ">=", "LIKE", "+", "-", "*", "/", "%", "CAST"}
"""Functions that are NULL if one of their arguments is."""


def inner_from_left_join(node: Node) -> Node:
    """Make an inner join of a left join below a condition that can't be TRUE where the right side is NULL."""
    if not isinstance(node, Filter) or not isinstance(node.input, Join) or node.input.kind != "LEFT":
        return node
    join = node.input
    width = len(join.left.fields)
    if not any(_refuses_nulls(part, width) for part in conjuncts(node.condition)):
        return node
    pairs = zip(join.fields[width:], join.right.fields, strict=True)
    fields = (*join.fields[:width], *(replace(field, type=there.type) for field, there in pairs))
    return replace(node, fields=fields, input=replace(join, fields=fields, kind="INNER"))


def _refuses_nulls(expr: Expr, width: int) -> bool:
    if isinstance(expr, InputRef):
        return expr.index >= width
    return isinstance(expr, Call) and expr.function in STRICT and any(_refuses_nulls(arg, width) for arg in expr.args)
