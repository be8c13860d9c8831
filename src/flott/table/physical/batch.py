"""Plans in batch mode: nothing is late, and only what is left at the end is told."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.final_rows import FinalRows


def in_batch(step: Step) -> Step:
    """Return a plan without watermarks but the last, whose result only adds rows."""
    plan = _without_watermarks(step, {})
    if plan.append_only:
        return plan
    refuse_nested(plan.fields, "the last rows of a batch query")
    keys = tuple(range(len(plan.fields)))
    operator = partial(FinalRows, keys, plan.arrow_types())
    return Step("FinalRows", "", plan.fields, append_only=True, inputs=(plan,), operator=operator,
                exchanges=(hashed(keys),))  # fmt: skip


def _without_watermarks(step: Step, known: dict[int, Step]) -> Step:
    # What is used twice stays one step.
    if id(step) not in known:
        inputs = tuple(_without_watermarks(one, known) for one in step.inputs)
        if step.name == "WatermarkAssigner":
            known[id(step)] = replace(inputs[0], fields=step.fields)
        else:
            known[id(step)] = replace(step, inputs=inputs)
    return known[id(step)]
