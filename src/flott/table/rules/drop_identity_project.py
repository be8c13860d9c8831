"""Leaves out projections that change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import InputRef
from flott.table.plan.nodes import Project

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node


def drop_identity_project(node: Node) -> Node:
    """Drop a projection below another node if it hands on all columns as they are, under the same names."""
    if not isinstance(node, Project) or len(node.exprs) != len(node.input.fields):
        return node
    same = all(isinstance(expr, InputRef) and expr.index == place for place, expr in enumerate(node.exprs))
    return node.input if same and node.fields == node.input.fields else node
