"""Joins by key also where an equality compares expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Call, Expr, InputRef, conjunction, conjuncts, shifted
from flott.table.plan.nodes import Join, Node, project

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns_for_join_keys(node: Node) -> Node:
    """Compute both sides of ``f(left) = g(right)`` below the join, so that rows can be spread by them."""
    if not isinstance(node, Join) or node.condition is None:
        return node
    width = len(node.left.fields)
    lefts: list[Expr] = []
    rights: list[Expr] = []
    parts: list[tuple[Expr, tuple[Expr, Expr] | None]] = []
    for part in conjuncts(node.condition):
        sides = _sides(part, width)
        parts.append((part, sides))
        if sides is not None:
            for side, own in zip(sides, (lefts, rights), strict=True):
                if not isinstance(side, InputRef) and side not in own:
                    own.append(side)
    if not lefts and not rights:
        return node
    left = _with_columns(node.left, lefts)
    right = _with_columns(node.right, [shifted(expr, -width) for expr in rights])
    wide = len(left.fields)
    moves = {index: index if index < width else index + wide - width for index in range(width + len(node.right.fields))}

    def place(expr: Expr) -> Expr:
        if expr in lefts:
            return InputRef(expr.type, width + lefts.index(expr))
        if expr in rights:
            return InputRef(expr.type, wide + len(node.right.fields) + rights.index(expr))
        return shifted(expr, moves)

    conditions = [
        shifted(part, moves) if sides is None else Call(part.type, part.function, (place(sides[0]), place(sides[1])))  # type: ignore[attr-defined]
        for part, sides in parts
    ]
    half = node.kind in {"SEMI", "ANTI"}
    kept = [*range(width), *(() if half else (moves[index] for index in range(width, len(moves))))]
    fields = [field.plain() for field in (*left.fields, *(() if half else right.fields))]
    for index, field in zip(kept, node.fields, strict=True):
        fields[index] = field
    joined = Join(tuple(fields), left, right, node.kind, conjunction(conditions), node.ttls)
    refs: list[Expr] = [InputRef(joined.fields[index].type, index) for index in kept]
    return project(joined, refs, [field.name for field in node.fields])


def _sides(part: Expr, width: int) -> tuple[Expr, Expr] | None:
    """Return what an equality compares: of the left, and of the right; None for every other condition."""
    if not isinstance(part, Call) or part.function not in {"=", "IS NOT DISTINCT FROM"}:
        return None
    one, other = part.args
    if one.inputs() and min(one.inputs()) >= width:
        one, other = other, one
    if not one.inputs() or not other.inputs() or max(one.inputs()) >= width or min(other.inputs()) < width:
        return None
    return (one, other) if one.type.same_as(other.type) else None


def _with_columns(node: Node, exprs: Sequence[Expr]) -> Node:
    if not exprs:
        return node
    names = [field.name for field in node.fields] + [f"$key{number}" for number in range(len(exprs))]
    return project(node, [*node.refs(), *exprs], names)
