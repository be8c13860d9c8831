"""The columns that a join has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.table.expr import conjunction, conjuncts
from flott.table.plan.interval import interval_bounds
from flott.table.plan.nodes import Join
from flott.table.plan.window_columns import equal_columns, joined_windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.expr import Expr
    from flott.table.plan.nodes import Field, Node


def join_node(left: Node, right: Node, kind: str, condition: Expr | None) -> Join:
    """Return a join with its columns: those of a side that may be missing can be NULL, and time becomes plain.

    A join of the same windows tells its rows when a window is over, so that what windows have stays with them. A join
    of event times that are close to each other keeps both of them.
    """
    pairs = equal_columns(condition, len(left.fields))
    windows = joined_windows(left.fields, right.fields, pairs) is not None
    bounds = None if condition is None else interval_bounds(conjuncts(condition), left.fields, right.fields)
    if kind in {"SEMI", "ANTI"}:
        return Join(tuple(_columns(left, None, windows=windows, missing=False)), left, right, kind, condition)
    one, other = (None, None) if bounds is None or windows else (bounds[0][0], bounds[1][0])
    lefts = _columns(left, one, windows=windows, missing=kind in {"RIGHT", "FULL"})
    rights = _columns(right, other, windows=windows, missing=kind in {"LEFT", "FULL"})
    return Join((*lefts, *rights), left, right, kind, condition)


def _columns(side: Node, time: int | None, *, windows: bool, missing: bool) -> list[Field]:
    """Return the columns of a side: of windows with what windows have, if rows are not missing; ``time`` stays time."""
    found = []
    for place, field in enumerate(side.fields):
        kept = field if place == time or (windows and field.windows and not missing) else field.plain()
        found.append(replace(kept, type=field.type.nullable()) if missing else kept)
    return found


def with_conditions(node: Node, conditions: Sequence[Expr]) -> Node | None:
    """Return an inner join that also has the conditions of WHERE, if they make it one of event times; else None."""
    if not isinstance(node, Join) or node.kind != "INNER" or not conditions:
        return None
    parts = [*([] if node.condition is None else [node.condition]), *conditions]
    made = join_node(node.left, node.right, node.kind, conjunction(parts))
    same_time = [field.is_rowtime for field in made.fields] == [field.is_rowtime for field in node.fields]
    return None if same_time else replace(made, ttls=node.ttls)
