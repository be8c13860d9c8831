"""What a sink gets that takes rows by key."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.calc import Calc
from flott.table.runtime.upsert_materialize import UpsertMaterialize

if TYPE_CHECKING:
    from flott.table.connectors.registry import TableSink


def for_sink(step: Step, sink: TableSink) -> Step:
    """Return a step as a sink takes it: the rows of a key in one subtask, only the last of them."""
    keys = sink.upsert_keys
    if not keys:
        return step
    detail = f"upsertKey=[{', '.join(step.fields[key].name for key in keys)}]"
    exchanges = (hashed(keys),)
    if step.append_only:
        keep = partial(Calc, None, None, "UTC")
        return Step("Exchange", detail, step.fields, append_only=True, inputs=(step,), operator=keep,
                    exchanges=exchanges)  # fmt: skip
    refuse_nested(step.fields, "a sink with a PRIMARY KEY")
    last = partial(UpsertMaterialize, keys, step.arrow_types())
    return Step("UpsertMaterialize", detail, step.fields, append_only=False, inputs=(step,), operator=last,
                exchanges=exchanges)  # fmt: skip
