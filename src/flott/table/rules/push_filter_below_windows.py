"""Leaves rows out before they are put into windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import conjunction, conjuncts
from flott.table.plan.nodes import SESSION, Filter, WindowTable

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node


def push_filter_below_windows(node: Node) -> Node:
    """Put conditions that do not look at windows below the window table function.

    Which rows there are decides where a session ends: only whole partitions of sessions can be left out before.
    """
    if not isinstance(node, Filter) or not isinstance(node.input, WindowTable):
        return node
    table = node.input
    width = len(table.input.fields)
    parts = conjuncts(node.condition)
    free = set(range(width)) if table.windows.kind != SESSION else set(table.partition)
    down = [part for part in parts if part.inputs() <= free]
    if not down:
        return node
    condition = conjunction(down)
    if condition is None:
        return node
    below = table.with_inputs(Filter(table.input.fields, table.input, condition))
    rest = conjunction([part for part in parts if part not in down])
    return below if rest is None else Filter(node.fields, below, rest)
