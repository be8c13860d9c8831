"""The stream graph: every operator of the program, and how records get from one to the next."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.errors import GraphError
from flott.graph.check_keyed_inputs import check_keyed_inputs
from flott.graph.check_uids import check_uids
from flott.graph.parallelism import resolve_parallelism
from flott.graph.resolve_origins import resolve_origins
from flott.graph.transformations import DEFAULT_SLOT_SHARING_GROUP
from flott.runtime.partitioners import Forward, Rebalance

if TYPE_CHECKING:
    from flott.graph.resolve_origins import Origin
    from flott.graph.transformations import PhysicalTransformation, Program
    from flott.runtime.partitioners import Partitioner


@dataclass(frozen=True, slots=True, eq=False)
class StreamEdge:
    """A stream from one operator to one input of another.

    Identity matters: a stream united with itself flows over two edges that look the same.
    """

    source: int
    target: int
    input_index: int
    """Which input of the target this feeds: 0, or 1 for the second of a two-input operator."""
    partitioner: Partitioner
    tag: str | None = None
    """The side output of the source that flows here; None for its main output."""
    chosen: bool = False
    """Whether the program named the partitioner; else it follows from the two parallelisms."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamNode:
    """An operator with all that was left open settled: parallelism, slot sharing group, edges."""

    step: PhysicalTransformation
    parallelism: int
    max_parallelism: int
    slot_sharing_group: str
    buffer_timeout: int
    in_edges: tuple[StreamEdge, ...] = ()
    out_edges: tuple[StreamEdge, ...] = ()

    @property
    def id(self) -> int:
        """The number of the step this operator comes from."""
        return self.step.id

    @property
    def name(self) -> str:
        """What plans, logs and metrics call it: sources and sinks say that they are."""
        name = self.step.name
        role = "Source: " if self.step.is_source else "Sink: " if self.step.is_sink else ""
        return name if name.startswith(role) else role + name


@dataclass(frozen=True, slots=True)
class StreamGraph:
    """All operators of a program, inputs before consumers, and the streams between them."""

    name: str
    nodes: dict[int, StreamNode]
    edges: tuple[StreamEdge, ...]
    chaining_enabled: bool = True
    parameters: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """One line per operator, with what it reads."""
        return "\n".join(
            f"{node.id} {node.name} ×{node.parallelism}"  # noqa: RUF001
            + "".join(
                f" ← {edge.source}{f'[{edge.tag}]' if edge.tag is not None else ''} {edge.partitioner.name}"
                for edge in node.in_edges
            )
            for node in self.nodes.values()
        )


def generate_stream_graph(program: Program) -> StreamGraph:
    """Turn a program into a graph of operators; what its virtual steps say goes onto the edges.

    >>> from flott.graph.transformations import PartitionTransformation, PhysicalTransformation
    >>> from flott.graph.transformations import Program
    >>> from flott.runtime.operator import Operator
    >>> from flott.runtime.partitioners import KeyGroupHash
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> keyed = PartitionTransformation(id=2, name="Partition", inputs=(words,), partitioner=KeyGroupHash(str))
    >>> count = PhysicalTransformation(id=3, name="count", inputs=(keyed,), operator=Operator(), key_selectors=(str,))
    >>> print(generate_stream_graph(Program(name="word count", transformations=[count])))
    1 Source: words ×1
    3 count ×1 ← 1 HASH
    """
    if not program.transformations:
        raise GraphError(
            f"program '{program.name}' has no operators, so there is nothing to run; "
            "start with a source, as in env.from_collection([1, 2, 3]).print()"
        )
    origins = resolve_origins(program.transformations)
    check_uids(origins, auto_generated=program.auto_generated_uids)
    settled = {step: resolve_parallelism(step, program) for step in origins}
    groups: dict[PhysicalTransformation, str] = {}
    ins: dict[int, list[StreamEdge]] = {}
    outs: dict[int, list[StreamEdge]] = defaultdict(list)
    for step, inputs in origins.items():
        groups[step] = _slot_sharing_group(step, inputs, groups)
        ins[step.id] = []
        for index, streams in enumerate(inputs):
            for origin in streams:
                edge = _edge(origin, step, index, settled)
                ins[step.id].append(edge)
                outs[origin.step.id].append(edge)
        check_keyed_inputs(step, ins[step.id])
    nodes = {
        step.id: StreamNode(
            step=step,
            parallelism=settled[step][0],
            max_parallelism=settled[step][1],
            slot_sharing_group=groups[step],
            buffer_timeout=(program.buffer_timeout if step.buffer_timeout is None else step.buffer_timeout),
            in_edges=tuple(ins[step.id]),
            out_edges=tuple(outs[step.id]),
        )
        for step in origins
    }
    return StreamGraph(
        name=program.name,
        nodes=nodes,
        edges=tuple(edge for edges in ins.values() for edge in edges),
        chaining_enabled=program.chaining_enabled,
        parameters=dict(program.parameters),
    )


def _edge(
    origin: Origin,
    step: PhysicalTransformation,
    index: int,
    settled: dict[PhysicalTransformation, tuple[int, int]],
) -> StreamEdge:
    upstream, downstream = settled[origin.step][0], settled[step][0]
    partitioner = origin.partitioner
    if partitioner is None:
        partitioner = Forward() if upstream == downstream else Rebalance()
    elif isinstance(partitioner, Forward) and upstream != downstream:
        raise GraphError(
            f"{step.label}: forward() needs equal parallelism on both sides, but "
            f"{origin.step.label} has {upstream} and this has {downstream}; "
            f"use rebalance() or rescale(), or set_parallelism({upstream})"
        )
    return StreamEdge(
        source=origin.step.id,
        target=step.id,
        input_index=index,
        partitioner=partitioner,
        tag=origin.tag,
        chosen=origin.partitioner is not None,
    )


def _slot_sharing_group(
    step: PhysicalTransformation,
    inputs: tuple[tuple[Origin, ...], ...],
    groups: dict[PhysicalTransformation, str],
) -> str:
    if step.slot_sharing_group is not None:
        return step.slot_sharing_group
    inherited = {groups[origin.step] for streams in inputs for origin in streams}
    # Inputs that disagree leave the choice to the default, as in Flink.
    return inherited.pop() if len(inherited) == 1 else DEFAULT_SLOT_SHARING_GROUP
