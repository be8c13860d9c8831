"""The job graph as a Mermaid flowchart, for Markdown pages, issues and wikis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.graph.drawing_labels import display_label, exchange_label, member_label

if TYPE_CHECKING:
    from flott.runtime.plan import EpochPlan

ENTITIES = str.maketrans({sign: f"#{ord(sign)};" for sign in '#"<>&`|[]{}()\\;'})
"""What Mermaid would read as syntax or markup, written as the entities it knows."""


def draw_mermaid(plan: EpochPlan) -> str:
    """Return a Mermaid flowchart: a box per vertex with its chain inside, an arrow per exchange.

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
    >>> print(draw_mermaid(build_epoch_plan(generate_stream_graph(program))))
    ---
    title: "shout"
    ---
    flowchart LR
      subgraph v0["0 ×1"]
        v0_0["Source: words"]
        v0_1["upper"]
        v0_0 --> v0_1
      end
      subgraph v1["1 ×2"]
        v1_0["Sink: out"]
      end
      v0_1 ==>|"REBALANCE"| v1_0
    """
    title = display_label(plan.job_name).replace("\\", "\\\\").replace('"', '\\"')
    lines = ["---", f'title: "{title}"', "---", "flowchart LR"]
    for vertex in plan.vertices:
        box = f"v{vertex.index}"
        lines.append(f'  subgraph {box}["{vertex.index} ×{vertex.parallelism}"]')  # noqa: RUF001
        lines += [
            f'    {box}_{position}["{member_label(member).translate(ENTITIES)}"]'
            for position, member in enumerate(vertex.chain)
        ]
        lines += [
            f"    {box}_{member.parent} --> {box}_{position}"
            for position, member in enumerate(vertex.chain)
            if member.parent >= 0
        ]
        lines.append("  end")
    for edge in plan.edges:
        label = exchange_label(plan, edge).translate(ENTITIES)
        lines.append(f'  v{edge.source}_{edge.source_position} ==>|"{label}"| v{edge.target}_0')
    return "\n".join(lines)
