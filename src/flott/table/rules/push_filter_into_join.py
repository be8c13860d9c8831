"""Leaves rows out before they are joined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.table.expr import conjunction, conjuncts, shifted
from flott.table.plan.nodes import Filter, Join

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.plan.nodes import Node

LEFT_SAFE = {"INNER", "LEFT", "SEMI", "ANTI"}
RIGHT_SAFE = {"INNER", "RIGHT"}


def push_filter_into_join(node: Node) -> Node:
    """Put conditions on one side below the join, and of an inner join also those in ON.

    Below the side that gets NULLs in an outer join nothing is pushed: it would let rows through that have to go.
    """
    if isinstance(node, Join):
        return _from_condition(node)
    if not isinstance(node, Filter) or not isinstance(node.input, Join):
        return node
    join = node.input
    width = len(join.left.fields)
    left, right, rest = _split(conjuncts(node.condition), width)
    if join.kind not in LEFT_SAFE:
        rest, left = [*rest, *left], []
    if join.kind not in RIGHT_SAFE:
        rest, right = [*rest, *right], []
    if join.kind == "INNER" and rest:
        parts = [*([] if join.condition is None else [join.condition]), *rest]
        join, rest = replace(join, condition=conjunction(parts)), []
    elif not left and not right:
        return node
    made = _below(join, left, right, width)
    condition = conjunction(rest)
    return made if condition is None else Filter(node.fields, made, condition)


def _from_condition(join: Join) -> Node:
    if join.condition is None or join.kind not in {"INNER", "SEMI"}:
        return join
    width = len(join.left.fields)
    left, right, rest = _split(conjuncts(join.condition), width)
    if not left and not right:
        return join
    return _below(replace(join, condition=conjunction(rest)), left, right, width)


def _split(parts: list[Expr], width: int) -> tuple[list[Expr], list[Expr], list[Expr]]:
    left: list[Expr] = []
    right: list[Expr] = []
    rest: list[Expr] = []
    for part in parts:
        used = part.inputs()
        one_side = left if used and max(used) < width else right if used and min(used) >= width else rest
        one_side.append(part)
    return left, right, rest


def _below(join: Join, left: list[Expr], right: list[Expr], width: int) -> Join:
    lefts, rights = conjunction(left), conjunction([shifted(part, -width) for part in right])
    one = join.left if lefts is None else Filter(join.left.fields, join.left, lefts)
    other = join.right if rights is None else Filter(join.right.fields, join.right, rights)
    return replace(join, left=one, right=other)
