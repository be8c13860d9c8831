"""Applies the rules until none of them changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.rules.columns_for_join_keys import columns_for_join_keys
from flott.table.rules.drop_identity_project import drop_identity_project
from flott.table.rules.fold_constants import fold_constants
from flott.table.rules.inner_from_left_join import inner_from_left_join
from flott.table.rules.merge_filters import merge_filters
from flott.table.rules.merge_projects import merge_projects
from flott.table.rules.prune_columns import prune_columns
from flott.table.rules.push_filter_below_windows import push_filter_below_windows
from flott.table.rules.push_filter_into_join import push_filter_into_join
from flott.table.rules.push_filter_through_project import push_filter_through_project
from flott.table.rules.rank_from_row_number import rank_from_row_number
from flott.table.rules.share_equal_parts import SharedParts
from flott.table.rules.split_distinct import split_distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.table.plan.nodes import Node

RULES: tuple[Callable[[Node], Node], ...] = (
    fold_constants, rank_from_row_number, merge_filters, push_filter_through_project, inner_from_left_join,
    push_filter_into_join, columns_for_join_keys, push_filter_below_windows, merge_projects, drop_identity_project,
)  # fmt: skip
MANY = 100


def optimise(*roots: Node, splits_distinct: bool = False) -> list[Node]:
    """Return plans with the same results that do less; equal parts of them are one object, and run once."""
    if splits_distinct:
        roots = tuple(_everywhere(root, split_distinct) for root in roots)
    pruned = prune_columns(_shared(_simplified(root) for root in roots))
    return _shared(_simplified(root) for root in pruned)


def _shared(roots: Iterable[Node]) -> list[Node]:
    parts = SharedParts()
    return [parts.share(root) for root in roots]


def _everywhere(node: Node, rule: Callable[[Node], Node]) -> Node:
    """Apply a rule once to each part of a plan, from below."""
    inputs = tuple(_everywhere(one, rule) for one in node.inputs)
    return rule(node.with_inputs(*inputs) if inputs else node)


def _simplified(node: Node) -> Node:
    for _ in range(MANY):
        changed = _once(node)
        if changed == node:
            return node
        node = changed
    return node


def _once(node: Node) -> Node:
    for rule in RULES:
        node = rule(node)
    inputs = tuple(_once(one) for one in node.inputs)
    if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
        node = node.with_inputs(*inputs)
    return node
