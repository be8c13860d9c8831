"""The first rows of partitions, and the first or last row by event time or by processing time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.plan.nodes import PROCTIME
from flott.table.plan.window_columns import window_end
from flott.table.runtime.deduplicate import Deduplicate
from flott.table.runtime.rank import Rank, RankPlan
from flott.table.runtime.window_rank import WindowRank

if TYPE_CHECKING:
    from flott.table.plan import nodes as n


def translate_rank(node: n.Rank, below: Step, ttl: int = 0) -> Step:
    """Return the step of a rank, whose rows are kept for a time."""
    refuse_nested(below.fields, "the first N rows")
    exchange = hashed(node.partition)
    keys = node.order
    by_clock = bool(keys) and node.input.fields[keys[-1].index].role == PROCTIME
    end = window_end(node.input.fields, node.partition)
    if end is not None:
        return _of_windows(node, below, end)
    one_by_time = node.limit == 1 and not node.offset and not node.number and len(keys) == 1
    if one_by_time and below.append_only and (by_clock or node.input.fields[keys[0].index].is_rowtime):
        last = keys[0].descending
        time = None if by_clock else keys[0].index
        keep = partial(Deduplicate, node.partition, time, below.arrow_types(), last=last, ttl=ttl)
        detail = f"keep=[{'LastRow' if last else 'FirstRow'}], {node.detail}"
        return Step("Deduplicate", detail, node.fields, append_only=by_clock and not last, inputs=(below,),
                    operator=keep, exchanges=(exchange,))  # fmt: skip
    plan = RankPlan(
        node.partition, node.order, node.offset, node.limit, node.number, not below.append_only, below.arrow_types(),
        newest_first=by_clock and keys[-1].descending,
    )  # fmt: skip
    return Step("Rank", node.detail, node.fields, append_only=False, inputs=(below,),
                operator=partial(Rank, plan, ttl=ttl), exchanges=(exchange,))  # fmt: skip


def _of_windows(node: n.Rank, below: Step, end: int) -> Step:
    """Return the step that tells the first rows of a window when it is over."""
    if not below.append_only:
        raise NotYetError("the first rows of windows can't be told of rows that are updated; leave the window out")
    time = len(node.order) == 1 and node.limit == 1 and node.input.fields[node.order[0].index].is_rowtime
    plan = RankPlan(node.partition, node.order, node.offset, node.limit, node.number, False, below.arrow_types())
    operator = partial(WindowRank, plan, end, last_wins=time and node.order[0].descending)
    name = "WindowDeduplicate" if time else "WindowRank"
    return Step(name, node.detail, node.fields, append_only=True, inputs=(below,), operator=operator,
                exchanges=(hashed(node.partition),))  # fmt: skip
