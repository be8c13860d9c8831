"""The job graph: operators chained into vertices, each of which runs as one kind of task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.graph.chaining import chaining_obstacle
from flott.graph.operator_ids import assign_operator_ids

if TYPE_CHECKING:
    from flott.graph.operator_ids import OperatorId
    from flott.graph.stream_graph import StreamEdge, StreamGraph, StreamNode
    from flott.runtime.partitioners import Partitioner


@dataclass(frozen=True, slots=True)
class ChainMember:
    """An operator at its place in a chain, which is a tree that starts at the head."""

    node: StreamNode
    operator_id: OperatorId
    parent: int = -1
    """Position in the chain of the operator that feeds this one; -1 for the head."""
    tag: str | None = None
    """The side output of the parent that this one reads; None for the main output."""


@dataclass(frozen=True, slots=True)
class JobVertex:
    """A chain of operators that run in one task; parents stand before their children."""

    index: int
    name: str
    level: int
    """The length of the longest path to it from a source: the stage of an epoch it runs in."""
    members: tuple[ChainMember, ...]

    @property
    def head(self) -> ChainMember:
        """The operator where records enter."""
        return self.members[0]

    @property
    def id(self) -> OperatorId:
        """The id of the vertex: that of its head."""
        return self.head.operator_id

    @property
    def parallelism(self) -> int:
        """How many subtasks run it; the same for every member, or they would not be chained."""
        return self.head.node.parallelism

    @property
    def max_parallelism(self) -> int:
        """The head's: it is the head whose input is spread by key group."""
        return self.head.node.max_parallelism


@dataclass(frozen=True, slots=True)
class JobEdge:
    """An exchange: what one member of a vertex sends to the head of another."""

    source: int
    source_position: int
    """Position in the source's chain of the operator whose output goes out here."""
    target: int
    input_index: int
    partitioner: Partitioner
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class JobGraph:
    """The vertices of a job, level by level, and the exchanges between them."""

    name: str
    vertices: tuple[JobVertex, ...]
    edges: tuple[JobEdge, ...]
    parameters: dict[str, str] = field(default_factory=dict)

    def in_edges(self, vertex: int) -> list[JobEdge]:
        """Return the exchanges into a vertex."""
        return [edge for edge in self.edges if edge.target == vertex]

    def out_edges(self, vertex: int) -> list[JobEdge]:
        """Return the exchanges out of a vertex."""
        return [edge for edge in self.edges if edge.source == vertex]

    def __str__(self) -> str:
        """One line per vertex, with what it reads."""
        return "\n".join(
            f"{vertex.index} {vertex.name} ×{vertex.parallelism}"  # noqa: RUF001
            + "".join(f" ← {edge.source} {edge.partitioner.name}" for edge in self.in_edges(vertex.index))
            for vertex in self.vertices
        )


def build_job_graph(stream_graph: StreamGraph) -> JobGraph:
    """Chain operators into vertices, as few as the nine conditions of chaining allow.

    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> upper = PhysicalTransformation(id=2, name="upper", inputs=(words,), operator=Operator(), parallelism=2)
    >>> out = PhysicalTransformation(
    ...     id=3, name="out", inputs=(upper,), operator=Operator(), parallelism=2, is_sink=True
    ... )
    >>> program = Program(name="job", transformations=[out])
    >>> print(build_job_graph(generate_stream_graph(program)))
    0 Source: words ×1
    1 upper -> Sink: out ×2 ← 0 REBALANCE
    """
    ids = assign_operator_ids(stream_graph)
    chained = {edge for edge in stream_graph.edges if chaining_obstacle(stream_graph, edge) is None}
    levels = _levels(stream_graph, chained)
    heads = sorted(levels, key=levels.__getitem__)
    index_of = {head: index for index, head in enumerate(heads)}
    vertices: list[JobVertex] = []
    edges: list[JobEdge] = []
    for index, head in enumerate(heads):
        members, leaving = _walk_chain(stream_graph, stream_graph.nodes[head], chained, ids)
        vertices.append(JobVertex(index, _chained_name(members), levels[head], tuple(members)))
        edges += [
            JobEdge(
                source=index,
                source_position=position,
                target=index_of[edge.target],
                input_index=edge.input_index,
                partitioner=edge.partitioner,
                tag=edge.tag,
            )
            for position, edge in leaving
        ]
    return JobGraph(stream_graph.name, tuple(vertices), tuple(edges), dict(stream_graph.parameters))


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
) -> tuple[list[ChainMember], list[tuple[int, StreamEdge]]]:
    """Return the members of a chain, depth first, and the edges that leave it with the position they leave.

    The order of edges is Flink's: what chained operators send out comes before what their parent does.
    """
    members = [ChainMember(head, ids[head.id])]
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
            members.append(ChainMember(node, ids[node.id], position, edge.tag))
    return members, leaving


def _chained_name(members: list[ChainMember]) -> str:
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
