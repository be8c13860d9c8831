"""What a table demands of the rows that are written into it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.physical.step import Step
from flott.table.runtime.constraint_enforcer import ConstraintEnforcer, Constraints, is_constrained
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.plan.nodes import SinkNode


def enforced(node: SinkNode, step: Step, *, drop: bool, lengths: str) -> Step:
    """Return a step whose rows fit the columns of a table: NOT NULL, and the lengths of strings and bytes."""
    declared = {column.name: column.type for column in node.table.schema.columns}
    columns = tuple(DataTypes.FIELD(field.name, declared.get(field.name) or field.type) for field in node.fields)
    if not any(is_constrained(column.data_type, lengths=lengths != "IGNORE") for column in columns):
        return step
    operator = partial(ConstraintEnforcer, Constraints(node.path, columns, drop, lengths))
    null = [column.name for column in columns if is_constrained(column.data_type, lengths=False)]
    detail = f"notNull=[{', '.join(null)}, {'DROP' if drop else 'ERROR'}], lengths=[{lengths}]"
    return Step("ConstraintEnforcer", detail, step.fields, step.append_only, (step,), operator, (None,))
