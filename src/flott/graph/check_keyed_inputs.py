"""Checks that records of one key meet in one subtask wherever an operator keeps state per key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.errors import GraphError
from flott.runtime.partitioners import Forward, KeyGroupHash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.graph.stream_graph import StreamEdge
    from flott.graph.transformations import PhysicalTransformation


def check_keyed_inputs(step: PhysicalTransformation, in_edges: Iterable[StreamEdge]) -> None:
    """Raise if a keyed input is not spread by key.

    A keyed operator with one input may also be fed by an explicit ``forward()``: that is how a
    stream already spread by key is taken as keyed again. With two keyed inputs both go by key,
    or the same key of left and right would not meet.

    >>> from flott.graph.stream_graph import StreamEdge
    >>> from flott.graph.transformations import PhysicalTransformation
    >>> from flott.runtime.operator import Operator
    >>> from flott.runtime.partitioners import Rebalance
    >>> score = PhysicalTransformation(id=2, name="score", operator=Operator(), uid="score", key_selectors=(str,))
    >>> check_keyed_inputs(score, [StreamEdge(1, 2, 0, KeyGroupHash(str))])
    >>> check_keyed_inputs(score, [StreamEdge(1, 2, 0, Rebalance())])
    Traceback (most recent call last):
    flott.errors.GraphError: operator 'score' (uid=score): its first input is keyed but arrives by
    REBALANCE, so records of one key would end up in different subtasks; put key_by(...) last, ...
    """
    if step.parallelism_fixed:
        return
    selectors = step.key_selectors
    both_keyed = sum(selector is not None for selector in selectors) > 1
    for edge in in_edges:
        if edge.input_index >= len(selectors) or selectors[edge.input_index] is None:
            continue
        reinterpreted = edge.chosen and isinstance(edge.partitioner, Forward) and not both_keyed
        if not isinstance(edge.partitioner, KeyGroupHash) and not reinterpreted:
            raise GraphError(
                f"{step.label}: its {('first', 'second')[edge.input_index]} input is keyed but "
                f"arrives by {edge.partitioner.name}, so records of one key would end up in "
                "different subtasks; put key_by(...) last, right before the keyed operation"
            )
