"""Leaves rows out before columns are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import UserCall, substituted
from flott.table.functions.registry import functions
from flott.table.plan.nodes import Filter, Project, RowNumber

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.plan.nodes import Node


def push_filter_through_project(node: Node) -> Node:
    """Put a filter below a projection, if what it looks at is cheap to compute again."""
    if not isinstance(node, Filter) or not isinstance(node.input, Project):
        return node
    inner = node.input
    if isinstance(inner.input, RowNumber):
        return node  # rank_from_row_number wants them as they are
    if any(_must_stay(inner.exprs[index]) for index in node.condition.inputs()):
        return node
    moved = Filter(inner.input.fields, inner.input, substituted(node.condition, inner.exprs))
    return Project(inner.fields, moved, inner.exprs)


def _must_stay(expr: Expr) -> bool:
    known = functions()
    return any(
        isinstance(part, UserCall) or known[part.function].changing for part in expr.walk() if hasattr(part, "function")
    )
