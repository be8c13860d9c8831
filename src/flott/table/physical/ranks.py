"""The first rows of partitions, and the first or last row by event time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.rank import Deduplicate, Rank, RankPlan

if TYPE_CHECKING:
    from flott.table.plan import nodes as n


def translate_rank(node: n.Rank, below: Step) -> Step:
    """Return the step of a rank."""
    refuse_nested(below, "the first N rows")
    exchange = hashed(node.partition)
    keys = node.order
    one_by_time = node.limit == 1 and not node.offset and not node.number and len(keys) == 1
    if one_by_time and below.append_only and node.input.fields[keys[0].index].is_rowtime:
        last = keys[0].descending
        keep = partial(Deduplicate, node.partition, keys[0].index, below.arrow_types(), last=last)
        detail = f"keep=[{'LastRow' if last else 'FirstRow'}], {node.detail}"
        return Step("Deduplicate", detail, node.fields, append_only=False, inputs=(below,), operator=keep,
                    exchanges=(exchange,))  # fmt: skip
    plan = RankPlan(
        node.partition, node.order, node.offset, node.limit, node.number, not below.append_only, below.arrow_types()
    )
    return Step("Rank", node.detail, node.fields, append_only=False, inputs=(below,), operator=partial(Rank, plan),
                exchanges=(exchange,))  # fmt: skip
