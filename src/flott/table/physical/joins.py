"""Joins: which columns are keys, what else must hold, and how long rows are kept."""

from __future__ import annotations

import datetime as dt
from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.expr import Call, Expr, InputRef, Literal, conjunction, conjuncts
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.plan.window_columns import joined_windows
from flott.table.runtime.append_join import AppendJoin
from flott.table.runtime.join import Join, JoinPlan
from flott.table.runtime.window_join import WindowJoin, WindowJoinPlan

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import nodes as n

KINDS = ("INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI")


def translate_join(node: n.Join, translator: Translator) -> Step:
    """Return the step of a join."""
    if node.kind not in KINDS:
        raise NotYetError(f"{node.kind} JOIN can't be run yet")
    left, right = translator.translate(node.left), translator.translate(node.right)
    for side in (left, right):
        refuse_nested(side.fields, "a join")
    width = len(node.left.fields)
    pairs: list[tuple[int, int, bool]] = []
    rest: list[Expr] = []
    for part in [] if node.condition is None else conjuncts(node.condition):
        pair = _equality(part, width)
        if pair is None:
            rest.append(part)
        else:
            pairs.append(pair)
    both_append = left.append_only and right.append_only
    append_only = both_append and node.kind in {"INNER", "SEMI"}
    keys = (tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))
    ends = joined_windows(node.left.fields, node.right.fields, zip(*keys, strict=True)) if both_append else None
    append_only = append_only or ends is not None
    bounds = interval_bounds(rest, node, width) if append_only and node.kind == "INNER" and ends is None else None
    one, other = (translator.settings.ttl if given is None else given for given in node.ttls)
    ttls = (one, other)
    plan = JoinPlan(
        node.kind, keys, tuple(pair[2] for pair in pairs), conjunction(rest),
        (left.arrow_types(), right.arrow_types()), append_only, translator.settings.zone, ttls, bounds,
    )  # fmt: skip
    exchanges = tuple(hashed(some) for some in keys)
    if ends is not None:
        windows = partial(WindowJoin, WindowJoinPlan(plan, ends))
        return Step("WindowJoin", node.detail, node.fields, append_only, (left, right), windows, exchanges)
    name = "Join" if bounds is None else "IntervalJoin"
    plain = append_only and node.kind == "INNER" and (bounds is not None or ttls == (0, 0))
    operator = partial(AppendJoin if plain else Join, plan)
    return Step(name, node.detail, node.fields, append_only, (left, right), operator, exchanges)


def _equality(part: Expr, width: int) -> tuple[int, int, bool] | None:
    """Return the columns of left and right that a condition says are equal, and whether NULLs are."""
    if not isinstance(part, Call) or part.function not in {"=", "IS NOT DISTINCT FROM"}:
        return None
    one, other = part.args
    if not isinstance(one, InputRef) or not isinstance(other, InputRef) or not one.type.same_as(other.type):
        return None
    first, second = sorted((one.index, other.index))
    if first < width <= second:
        return first, second - width, part.function != "="
    return None


def interval_bounds(parts: list[Expr], node: n.Join, width: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return how long the rows of each side can still find partners, if the condition bounds their times.

    Of ``l.t BETWEEN r.t - a AND r.t + b``: a row of the left until the right has passed its time by ``a``, one of
    the right until the left has passed its time by ``b``.
    """
    most: dict[tuple[int, int, int], int] = {}
    for part in parts:
        found = _difference(part, node, width)
        if found is not None:
            left, right, sign, limit = found
            key = (left, right, sign)
            most[key] = min(limit, most.get(key, limit))
    for left, right, _ in list(most):
        upper, lower = most.get((left, right, 1)), most.get((left, right, -1))
        if upper is not None and lower is not None:
            return (left, max(0, lower)), (right, max(0, upper))
    return None


def _difference(part: Expr, node: n.Join, width: int) -> tuple[int, int, int, int] | None:
    """Read ``l.t - r.t <= most`` (sign 1) or ``r.t - l.t <= most`` (sign -1) from a comparison of event times."""
    if not isinstance(part, Call) or part.function not in {"<", "<=", ">", ">="}:
        return None
    one, other = (_moved_time(arg) for arg in part.args)
    if one is None or other is None:
        return None
    if part.function in {">", ">="}:
        one, other = other, one
    # Now: one + its span <= other + its span
    (small, plus), (large, more) = one, other
    most = more - plus
    if not (_is_time(small, node, width) and _is_time(large, node, width)):
        return None
    if small < width <= large:
        return small, large - width, 1, most
    if large < width <= small:
        return large, small - width, -1, most
    return None


def _is_time(index: int, node: n.Join, width: int) -> bool:
    side, place = (node.left, index) if index < width else (node.right, index - width)
    return side.fields[place].is_rowtime


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
