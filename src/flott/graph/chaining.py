"""When two operators may share a task: nine conditions, and all have to hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from flott.graph.transformations import ChainingStrategy
from flott.runtime.operator import Operator
from flott.runtime.partitioners import Forward

if TYPE_CHECKING:
    from flott.graph.stream_graph import StreamEdge, StreamGraph, StreamNode


@dataclass(frozen=True, slots=True)
class Link:
    """Two operators and the edge between them: what the conditions are about."""

    upstream: StreamNode
    edge: StreamEdge
    downstream: StreamNode
    chaining_enabled: bool


Condition: TypeAlias = Callable[[Link], bool]

CONDITIONS: dict[str, Condition] = {
    "the downstream operator has several input edges": lambda link: len(link.downstream.in_edges) == 1,
    "there is no downstream operator": lambda link: _is_operator(link.downstream),
    "there is no upstream operator": lambda link: _is_operator(link.upstream),
    "the operators are in different slot sharing groups": lambda link: (
        link.upstream.slot_sharing_group == link.downstream.slot_sharing_group
    ),
    "the downstream operator does not join chains": lambda link: (
        link.downstream.step.chaining is ChainingStrategy.ALWAYS
    ),
    "the upstream operator lets nothing be chained to it": lambda link: (
        link.upstream.step.chaining in {ChainingStrategy.ALWAYS, ChainingStrategy.HEAD}
    ),
    "records are not forwarded": lambda link: isinstance(link.edge.partitioner, Forward),
    "the operators differ in parallelism": lambda link: link.upstream.parallelism == link.downstream.parallelism,
    "chaining is disabled for the whole job": lambda link: link.chaining_enabled,
}
"""Each condition under what is said when it does not hold."""


def chaining_obstacle(stream_graph: StreamGraph, edge: StreamEdge) -> str | None:
    """Return what keeps the two ends of an edge apart; None if they share a task.

    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> upper = PhysicalTransformation(id=2, name="upper", inputs=(words,), operator=Operator())
    >>> graph = generate_stream_graph(Program(name="job", transformations=[upper]))
    >>> print(chaining_obstacle(graph, graph.edges[0]))
    None
    >>> upper.parallelism = 4
    >>> graph = generate_stream_graph(Program(name="job", transformations=[upper]))
    >>> print(chaining_obstacle(graph, graph.edges[0]))
    records are not forwarded
    """
    link = Link(
        upstream=stream_graph.nodes[edge.source],
        edge=edge,
        downstream=stream_graph.nodes[edge.target],
        chaining_enabled=stream_graph.chaining_enabled,
    )
    return next((obstacle for obstacle, holds in CONDITIONS.items() if not holds(link)), None)


def _is_operator(node: StreamNode) -> bool:
    return isinstance(node.step.operator, Operator)
