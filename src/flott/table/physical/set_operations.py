"""INTERSECT and EXCEPT: equal rows of both inputs meet in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.physical.aggregates import hashed
from flott.table.physical.step import Step, refuse_nested
from flott.table.plan.set_operation import INTERSECT
from flott.table.runtime.set_operation import SetOperation, SetPlan

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import set_operation as n


def translate_set_operation(node: n.SetOperation, translator: Translator) -> Step:
    """Return the step of an INTERSECT or EXCEPT."""
    sides = (translator.translate(node.left), translator.translate(node.right))
    for side in sides:
        refuse_nested(side.fields, node.kind)
    append_only = node.kind == INTERSECT and all(side.append_only for side in sides)
    plan = SetPlan(node.kind, node.every, sides[0].arrow_types(), append_only, translator.settings.ttl)
    keys = hashed(tuple(range(len(node.fields))))
    return Step("SetOperation", node.detail, node.fields, append_only, sides, partial(SetOperation, plan), (keys, keys))
