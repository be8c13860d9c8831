from __future__ import annotations

from flott.graph.layout import lay_out
from flott.runtime.partitioners import Rebalance
from flott.runtime.plan import EdgeSpec, EpochPlan, VertexSpec


def graph(levels, *pairs):
    vertices = tuple(VertexSpec(index, str(index), (), 1, 128, level, 0) for index, level in enumerate(levels))
    edges = tuple(EdgeSpec(0, source, 0, target, 0, Rebalance(), None, 0) for source, target in pairs)
    return EpochPlan("job", vertices, edges, ())


def apart(one, other):
    return one.right <= other.x or other.right <= one.x or one.bottom <= other.y or other.bottom <= one.y


def test_levels_are_columns_and_nothing_overlaps():
    job = graph([0, 0, 1, 1, 1, 2], (0, 2), (0, 3), (1, 4), (2, 5), (3, 5), (0, 5))
    layout = lay_out(job, [(100, 50), (80, 40), (60, 30), (200, 70), (10, 10), (90, 20)], column_gap=40)
    assert [box.x for box in layout.boxes] == [0, 0, 140, 140, 140, 380]
    lanes = [lane for path in layout.lanes for lane in path]
    everything = [*layout.boxes, *lanes]
    assert all(apart(one, other) for one in everything for other in everything if one is not other)
    assert all(
        0 <= box.x <= box.right <= layout.width and 0 <= box.y <= box.bottom <= layout.height for box in everything
    )


def test_an_edge_gets_a_lane_in_each_level_it_skips():
    layout = lay_out(graph([0, 1, 2, 3], (0, 1), (1, 2), (2, 3), (0, 3)), [(50, 20)] * 4, column_gap=10)
    assert [len(path) for path in layout.lanes] == [0, 0, 0, 2]
    assert [(lane.x, lane.width) for lane in layout.lanes[3]] == [(60, 50), (120, 50)]


def test_neighbours_stand_in_the_same_order():
    # As registered, all three arrows would cross.
    layout = lay_out(graph([0, 0, 0, 1, 1, 1], (0, 5), (1, 4), (2, 3)), [(50, 20)] * 6, column_gap=10)
    tops = [box.y for box in layout.boxes]
    assert sorted(range(3), key=tops.__getitem__) == [5 - index for index in sorted(range(3, 6), key=tops.__getitem__)]


def test_nothing_takes_no_room():
    layout = lay_out(graph([]), [], column_gap=10)
    assert (layout.boxes, layout.width, layout.height) == ((), 0, 0)
