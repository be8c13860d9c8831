"""The columns that a join has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.plan.nodes import Field, Join
from flott.table.plan.window_columns import equal_columns, joined_windows

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.plan.nodes import Node


def join_node(left: Node, right: Node, kind: str, condition: Expr | None) -> Join:
    """Return a join with its columns: those of a side that may be missing can be NULL, and time becomes plain.

    A join of the same windows tells its rows when a window is over, so that what windows have stays with them.
    """
    pairs = equal_columns(condition, len(left.fields))
    windows = joined_windows(left.fields, right.fields, pairs) is not None
    lefts = [field if windows and field.windows else field.plain() for field in left.fields]
    rights = [field if windows and field.windows else field.plain() for field in right.fields]
    if kind in {"SEMI", "ANTI"}:
        return Join(tuple(lefts), left, right, kind, condition)
    if kind in {"LEFT", "FULL"}:
        rights = [Field(field.name, field.type.nullable()) for field in rights]
    if kind in {"RIGHT", "FULL"}:
        lefts = [Field(field.name, field.type.nullable()) for field in lefts]
    return Join((*lefts, *rights), left, right, kind, condition)
