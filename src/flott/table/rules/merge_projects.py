"""Computes columns in one step instead of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Expr, InputRef, substituted
from flott.table.functions.registry import is_changing
from flott.table.plan.nodes import Project

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node


def merge_projects(node: Node) -> Node:
    """Put a projection over another into one, unless something costly would be computed twice."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    inner = node.input
    uses = [part.index for expr in node.exprs for part in expr.walk() if isinstance(part, InputRef)]
    for position, expr in enumerate(inner.exprs):
        if uses.count(position) > 1 and not _cheap(expr):
            return node
        if uses.count(position) != 1 and is_changing(expr):
            return node
    return Project(node.fields, inner.input, tuple(substituted(expr, inner.exprs) for expr in node.exprs))


def _cheap(expr: Expr) -> bool:
    return not expr.children()
