"""Rules before payments: a bounded broadcast input that is ready at the start is read before the input beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.operators.broadcast_process import BROADCAST, BroadcastProcess
from flott.runtime.operators.keyed_broadcast_process import KeyedBroadcastProcess
from flott.runtime.operators.source import SourceOperator
from flott.runtime.source import SourcePlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flott.runtime.plan import EpochPlan, VertexSpec


class BroadcastFirst:
    """Knows which sources wait, and for which others.

    The broadcast side counts as ready while each of its epochs brings something. One that has nothing for the moment
    (it is read at a limited rate, say) holds nobody up any longer.
    """

    def __init__(self, plan: EpochPlan, *, on: bool = True) -> None:
        self._waits = waiting_sources(plan) if on else {}
        self._first = frozenset[int]().union(*self._waits.values())

    def order(self, sources: Iterable[int]) -> list[int]:
        """Return sources in the order in which they are planned: first those that others wait for."""
        return sorted(sources, key=lambda source: source not in self._first)

    def holds(self, source: int, plans: Mapping[int, SourcePlan], ended: set[int]) -> bool:
        """Return whether a source reads nothing in the next epoch; once it may read, nothing holds it any more.

        Args:
            source: The source.
            plans: What those read that it may wait for.
            ended: The sources that had ended before.
        """
        left = self._waits.get(source, frozenset()) - ended
        if any(not plans[other].empty or plans[other].ended for other in left):
            return True
        self._waits.pop(source, None)
        return False


def waiting_sources(plan: EpochPlan) -> dict[int, frozenset[int]]:
    """Return the sources that wait for bounded broadcast inputs, with the sources of these."""
    waits: dict[int, frozenset[int]] = {}
    for vertex in plan.vertices:
        if not isinstance(vertex.chain[0].operator, (BroadcastProcess, KeyedBroadcastProcess)):
            continue
        inputs = plan.inputs_of(vertex)
        rules = sources_above(plan, {edge.source for edge in inputs if edge.input_index == BROADCAST})
        others = sources_above(plan, {edge.source for edge in inputs if edge.input_index != BROADCAST})
        if all(is_bounded(plan.vertices[source]) for source in rules):
            for source in others - rules:
                waits[source] = waits.get(source, frozenset()) | rules
    first = frozenset[int]().union(*waits.values())
    # One that waits and is waited for would hold up both.
    return {source: rules for source, rules in waits.items() if source not in first}


def sources_above(plan: EpochPlan, vertices: set[int]) -> frozenset[int]:
    """Return the sources that lead to some vertices."""
    found: set[int] = set()
    left = set(vertices)
    while left:
        found |= left
        left = {edge.source for edge in plan.edges if edge.target in left} - found
    fed = {edge.target for edge in plan.edges}
    return frozenset(found - fed)


def is_bounded(vertex: VertexSpec) -> bool:
    """Return whether a source ends by itself."""
    head = vertex.chain[0].operator
    return isinstance(head, SourceOperator) and head.source.is_bounded()


def hold(parallelism: int) -> SourcePlan:
    """Return a plan that reads nothing before a source has been planned for the first time."""
    return SourcePlan(((),) * parallelism, empty=True, backlog=True, ended=False, held=True)
