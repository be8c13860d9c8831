"""Where the vertices of a drawing stand: columns by level, few crossings, no arrow under a box."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.runtime.plan import EpochPlan

SWEEPS = 8
ROW_GAP = 28
LANE_HEIGHT = 12


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the drawing, by its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of the right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of the lower side."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Layout:
    """A box per vertex and, per edge, the lanes by which it passes the levels it skips."""

    boxes: tuple[Box, ...]
    lanes: tuple[tuple[Box, ...], ...]
    width: float
    height: float


def lay_out(plan: EpochPlan, sizes: Sequence[tuple[float, float]], column_gap: float) -> Layout:
    """Place vertices of the given sizes: a column per level, neighbours near each other.

    >>> from flott.runtime.plan import EdgeSpec, EpochPlan, VertexSpec
    >>> from flott.runtime.partitioners import Rebalance
    >>> vertices = tuple(VertexSpec(index, "v", (), 1, 128, level=index, first_partition=0) for index in range(2))
    >>> plan = EpochPlan("job", vertices, (EdgeSpec(0, 0, 0, 1, 0, Rebalance(), None, 0),), ())
    >>> lay_out(plan, sizes=[(100, 40), (80, 20)], column_gap=50).boxes
    (Box(x=0.0, y=0.0, width=100, height=40), Box(x=150.0, y=10.0, width=80, height=20))
    """
    levels = [vertex.level for vertex in plan.vertices]
    extents = list(sizes)
    columns: list[list[int]] = [[] for _ in range(max(levels, default=-1) + 1)]
    for vertex, level in enumerate(levels):
        columns[level].append(vertex)
    # An edge that skips levels gets a lane in each, so it is ordered and placed like a vertex.
    links: list[tuple[int, int]] = []
    lanes: list[list[int]] = []
    for edge in plan.edges:
        path = [edge.source]
        for level in range(levels[edge.source] + 1, levels[edge.target]):
            path.append(len(extents))
            columns[level].append(len(extents))
            extents.append((0, LANE_HEIGHT))
        path.append(edge.target)
        links += pairwise(path)
        lanes.append(path[1:-1])
    _order(columns, links)
    boxes = _place(columns, extents, column_gap)
    return Layout(
        boxes=tuple(boxes[vertex] for vertex in range(len(levels))),
        lanes=tuple(tuple(boxes[lane] for lane in path) for path in lanes),
        width=max((box.right for box in boxes.values()), default=0.0),
        height=max((box.bottom for box in boxes.values()), default=0.0),
    )


def _order(columns: list[list[int]], links: list[tuple[int, int]]) -> None:
    """Sort each column by where its neighbours stand, from the left and from the right in turn."""
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for source, target in links:
        before.setdefault(target, []).append(source)
        after.setdefault(source, []).append(target)
    place = {slot: float(row) for column in columns for row, slot in enumerate(column)}
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        neighbours = before if forward else after
        for column in columns if forward else reversed(columns):
            middle = {slot: _mean([place[other] for other in neighbours.get(slot, [slot])]) for slot in column}
            column.sort(key=middle.__getitem__)
            place.update((slot, float(row)) for row, slot in enumerate(column))


def _place(columns: list[list[int]], extents: Sequence[tuple[float, float]], column_gap: float) -> dict[int, Box]:
    """Stack each column and centre it on the tallest."""
    heights = [sum(extents[slot][1] for slot in column) + ROW_GAP * (len(column) - 1) for column in columns]
    boxes: dict[int, Box] = {}
    x = 0.0
    for column, height in zip(columns, heights, strict=True):
        width = max(extents[slot][0] for slot in column)
        y = (max(heights) - height) / 2
        for slot in column:
            own_width, own_height = extents[slot]
            # A lane spans its column, so that the arrow runs straight past the boxes.
            boxes[slot] = Box(x, y, own_width or width, own_height)
            y += own_height + ROW_GAP
        x += width + column_gap
    return boxes


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
