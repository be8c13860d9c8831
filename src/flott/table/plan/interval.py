"""Joins of event times that are close to each other: how close their condition says that they are."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, TypeAlias

from flott.table.expr import Call, InputRef, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flott.table.expr import Expr
    from flott.table.plan.nodes import Field

    Fields: TypeAlias = Sequence[Field]
    Bounds: TypeAlias = tuple[tuple[int, int], tuple[int, int]]


def interval_bounds(parts: Iterable[Expr], left: Fields, right: Fields) -> Bounds | None:
    """Return how long the rows of each side can still find partners, if the condition bounds their times.

    Of ``l.t BETWEEN r.t - a AND r.t + b``: a row of the left until the right has passed its time by ``a``, one of
    the right until the left has passed its time by ``b``. Each is given with its column of event time.
    """
    most: dict[tuple[int, int, int], int] = {}
    for part in parts:
        for one, other, sign, limit in _differences(part, left, right):
            key = (one, other, sign)
            most[key] = min(limit, most.get(key, limit))
    for one, other, _ in list(most):
        upper, lower = most.get((one, other, 1)), most.get((one, other, -1))
        if upper is not None and lower is not None:
            return (one, max(0, lower)), (other, max(0, upper))
    return None


def _differences(part: Expr, left: Fields, right: Fields) -> Iterator[tuple[int, int, int, int]]:
    """Read ``l.t - r.t <= most`` (sign 1) or ``r.t - l.t <= most`` (sign -1) from a comparison of event times."""
    if not isinstance(part, Call) or part.function not in {"<", "<=", ">", ">=", "="}:
        return
    one, other = (_moved_time(arg) for arg in part.args)
    if one is None or other is None:
        return
    width, fields = len(left), (*left, *right)
    ordered = {">": [(other, one)], ">=": [(other, one)], "=": [(one, other), (other, one)]}
    # What is smaller, with what is added to it, and what is larger.
    for (small, plus), (large, more) in ordered.get(part.function, [(one, other)]):
        if not (fields[small].is_rowtime and fields[large].is_rowtime):
            return
        if small < width <= large:
            yield small, large - width, 1, more - plus
        elif large < width <= small:
            yield large, small - width, -1, more - plus


def _moved_time(expr: Expr) -> tuple[int, int] | None:
    """Return a column of times and the milliseconds that are added to it."""
    if isinstance(expr, InputRef):
        return expr.index, 0
    if isinstance(expr, Call) and expr.function == "CAST":
        return _moved_time(expr.args[0])
    if isinstance(expr, Call) and expr.function in {"TIME+", "TIME-"} and isinstance(expr.args[1], Literal):
        inner, span = _moved_time(expr.args[0]), expr.args[1].value
        if inner is not None and isinstance(span, dt.timedelta):
            moved = span // dt.timedelta(milliseconds=1)
            return inner[0], inner[1] + (moved if expr.function == "TIME+" else -moved)
    return None
