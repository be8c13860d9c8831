"""Which columns are the bounds of windows of event time, and whether two tables have the same windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Call, InputRef, conjuncts
from flott.table.plan.nodes import WINDOW_END, WINDOW_START

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flott.table.expr import Expr
    from flott.table.plan.nodes import Field


def window_end(fields: Sequence[Field], among: Iterable[int]) -> int | None:
    """Return which of some columns is a window's end, if its start is among them too and it is of event time."""
    places = list(among)
    for end in places:
        windows = fields[end].windows
        if fields[end].role != WINDOW_END or windows is None or windows.processing:
            continue
        if any(fields[start].role == WINDOW_START and fields[start].windows == windows for start in places):
            return end
    return None


def joined_windows(
    left: Sequence[Field], right: Sequence[Field], pairs: Iterable[tuple[int, int]]
) -> tuple[int, int] | None:
    """Return the window's end on both sides, if columns that are equal say that both are in the same window."""
    same = [
        (one, other)
        for one, other in pairs
        if left[one].role == right[other].role and left[one].windows == right[other].windows
    ]
    end = window_end(left, [one for one, _ in same])
    return None if end is None else next(pair for pair in same if pair[0] == end)


def equal_columns(condition: Expr | None, width: int) -> list[tuple[int, int]]:
    """Return the columns of left and right that a condition says are equal."""
    found = []
    for part in [] if condition is None else conjuncts(condition):
        if isinstance(part, Call) and part.function == "=" and all(isinstance(arg, InputRef) for arg in part.args):
            first, second = sorted(arg.index for arg in part.args if isinstance(arg, InputRef))
            if first < width <= second:
                found.append((first, second - width))
    return found
