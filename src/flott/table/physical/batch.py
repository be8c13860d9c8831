"""Plans in batch mode: nothing is late, and only what is left at the end is told."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.final_rows import FinalRows


class BatchPlans:
    """The plans of one program in batch mode; a step that several of them share stays one step."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Step, Step]] = {}
        """By the identity of a step: the step itself, and what stands for it."""

    def final(self, step: Step) -> Step:
        """Return a plan without watermarks but the last, whose result only adds rows."""
        plan = self._without_watermarks(step)
        if plan.append_only:
            return plan
        refuse_nested(plan.fields, "the last rows of a batch query")
        keys = tuple(range(len(plan.fields)))
        operator = partial(FinalRows, keys, plan.arrow_types())
        return Step("FinalRows", "", plan.fields, append_only=True, inputs=(plan,), operator=operator,
                    exchanges=(hashed(keys),))  # fmt: skip

    def _without_watermarks(self, step: Step) -> Step:
        if id(step) not in self._known:
            inputs = tuple(map(self._without_watermarks, step.inputs))
            if step.name == "WatermarkAssigner":
                made = replace(inputs[0], fields=step.fields)
            else:
                made = replace(step, inputs=inputs)
            self._known[id(step)] = (step, made)
        return self._known[id(step)][1]
