"""The epoch plan: operators chained into vertices, laid out in levels, subtasks and channels, ready to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.graph.chaining import chaining_obstacle
from flott.graph.operator_ids import assign_operator_ids
from flott.runtime.plan import ChainedOperator, EdgeSpec, EpochPlan, LevelSpec, VertexSpec

if TYPE_CHECKING:
    from flott.graph.operator_ids import OperatorId
    from flott.graph.stream_graph import StreamEdge, StreamGraph, StreamNode


@dataclass(frozen=True, slots=True)
class Member:
    """A node at its place in a chain, which is a tree that starts at the head."""

    node: StreamNode
    operator_id: OperatorId
    parent: int = -1
    tag: str | None = None


def build_epoch_plan(stream_graph: StreamGraph) -> EpochPlan:
    """Chain operators into vertices, as few as the nine conditions of chaining allow, and lay them out in levels.

    Vertices are numbered level by level. Channels are numbered without a gap over all edges: an edge has one for each
    subtask of its source.

    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> upper = PhysicalTransformation(id=2, name="upper", inputs=(words,), operator=Operator(), parallelism=2)
    >>> out = PhysicalTransformation(
    ...     id=3, name="out", inputs=(upper,), operator=Operator(), parallelism=2, is_sink=True
    ... )
    >>> plan = build_epoch_plan(generate_stream_graph(Program(name="job", transformations=[out])))
    >>> print(plan)
    0 Source: words ×1
    1 upper -> Sink: out ×2 ← 0 REBALANCE
    >>> [(level.vertices, level.partitions) for level in plan.levels]
    [((0,), 1), ((1,), 2)]
    """
    ids = assign_operator_ids(stream_graph)
    chained = {edge for edge in stream_graph.edges if chaining_obstacle(stream_graph, edge) is None}
    levels = _levels(stream_graph, chained)
    heads = sorted(levels, key=levels.__getitem__)
    index_of = {head: index for index, head in enumerate(heads)}
    partitions = [0] * (max(levels.values(), default=-1) + 1)
    vertices: list[VertexSpec] = []
    edges: list[EdgeSpec] = []
    channel = 0
    for index, head in enumerate(heads):
        members, leaving = _walk_chain(stream_graph, stream_graph.nodes[head], chained, ids)
        vertex = _vertex(index, members, levels[head], partitions[levels[head]])
        vertices.append(vertex)
        partitions[vertex.level] += vertex.parallelism
        for position, edge in leaving:
            edges.append(
                EdgeSpec(
                    index=len(edges),
                    source=index,
                    source_position=position,
                    target=index_of[edge.target],
                    input_index=edge.input_index,
                    partitioner=edge.partitioner,
                    tag=edge.tag,
                    first_channel=channel,
                )
            )
            channel += vertex.parallelism
    return EpochPlan(
        job_name=stream_graph.name,
        vertices=tuple(vertices),
        edges=tuple(edges),
        levels=tuple(
            LevelSpec(level, tuple(vertex.index for vertex in vertices if vertex.level == level), count)
            for level, count in enumerate(partitions)
        ),
        parameters=dict(stream_graph.parameters),
    )


def _vertex(index: int, members: list[Member], level: int, first_partition: int) -> VertexSpec:
    # The parallelism is the same for every member, or they would not be chained; the maximum is that of the head, whose
    # input is spread by key group.
    head = members[0].node
    return VertexSpec(
        index=index,
        name=_chained_name(members),
        chain=tuple(_chained(member) for member in members),
        parallelism=head.parallelism,
        max_parallelism=head.max_parallelism,
        level=level,
        first_partition=first_partition,
        max_parallelism_is_set=head.step.max_parallelism is not None,
    )


def _chained(member: Member) -> ChainedOperator:
    step = member.node.step
    return ChainedOperator(
        operator=step.operator,
        operator_id=member.operator_id,
        name=member.node.name,
        uid=step.uid,
        parent=member.parent,
        tag=member.tag,
        typed=step.typed,
        is_source=step.is_source,
        is_sink=step.is_sink,
    )


def _levels(stream_graph: StreamGraph, chained: set[StreamEdge]) -> dict[int, int]:
    """The level of every vertex by the node at its head: a source, or a target that is not chained."""
    levels: dict[int, int] = {}
    head_of: dict[int, int] = {}
    for node in stream_graph.nodes.values():
        if any(edge in chained for edge in node.in_edges):
            head_of[node.id] = head_of[node.in_edges[0].source]
        else:
            head_of[node.id] = node.id
            levels[node.id] = max((levels[head_of[edge.source]] + 1 for edge in node.in_edges), default=0)
    return levels


def _walk_chain(
    stream_graph: StreamGraph, head: StreamNode, chained: set[StreamEdge], ids: dict[int, OperatorId]
) -> tuple[list[Member], list[tuple[int, StreamEdge]]]:
    """Return the members of a chain, depth first, and the edges that leave it with the position they leave.

    The order of edges is Flink's: what chained operators send out comes before what their parent does.
    """
    members = [Member(head, ids[head.id])]
    leaving: list[tuple[int, StreamEdge]] = []
    path = [(0, iter(head.out_edges))]
    while path:
        position, out_edges = path[-1]
        edge = next((edge for edge in out_edges if edge in chained), None)
        if edge is None:
            path.pop()
            leaving += [(position, edge) for edge in members[position].node.out_edges if edge not in chained]
        else:
            node = stream_graph.nodes[edge.target]
            path.append((len(members), iter(node.out_edges)))
            members.append(Member(node, ids[node.id], position, edge.tag))
    return members, leaving


def _chained_name(members: list[Member]) -> str:
    """Name a vertex after its chain, as Flink does: ``a -> (b -> c, d)``."""
    behind: list[list[str]] = [[] for _ in members]
    name = ""
    for position, member in reversed(list(enumerate(members))):
        name, rest = member.node.name, behind[position][::-1]
        if len(rest) > 1:
            name = f"{name} -> ({', '.join(rest)})"
        elif rest:
            name = f"{name} -> {rest[0]}"
        if member.parent >= 0:
            behind[member.parent].append(name)
    return name
