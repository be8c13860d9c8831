"""Operator ids: what a checkpoint or savepoint calls an operator, the same in every submission."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, NewType

from flott.errors import GraphError

if TYPE_CHECKING:
    from flott.graph.stream_graph import StreamGraph, StreamNode

OperatorId = NewType("OperatorId", str)
"""32 hexadecimal digits."""


def assign_operator_ids(stream_graph: StreamGraph) -> dict[int, OperatorId]:
    """Return the id of every operator: from its uid, else from its place in the topology.

    The id of an operator without a uid is a hash over the ids of the operators that feed it, the
    input, side output and chosen partitioning each comes by, and, among operators fed alike, over
    which of them it is in the order the program made them. Names, parallelism, chaining and the
    numbers of steps don't count, nor do operators that it is not fed by, except such twins.

    Flink numbers operators over the whole graph and adds how many are chained behind, so that a
    new branch anywhere, or another parallelism, changes ids; these ids stay.

    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=7, name="words", operator=Operator(), source=object())
    >>> count = PhysicalTransformation(id=8, name="count", inputs=(words,), operator=Operator(), uid="count")
    >>> graph = generate_stream_graph(Program(name="word count", transformations=[count]))
    >>> assign_operator_ids(graph)
    {7: '1e9395f14c05d29439c841dfa489518d', 8: 'def1941df6767c50f16f03fd67f79575'}
    """
    ids: dict[int, OperatorId] = {}
    twins: Counter[str] = Counter()
    for node in _breadth_first(stream_graph):
        if node.step.uid_hash is not None:
            ids[node.id] = OperatorId(node.step.uid_hash.lower())
        elif node.step.uid is not None:
            ids[node.id] = operator_id_of_uid(node.step.uid)
        else:
            place = _place(node, ids)
            ids[node.id] = _hash("topology", f"{place} {twins[place]}")
            twins[place] += 1
    _check_unique(stream_graph, ids)
    return ids


def operator_id_of_uid(uid: str) -> OperatorId:
    """Return the id of the operator that has a uid.

    >>> operator_id_of_uid("count")
    'def1941df6767c50f16f03fd67f79575'
    """
    return _hash("uid", uid)


def _breadth_first(stream_graph: StreamGraph) -> list[StreamNode]:
    """By distance from the sources, so that twins stand together, then in the order of making."""
    depth: dict[int, int] = {}
    for node in stream_graph.nodes.values():
        depth[node.id] = 1 + max((depth[edge.source] for edge in node.in_edges), default=-1)
    return sorted(stream_graph.nodes.values(), key=lambda node: (depth[node.id], node.id))


def _place(node: StreamNode, ids: dict[int, OperatorId]) -> str:
    """How the node is fed, as text. A default partitioning is left out: it shows parallelism.

    JSON and not repr: how repr writes a tag depends on the Unicode version of this Python.
    """
    return json.dumps(
        [
            (
                edge.input_index,
                ids[edge.source],
                edge.tag,
                edge.partitioner.name if edge.chosen else None,
            )
            for edge in node.in_edges
        ]
    )


def _hash(kind: str, text: str) -> OperatorId:
    # surrogatepass: a uid is any Python string, and none may break the build of a graph.
    data = f"{kind}:{text}".encode("utf-8", "surrogatepass")
    return OperatorId(blake2b(data, digest_size=16).hexdigest())


def _check_unique(stream_graph: StreamGraph, ids: dict[int, OperatorId]) -> None:
    owners: dict[OperatorId, int] = {}
    for node_id, operator_id in ids.items():
        other = owners.setdefault(operator_id, node_id)
        if other != node_id:
            step, rival = stream_graph.nodes[node_id].step, stream_graph.nodes[other].step
            raise GraphError(
                f"{step.label} and {rival.label} both get operator id {operator_id}, "
                "most likely because a uid hash repeats another operator's id; change that "
                "set_uid_hash(...), or use uid('...') instead"
            )
