"""The execution plan as JSON, in the form that Flink's plan visualizer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.graph.stream_graph import StreamGraph, StreamNode

ESCAPES = {code: f"\\u{code:04X}" for code in range(0x20)} | str.maketrans(
    {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
)
"""What Jackson escapes in a string, and how: no more than JSON demands."""


def execution_plan_json(stream_graph: StreamGraph) -> str:
    """Return what ``get_execution_plan()`` returns: Flink's JSON plan, to the last space.

    Operators come in the order of their ids with sinks last. ``side`` is "second" throughout,
    which says nothing, but Flink writes it so.

    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> graph = generate_stream_graph(Program(name="job", transformations=[words]))
    >>> print(execution_plan_json(graph))
    {
      "nodes" : [ {
        "id" : 1,
        "type" : "Source: words",
        "pact" : "Data Source",
        "contents" : "Source: words",
        "parallelism" : 1
      } ]
    }
    """
    nodes = sorted(stream_graph.nodes.values(), key=lambda node: (node.step.is_sink, node.id))
    return f'{{\n  "nodes" : {_array((_node(node) for node in nodes), "  ")}\n}}'


def _node(node: StreamNode) -> dict[str, str]:
    """The members of one operator's object, values already JSON."""
    step = node.step
    role = "Data Source" if step.is_source else "Data Sink" if step.is_sink else "Operator"
    members = {
        "id": str(node.id),
        "type": _text(node.name),
        "pact": _text(role),
        "contents": _text(step.description if step.description is not None else node.name),
        "parallelism": str(node.parallelism),
    }
    if not step.is_source:
        predecessors = (
            {
                "id": str(edge.source),
                "ship_strategy": _text(edge.partitioner.name),
                "side": _text("second"),
            }
            for edge in node.in_edges
        )
        members["predecessors"] = _array(predecessors, "    ")
    return members


def _array(objects: Iterable[dict[str, str]], indent: str) -> str:
    """Write objects the way Jackson's pretty printer does."""
    inner = indent + "  "
    written = (
        "{\n" + ",\n".join(f'{inner}"{key}" : {value}' for key, value in members.items())
        + f"\n{indent}}}"
        for members in objects
    )  # fmt: skip
    return f"[ {', '.join(written)} ]"


def _text(text: str) -> str:
    return f'"{text.translate(ESCAPES)}"'
