"""Rows once for each of several groupings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.physical.step import Step
from flott.table.runtime.expand import Expand

if TYPE_CHECKING:
    from flott.table.plan import expand as n


def translate_expand(node: n.Expand, below: Step) -> Step:
    """Return the step that hands on rows once for each grouping."""
    operator = partial(Expand, node.keys, node.sets)
    return Step("Expand", node.detail, node.fields, below.append_only, (below,), operator, (None,))
