"""Keeps the first rows instead of numbering all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Call, Expr, InputRef, Literal, conjunction, conjuncts, substituted
from flott.table.plan.nodes import Filter, Project, Rank, RowNumber
from flott.table.plan.window_columns import window_end

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def rank_from_row_number(node: Node) -> Node:
    """Make a Rank of ``WHERE rn <= 10`` over ``ROW_NUMBER() OVER (…) AS rn``."""
    if not isinstance(node, Filter):
        return node
    below = node.input
    exprs = below.exprs if isinstance(below, Project) else None
    numbered = below.input if isinstance(below, Project) else below
    if not isinstance(numbered, RowNumber):
        return node
    place = len(numbered.fields) - 1
    first, last, rest = 0, None, []
    for part in conjuncts(node.condition):
        bound = _bound(part if exprs is None else substituted(part, exprs), place)
        if bound is None:
            rest.append(part)
        else:
            low, high = bound
            first = max(first, low)
            last = high if last is None or (high is not None and high < last) else last
    if last is None:
        return node
    number = exprs is None or any(place in expr.inputs() for expr in exprs)
    if number and exprs is not None and last - first == 1 and not _uses(rest, exprs, place):
        # The number of the only row is known.
        exprs = tuple(_constant(expr, place, last) for expr in exprs)
        number = False
    windowed = window_end(numbered.input.fields, numbered.partition) is not None
    kept = tuple(field if windowed and field.windows else field.plain() for field in numbered.input.fields)
    fields = (*kept, numbered.fields[-1]) if number else kept
    rank: Node = Rank(fields, numbered.input, numbered.partition, numbered.order, max(last, first), first, number)
    if exprs is not None:
        columns = tuple(field if windowed and field.windows else field.plain() for field in below.fields)
        rank = Project(columns, rank, exprs)
    condition = conjunction(rest)
    return rank if condition is None else Filter(rank.fields, rank, condition)


def _uses(parts: list[Expr], exprs: tuple[Expr, ...], place: int) -> bool:
    return any(place in exprs[index].inputs() for part in parts for index in part.inputs())


def _constant(expr: Expr, place: int, value: int) -> Expr:
    def replaced(part: Expr) -> Expr | None:
        return Literal(part.type, value) if isinstance(part, InputRef) and part.index == place else None

    from flott.table.expr import rewritten

    return rewritten(expr, replaced)


def _bound(part: Expr, place: int) -> tuple[int, int | None] | None:
    """Return after how many rows and up to how many a condition on the number lets rows through."""
    if not isinstance(part, Call) or part.function not in TURNED:
        return None
    one, other = part.args
    operator = part.function
    if isinstance(one, Literal):
        one, other, operator = other, one, TURNED[operator]
    if not isinstance(one, InputRef) or one.index != place or not isinstance(other, Literal):
        return None
    value = int(other.value)
    return {
        "<": (0, value - 1), "<=": (0, value), "=": (value - 1, value), ">": (value, None), ">=": (value - 1, None),
    }[operator]  # fmt: skip
