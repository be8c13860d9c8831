"""The job graph as an SVG picture that needs nothing else: no font, no script, no network."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from flott.graph.drawing_labels import display_label, display_width, exchange_label, member_label
from flott.graph.layout import Box, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.graph.layout import Layout
    from flott.runtime.plan import EpochPlan, VertexSpec

MARGIN = 24
TITLE = 32
HEADER = 26
ROW = 24
PADDING = 12
INDENT = 16
SIGN = 7.4
"""The width of a sign at 12 pixels; a little more than fixed-width fonts take, so that text fits."""

# Plain colours and no CSS variables: most SVG readers that are not browsers don't know those.
STYLE = """
.flott { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.flott .paper { fill: #ffffff; }
.flott text { fill: #1f2933; }
.flott .title { font-size: 15px; font-weight: 600; }
.flott .faint { fill: #5b6b7b; }
.flott .vertex { fill: #f4f7fa; stroke: #2c5fb3; stroke-width: 1.5; }
.flott .source { stroke: #0b7a5e; }
.flott .sink { stroke: #a8431a; }
.flott .branch { fill: none; stroke: #8595a5; stroke-width: 1.2; }
.flott .exchange { fill: none; stroke: #8595a5; stroke-width: 1.6; }
.flott .tip { fill: #8595a5; }
.flott .ship { fill: #5b6b7b; font-size: 11px; text-anchor: middle; }
@media (prefers-color-scheme: dark) {
.flott .paper { fill: #12181e; }
.flott text { fill: #e6ebf0; }
.flott .faint, .flott .ship { fill: #9fb0c0; }
.flott .vertex { fill: #1d252d; stroke: #7fa9f0; }
.flott .source { stroke: #4cc9a4; }
.flott .sink { stroke: #f0935f; }
}
"""

TIP = (
    '<marker id="flott-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path class="tip" d="M0 0 8 4 0 8z"/></marker>'
)


def draw_svg(plan: EpochPlan) -> str:
    """Return a picture of the job: levels from left to right, chains inside their vertex.

    It follows the reader's light or dark setting. Pointing at an operator shows its ids.

    >>> from flott.graph.epoch_plan import build_epoch_plan
    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
    >>> graph = generate_stream_graph(Program(name="job", transformations=[words]))
    >>> print(draw_svg(build_epoch_plan(graph)))
    <svg xmlns="http://www.w3.org/2000/svg" class="flott" ...
    ...>Source: words</text>...
    </svg>
    """
    exchanges = [exchange_label(plan, edge) for edge in plan.edges]
    gap = 56 + SIGN * max(map(display_width, exchanges), default=0)
    layout = lay_out(plan, [_size(vertex) for vertex in plan.vertices], gap)
    name = display_label(plan.job_name)
    width = max(layout.width, display_width(name) * 10) + 2 * MARGIN
    height = layout.height + 2 * MARGIN + TITLE
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="flott" {size} viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{escape(name)}</title>",
        f"<style>{STYLE}</style>",
        f"<defs>{TIP}</defs>",
        f'<rect class="paper" {size}/>',
        f'<text class="title" x="{MARGIN}" y="{MARGIN + 6}">{escape(name)}</text>',
        f'<g transform="translate({MARGIN} {MARGIN + TITLE})">',
        *_draw_exchanges(plan, layout, exchanges),
    ]
    for vertex, box in zip(plan.vertices, layout.boxes, strict=True):
        parts.extend(_draw_vertex(vertex, box))
    return "\n".join([*parts, "</g>", "</svg>"])


def _depths(vertex: VertexSpec) -> list[int]:
    depths: list[int] = []
    for member in vertex.chain:
        depths.append(depths[member.parent] + 1 if member.parent >= 0 else 0)
    return depths


def _size(vertex: VertexSpec) -> tuple[float, float]:
    rows = [
        INDENT * depth + SIGN * display_width(member_label(member))
        for depth, member in zip(_depths(vertex), vertex.chain, strict=True)
    ]
    return max([120.0, *rows]) + 2 * PADDING, HEADER + ROW * len(rows) + PADDING / 2


def _row_y(box: Box, position: int) -> float:
    """The middle of an operator's line in its vertex."""
    return box.y + HEADER + ROW * position + ROW / 2


def _draw_vertex(vertex: VertexSpec, box: Box) -> Iterator[str]:
    kind = "source" if vertex.chain[0].is_source else "sink" if any(one.is_sink for one in vertex.chain) else "inner"
    yield f'<rect class="vertex {kind}" rx="6" {_rectangle(box)}/>'
    middle = box.y + HEADER / 2 + 5
    yield f'<text class="faint" x="{box.x + PADDING:.1f}" y="{middle:.1f}">{vertex.index}</text>'
    yield (
        f'<text class="faint" text-anchor="end" x="{box.right - PADDING:.1f}" y="{middle:.1f}">'
        f"×{vertex.parallelism}</text>"  # noqa: RUF001
    )
    depths = _depths(vertex)
    for position, member in enumerate(vertex.chain):
        x, y = box.x + PADDING + INDENT * depths[position], _row_y(box, position)
        if member.parent >= 0:
            start = _row_y(box, member.parent) + 8
            yield f'<path class="branch" d="M{x - 11:.1f} {start:.1f}V{y:.1f}H{x - 3:.1f}"/>'
        tooltip = f"operator id {member.operator_id}, max parallelism {vertex.max_parallelism}"
        yield f'<text x="{x:.1f}" y="{y + 4:.1f}"><title>{tooltip}</title>{escape(member_label(member))}</text>'


def _draw_exchanges(plan: EpochPlan, layout: Layout, labels: list[str]) -> Iterator[str]:
    """Arrows first, then what is written on them, so that no arrow crosses out a word."""
    words: list[str] = []
    ends = _ends(plan, layout)
    for edge, lanes, end, label in zip(plan.edges, layout.lanes, ends, labels, strict=True):
        source = layout.boxes[edge.source]
        x, y = source.right, _row_y(source, edge.source_position)
        path = f"M{x:.1f} {y:.1f}"
        for number, stop in enumerate((*lanes, end)):
            bend, middle = (stop.x - x) / 2, stop.y + stop.height / 2
            if number == 0:
                words.extend(_draw_word(label, x + bend, (y + middle) / 2))
            path += f"C{x + bend:.1f} {y:.1f} {stop.x - bend:.1f} {middle:.1f} {stop.x:.1f} {middle:.1f}"
            path += f"H{stop.right:.1f}" if stop.width else ""
            x, y = stop.right, middle
        yield f'<path class="exchange" marker-end="url(#flott-tip)" d="{path}"/>'
    yield from words


def _ends(plan: EpochPlan, layout: Layout) -> list[Box]:
    """Where each arrow ends: spread over its target's left side, in the order they come from above."""
    comes_from = [
        (lanes[-1].y if lanes else _row_y(layout.boxes[edge.source], edge.source_position))
        for edge, lanes in zip(plan.edges, layout.lanes, strict=True)
    ]
    ends: dict[int, Box] = {}
    for vertex, box in zip(plan.vertices, layout.boxes, strict=True):
        arriving = [number for number, edge in enumerate(plan.edges) if edge.target == vertex.index]
        arriving.sort(key=comes_from.__getitem__)
        for rank, number in enumerate(arriving, start=1):
            ends[number] = Box(box.x, box.y + box.height * rank / (len(arriving) + 1), 0, 0)
    return [ends[number] for number in range(len(plan.edges))]


def _draw_word(word: str, x: float, y: float) -> Iterator[str]:
    width = SIGN * display_width(word)
    yield f'<rect class="paper" {_rectangle(Box(x - width / 2, y - 9, width, 18))}/>'
    yield f'<text class="ship" x="{x:.1f}" y="{y + 4:.1f}">{escape(word)}</text>'


def _rectangle(box: Box) -> str:
    return f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
