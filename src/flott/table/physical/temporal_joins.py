"""Joins with a table as it was at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.lookup_join import LookupJoin, LookupPlan
from flott.table.runtime.temporal_join import TemporalJoin, TemporalPlan

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import temporal as t


def translate_temporal_join(node: t.TemporalJoin, translator: Translator) -> Step:
    """Return the step that joins rows with the versions of their time."""
    left, right = translator.translate(node.left), translator.translate(node.right)
    for side in (left, right):
        refuse_nested(side.fields, "a join")
    if _ranks(right):
        raise NotYetError(
            "versions of rows come from a table with a PRIMARY KEY, or from the last row of each key by event time: "
            "ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) … WHERE rn = 1, over rows that are only added"
        )
    plan = TemporalPlan(
        node.kind == "LEFT", node.keys, node.times, node.condition, (left.arrow_types(), right.arrow_types()),
        left.append_only, translator.settings.zone,
    )  # fmt: skip
    return Step("TemporalJoin", node.detail, node.fields, left.append_only, (left, right), partial(TemporalJoin, plan),
                tuple(hashed(keys) for keys in node.keys))  # fmt: skip


def _ranks(step: Step) -> bool:
    """Say whether the rows of a step take back what is older than they are, and not replace it."""
    return step.name in {"Rank", "GroupAggregate"} or (step.name == "Calc" and _ranks(step.inputs[0]))


def translate_lookup_join(node: t.LookupJoin, translator: Translator) -> Step:
    """Return the step that looks rows up."""
    below = translator.translate(node.input)
    table = translator.settings.connectors.lookup(node.path, node.table, node.looked_up, node.keys[1])
    bare = Step("", "", node.looked_up, append_only=True)
    types = (below.arrow_types(), bare.arrow_types())
    plan = LookupPlan(node.kind == "LEFT", node.keys[0], node.condition, types, translator.settings.zone)
    operator = partial(LookupJoin, plan, table)
    return Step("LookupJoin", node.detail, node.fields, below.append_only, (below,), operator, (None,))
