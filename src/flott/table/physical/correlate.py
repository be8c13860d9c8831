"""Table functions, called with each row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.table.physical.step import Step
from flott.table.runtime.correlate import Correlate

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import correlate as n


def translate_correlate(node: n.Correlate, translator: Translator) -> Step:
    """Return the step that calls a table function."""
    below = translator.translate(node.input)
    operator = partial(Correlate, node.call, translator.settings.zone, outer=node.outer)
    return Step("Correlate", node.detail, node.fields, below.append_only, (below,), operator, (None,))
