"""Orders of all rows: by time as a stream goes on, by anything where the input ends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step
from flott.table.plan.nodes import PROCTIME
from flott.table.runtime.sort import Sorted, SortedArrivals, SortPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.operator import Operator
    from flott.table.physical.translate import Translator
    from flott.table.plan.sort import Sort


def translate_sort(node: Sort, translator: Translator) -> Step:
    """Return the step of an order, which one subtask makes."""
    below = translator.translate(node.input)
    first = node.order[0]
    field = node.input.fields[first.index]
    plan = SortPlan(node.order, below.arrow_types(), None)
    name = "Sort"
    operator: Callable[[], Operator] = partial(Sorted, plan)
    if not translator.settings.batch:
        if first.descending or not (field.is_rowtime or field.role == PROCTIME):
            raise NotYetError(
                f"ORDER BY without LIMIT can't be run on a stream, which has no end, unless the first column is event "
                f"time or processing time in ascending order, and '{field.name}' is not; add LIMIT, or set "
                f"'execution.runtime-mode' to BATCH",
                node.text, node.place,
            )  # fmt: skip
        if not below.append_only:
            raise NotYetError(
                "ORDER BY without LIMIT can't be run on a stream whose rows are updated; add LIMIT",
                node.text,
                node.place,
            )
        name = "TemporalSort"
        if field.is_rowtime:
            operator = partial(Sorted, SortPlan(node.order, plan.types, first.index))
        else:
            operator = partial(SortedArrivals, SortPlan(node.order[1:], plan.types, None))
    return Step(name, node.detail, node.fields, append_only=True, inputs=(below,), operator=operator,
                exchanges=(hashed(()),))  # fmt: skip
