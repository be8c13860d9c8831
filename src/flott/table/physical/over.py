"""OVER aggregates, in the order of event time or of processing time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.expr import AggregateCall
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.plan.nodes import PROCTIME
from flott.table.plan.over import Frame, OverAggregate
from flott.table.runtime.over_event_time import EventTimeOver
from flott.table.runtime.over_frame import OverPlan
from flott.table.runtime.over_processing_time import ProcessingTimeOver

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import nodes as n


def translate_over(node: OverAggregate, translator: Translator) -> Step:
    """Return the step of an OVER aggregate."""
    below = translator.translate(node.input)
    if not below.append_only:
        raise NotYetError(
            "an aggregate OVER (…) can't be run over rows that are updated; put it below the GROUP BY or the join"
        )
    for call in node.calls:
        if call.user is not None and node.frame.preceding is not None and not call.user.retracts:
            raise NotYetError(
                f"{call.function} must take back the rows that fall out of the OVER window: give it a method retract"
            )
    refuse_nested([below.fields[place] for place in node.partition], "PARTITION BY of OVER")
    inputs = tuple(field.type for field in node.input.fields)
    step = Step("OverAggregate", node.detail, node.fields, append_only=True, inputs=(below,),
                exchanges=(hashed(node.partition),))  # fmt: skip
    # A stretch of time forgets rows by itself.
    ttl = 0 if not node.frame.rows and node.frame.preceding is not None else translator.settings.ttl
    plan = OverPlan(node.partition, node.time, node.frame, node.calls, inputs, step.arrow_types(), ttl)
    operator = EventTimeOver if node.event_time else ProcessingTimeOver
    return replace(step, operator=partial(operator, plan))


def numbers_by_time(node: n.RowNumber) -> OverAggregate | None:
    """Return the numbers of rows in the order of time, which never change, as an OVER aggregate; else None."""
    [key, *more] = node.order
    field = node.input.fields[key.index]
    if more or key.descending or not (field.is_rowtime or field.role == PROCTIME):
        return None
    call = AggregateCall("COUNT", (), node.fields[-1].type)
    frame = Frame(rows=True, preceding=None)
    return OverAggregate(node.fields, node.input, node.partition, key.index, frame, (call,))
