"""Says so when elements came to an operator before any of its rules: mostly they are lost without a word."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from flott.runtime.operators.broadcast_process import BROADCAST, BroadcastProcess
from flott.runtime.operators.keyed_broadcast_process import KeyedBroadcastProcess

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.plan import EpochPlan, VertexSpec
    from flott.runtime.reports import TaskReport

log = logging.getLogger("flott.coordination")

ENOUGH = 500
"""So many elements without a rule are reported."""


class BroadcastHint:
    """Counts what comes to operators with a broadcast input until each has had a rule, or a warning was logged.

    Only a job that begins without state is looked at: one that was restored has its rules in there.
    """

    def __init__(self, plan: EpochPlan) -> None:
        self._waiting = [
            (vertex.chain[0].title, *inputs(plan, vertex))
            for vertex in plan.vertices
            if isinstance(vertex.chain[0].operator, (BroadcastProcess, KeyedBroadcastProcess))
        ]
        self._came: Counter[int] = Counter()

    def give_up(self) -> None:
        """Look no longer."""
        self._waiting = []

    def observe(self, reports: Iterable[TaskReport]) -> None:
        """Take an epoch in."""
        if not self._waiting:
            return
        for report in reports:
            self._came[report.vertex] += report.records_out
        left = []
        for title, rules, others in self._waiting:
            if any(self._came[vertex] for vertex in rules):
                continue
            elements = sum(self._came[vertex] for vertex in others)
            if elements < ENOUGH:
                left.append((title, rules, others))
                continue
            log.warning(
                "%s: 0 elements of its broadcast input had come when the first %d elements of the other input came. "
                "Only a bounded broadcast input is read first (flott.broadcast.first); otherwise keep elements in "
                "state until there is a rule for them",
                title, elements,
            )  # fmt: skip
        self._waiting = left


def inputs(plan: EpochPlan, vertex: VertexSpec) -> tuple[frozenset[int], frozenset[int]]:
    """Return the vertices that send rules to a vertex, and those that send it other elements alone."""
    edges = plan.inputs_of(vertex)
    rules = frozenset(edge.source for edge in edges if edge.input_index == BROADCAST)
    return rules, frozenset(edge.source for edge in edges) - rules
