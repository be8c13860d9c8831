"""Joins: which columns are keys, what else must hold, and how long rows are kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.table.errors import NotYetError
from flott.table.expr import Call, Expr, InputRef, conjunction, conjuncts
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.plan.interval import interval_bounds
from flott.table.plan.window_columns import joined_windows
from flott.table.runtime.append_join import AppendJoin
from flott.table.runtime.interval_join import IntervalJoin
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
    parts = [] if node.condition is None else conjuncts(node.condition)
    for part in parts:
        pair = _equality(part, width)
        if pair is None:
            rest.append(part)
        else:
            pairs.append(pair)
    both_append = left.append_only and right.append_only
    append_only = both_append and node.kind in {"INNER", "SEMI"}
    keys = (tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))
    ends = joined_windows(node.left.fields, node.right.fields, zip(*keys, strict=True)) if both_append else None
    bounds = None
    if both_append and ends is None and node.kind not in {"SEMI", "ANTI"}:
        bounds = interval_bounds(parts, node.left.fields, node.right.fields)
    append_only = append_only or ends is not None or bounds is not None
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
    if node.kind == "INNER" and append_only and (bounds is not None or ttls == (0, 0)):
        operator: Any = partial(AppendJoin, plan)
    else:
        operator = partial(Join if bounds is None else IntervalJoin, plan)
    name = "Join" if bounds is None else "IntervalJoin"
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
