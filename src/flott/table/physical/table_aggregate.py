"""Aggregates that give several rows for each group."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.group_aggregate import GroupPlan
from flott.table.runtime.table_aggregate import TableAggregate

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import table_aggregate as n


def translate_table_aggregate(node: n.TableAggregate, translator: Translator) -> Step:
    """Return the step of a table aggregate."""
    below = translator.translate(node.input)
    if not below.append_only and not node.call.user.retracts:
        raise NotYetError(
            f"{node.call.function} must take rows back here, because its input is updated: give it a method retract"
        )
    refuse_nested([below.fields[place] for place in node.keys], "flat_aggregate")
    inputs = tuple(field.type for field in below.fields)
    plan = GroupPlan(node.keys, (node.call,), inputs, retracting=not below.append_only)
    step = Step("GroupTableAggregate", node.detail, node.fields, append_only=False, inputs=(below,),
                exchanges=(hashed(node.keys),))  # fmt: skip
    settings = translator.settings
    operator = partial(TableAggregate, plan, step.arrow_types(), bundle=settings.bundle, ttl=settings.ttl)
    return replace(step, operator=operator)
