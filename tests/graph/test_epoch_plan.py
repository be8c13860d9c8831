from __future__ import annotations

import pickle

import pytest

from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.operator_ids import assign_operator_ids
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.operator import Operator
from flott.runtime.partitioners import KeyGroupHash, Rebalance


def plan_of(build, **settings):
    return build_epoch_plan(generate_stream_graph(build.program(**settings)))


@pytest.fixture
def shop(build):
    """Two sources, a join, an edge that skips a level, a side output across an exchange, two sinks."""
    orders, customers = build.source("orders", uid="orders"), build.source("customers", parallelism=1)
    parsed = build.step("parsed", orders)
    joined = build.step("joined", build.key_by(parsed), build.key_by(customers), key_selectors=(str, str))
    build.sink("late", build.side(joined, "late"), parallelism=3)
    build.sink("all", build.union(parsed, joined), parallelism=4)
    return build


def test_levels_hold_every_subtask_once(shop):
    plan = plan_of(shop)
    assert [(level.index, level.vertices, level.partitions) for level in plan.levels] == [
        (0, (0, 1), 3), (1, (2,), 2), (2, (3, 4), 7),
    ]  # fmt: skip
    assert [(spec.name, spec.level, spec.first_partition, spec.parallelism) for spec in plan.vertices] == [
        ("Source: orders -> parsed", 0, 0, 2),
        ("Source: customers", 0, 2, 1),
        ("joined", 1, 0, 2),
        ("Sink: late", 2, 0, 3),
        ("Sink: all", 2, 3, 4),
    ]
    found = [[plan.vertex_at(level.index, part)[0].index for part in range(level.partitions)] for level in plan.levels]
    assert found == [[0, 0, 1], [2, 2], [3, 3, 3, 4, 4, 4, 4]]
    assert plan.vertex_at(2, 6)[1] == 3


def test_edges_have_channels_without_a_gap_one_per_upstream_subtask(shop):
    plan = plan_of(shop)
    assert [
        (edge.index, edge.source, edge.source_position, edge.target, edge.input_index, edge.tag, edge.first_channel)
        for edge in plan.edges
    ] == [
        (0, 0, 1, 2, 0, None, 0),
        (1, 0, 1, 4, 0, None, 2),
        (2, 1, 0, 2, 1, None, 4),
        (3, 2, 0, 3, 0, "late", 5),
        (4, 2, 0, 4, 0, None, 7),
    ]
    assert [edge.partitioner for edge in plan.edges] == [
        KeyGroupHash(str), Rebalance(), KeyGroupHash(str), Rebalance(), Rebalance(),
    ]  # fmt: skip


def test_a_chain_keeps_operators_names_uids_and_ids(shop):
    program = shop.program()
    stream_graph = generate_stream_graph(program)
    ids = assign_operator_ids(stream_graph)
    source, parsed = build_epoch_plan(stream_graph).vertices[0].chain
    assert (source.name, source.uid, source.parent, source.tag) == ("Source: orders", "orders", -1, None)
    assert (parsed.name, parsed.uid, parsed.parent, parsed.tag) == ("parsed", None, 0, None)
    assert source.operator is program.transformations[0].operator
    assert [source.operator_id, parsed.operator_id] == [ids[1], ids[3]]


def test_side_outputs_inside_a_chain_keep_their_tag(build):
    build.sink("late", build.side(build.source(), "late"))
    assert [(member.parent, member.tag) for member in plan_of(build).vertices[0].chain] == [(-1, None), (0, "late")]


def test_job_name_max_parallelism_and_parameters_are_kept(build):
    build.source(max_parallelism=12)
    plan = plan_of(build, name="nightly", parameters={"day": "monday"})
    assert (plan.job_name, plan.parameters, plan.vertices[0].max_parallelism) == ("nightly", {"day": "monday"}, 12)


def test_a_plan_can_be_pickled_and_takes_nothing_of_the_graph_along(build):
    build.step("count", build.key_by(build.source(operator=Operator())), operator=Operator(), key_selectors=(str,))
    plan = plan_of(build)
    data = pickle.dumps(plan)
    copy = pickle.loads(data)
    assert [spec.name for spec in copy.vertices] == ["Source: numbers", "count"]
    assert copy.edges == plan.edges
    assert b"flott.graph" not in data
