"""Plans in batch mode: nothing is late, and only what is left at the end is told."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flott.table.expr import InputRef
from flott.table.functions.nested_values import is_nested
from flott.table.functions.registry import functions
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step
from flott.table.plan.nodes import Field
from flott.table.runtime.calc import Calc
from flott.table.runtime.final_rows import FinalRows


def _with_keys(step: Step, nested: tuple[int, ...]) -> Step:
    """Return rows with strings that stand for their rows, arrays and maps."""
    refs = [InputRef(field.type, place) for place, field in enumerate(step.fields)]
    texts = [functions()["$KEY"].bind("$KEY", [refs[place]]) for place in nested]
    fields = (*step.fields, *(Field(f"$key{place}", text.type) for place, text in zip(nested, texts, strict=True)))
    operator = partial(Calc, None, (*refs, *texts), "UTC")
    return Step("Calc", "", fields, step.append_only, (step,), operator, (None,))


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
        kept = tuple(place for place, field in enumerate(plan.fields) if is_nested(field.type))
        keyed = _with_keys(plan, kept) if kept else plan
        keys = tuple(place for place in range(len(keyed.fields)) if place not in kept)
        operator = partial(FinalRows, keys, plan.arrow_types(), kept)
        return Step("FinalRows", "", plan.fields, append_only=True, inputs=(keyed,), operator=operator,
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
