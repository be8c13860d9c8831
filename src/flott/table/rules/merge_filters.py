"""Looks at conditions that stand one over the other together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Call
from flott.table.plan.nodes import Filter

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node


def merge_filters(node: Node) -> Node:
    """Put a filter over another into one."""
    if not isinstance(node, Filter) or not isinstance(node.input, Filter):
        return node
    inner = node.input
    both = Call(inner.condition.type, "AND", (inner.condition, node.condition))
    return Filter(node.fields, inner.input, both)
