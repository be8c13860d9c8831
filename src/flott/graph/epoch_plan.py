"""The epoch plan: the job graph laid out in levels, subtasks and channels, ready to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.plan import ChainedOperator, EdgeSpec, EpochPlan, LevelSpec, VertexSpec

if TYPE_CHECKING:
    from flott.graph.job_graph import ChainMember, JobGraph


def build_epoch_plan(job_graph: JobGraph) -> EpochPlan:
    """Lay a job out: vertices by level, a Spark partition per subtask, channels for every edge.

    Vertices keep their numbers. Channels are numbered without a gap over all edges: an edge has one
    for each subtask of its source.

    >>> from flott.graph.job_graph import build_job_graph
    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> upper = PhysicalTransformation(id=2, name="upper", inputs=(words,), operator=Operator(), parallelism=2)
    >>> program = Program(name="job", transformations=[upper])
    >>> plan = build_epoch_plan(build_job_graph(generate_stream_graph(program)))
    >>> [(level.vertices, level.partitions) for level in plan.levels]
    [((0,), 1), ((1,), 2)]
    >>> vertex, subtask = plan.vertex_at(level=1, partition=1)
    >>> vertex.name, subtask
    ('upper', 1)
    """
    partitions = [0] * (max((vertex.level for vertex in job_graph.vertices), default=-1) + 1)
    vertices: list[VertexSpec] = []
    for vertex in job_graph.vertices:
        vertices.append(
            VertexSpec(
                index=vertex.index,
                name=vertex.name,
                chain=tuple(_chained(member) for member in vertex.members),
                parallelism=vertex.parallelism,
                max_parallelism=vertex.max_parallelism,
                level=vertex.level,
                first_partition=partitions[vertex.level],
                max_parallelism_is_set=vertex.head.node.step.max_parallelism is not None,
            )
        )
        partitions[vertex.level] += vertex.parallelism
    return EpochPlan(
        job_name=job_graph.name,
        vertices=tuple(vertices),
        edges=_edges(job_graph),
        levels=tuple(
            LevelSpec(
                index=level,
                vertices=tuple(spec.index for spec in vertices if spec.level == level),
                partitions=count,
            )
            for level, count in enumerate(partitions)
        ),
        parameters=dict(job_graph.parameters),
    )


def _chained(member: ChainMember) -> ChainedOperator:
    return ChainedOperator(
        operator=member.node.step.operator,
        operator_id=member.operator_id,
        name=member.node.name,
        uid=member.node.step.uid,
        parent=member.parent,
        tag=member.tag,
        typed=member.node.step.typed,
    )


def _edges(job_graph: JobGraph) -> tuple[EdgeSpec, ...]:
    edges: list[EdgeSpec] = []
    channel = 0
    for index, edge in enumerate(job_graph.edges):
        edges.append(
            EdgeSpec(
                index=index,
                source=edge.source,
                source_position=edge.source_position,
                target=edge.target,
                input_index=edge.input_index,
                partitioner=edge.partitioner,
                tag=edge.tag,
                first_channel=channel,
            )
        )
        channel += job_graph.vertices[edge.source].parallelism
    return tuple(edges)
