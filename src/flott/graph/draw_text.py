"""The job graph on the terminal: a box per vertex, the chain as a tree, arrows for exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.graph.drawing_labels import display_label, display_width, exchange_label, member_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.plan import EpochPlan, VertexSpec


def draw_text(plan: EpochPlan) -> str:
    """Return a drawing for the terminal; an arrow names the vertex it leads to.

    >>> from flott.graph.epoch_plan import build_epoch_plan
    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> upper = PhysicalTransformation(id=2, name="upper", inputs=(words,), operator=Operator())
    >>> out = PhysicalTransformation(
    ...     id=3, name="out", inputs=(upper,), operator=Operator(), parallelism=2, is_sink=True
    ... )
    >>> program = Program(name="shout", transformations=[out])
    >>> print(draw_text(build_epoch_plan(generate_stream_graph(program))))
    shout: 3 operators, 2 vertices, 2 levels
    <BLANKLINE>
    level 0
    ┌ 0 ────────────── ×1 ┐
    │ Source: words       │
    │ └─ upper            │
    │    └─▶ 1  REBALANCE │
    └─────────────────────┘
    level 1
    ┌ 1 ──── ×2 ┐
    │ Sink: out │
    └───────────┘
    """
    operators = sum(len(vertex.chain) for vertex in plan.vertices)
    depth = max((vertex.level for vertex in plan.vertices), default=-1) + 1
    counts = (
        _count(operators, "operator", "operators"),
        _count(len(plan.vertices), "vertex", "vertices"),
        _count(depth, "level", "levels"),
    )
    lines = [f"{display_label(plan.job_name)}: {', '.join(counts)}", ""]
    for level in range(depth):
        lines.append(f"level {level}")
        for vertex in plan.vertices:
            if vertex.level == level:
                lines.extend(_box(vertex, list(_tree(plan, vertex))))
    return "\n".join(lines)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _box(vertex: VertexSpec, tree: list[str]) -> Iterator[str]:
    left, right = f"{vertex.index} ", f" ×{vertex.parallelism}"  # noqa: RUF001
    width = max([*map(display_width, tree), len(left) + len(right) + 1])
    yield f"┌ {left}{'─' * (width - len(left) - len(right))}{right} ┐"
    for line in tree:
        yield f"│ {line}{' ' * (width - display_width(line))} │"
    yield f"└{'─' * (width + 2)}┘"


def _tree(plan: EpochPlan, vertex: VertexSpec) -> Iterator[str]:
    """The chain, parents before children; what an operator sends elsewhere stands right below it."""
    out_edges = plan.outputs_of(vertex)
    left = [0] * len(vertex.chain)
    for member in vertex.chain[1:]:
        left[member.parent] += 1
    indents: list[str] = []
    for position, member in enumerate(vertex.chain):
        branch = indent = ""
        if member.parent >= 0:
            left[member.parent] -= 1
            last = not left[member.parent]
            branch = indents[member.parent] + ("└─ " if last else "├─ ")
            indent = indents[member.parent] + ("   " if last else "│  ")
        indents.append(indent)
        yield branch + member_label(member)
        exchanges = [edge for edge in out_edges if edge.source_position == position]
        for number, edge in enumerate(exchanges, start=1):
            corner = "└" if number == len(exchanges) and not left[position] else "├"
            yield f"{indent}{corner}─▶ {edge.target}  {exchange_label(plan, edge)}"
