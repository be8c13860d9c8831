from __future__ import annotations

from dataclasses import replace

import pytest

from flott.graph.chaining import CONDITIONS, Link, chaining_obstacle
from flott.graph.stream_graph import generate_stream_graph
from flott.graph.transformations import ChainingStrategy
from flott.runtime.partitioners import Forward, Rebalance, Rescale

ALWAYS, HEAD, NEVER = ChainingStrategy


def obstacle(build, **settings):
    graph = generate_stream_graph(build.program(**settings))
    return chaining_obstacle(graph, graph.edges[-1])


def test_there_are_nine_conditions():
    assert len(CONDITIONS) == 9


@pytest.mark.parametrize("upstream", [ALWAYS, HEAD])
def test_when_all_hold_operators_share_a_task(build, upstream):
    build.step("map", build.source(chaining=upstream))
    assert obstacle(build) is None


def test_a_side_output_is_chained_like_a_main_output(build):
    build.step("late", build.side(build.source(), "late"))
    assert obstacle(build) is None


def test_several_input_edges(build):
    build.step("map", build.union(build.source("a"), build.source("b")))
    assert obstacle(build) == "the downstream operator has several input edges"


def test_a_stream_united_with_itself_has_several_input_edges(build):
    numbers = build.source()
    build.step("map", build.union(numbers, numbers))
    assert obstacle(build) == "the downstream operator has several input edges"


@pytest.mark.parametrize("which", ["upstream", "downstream"])
def test_no_operator(build, which):
    numbers = build.source()
    mapped = build.step("map", numbers)
    graph = generate_stream_graph(build.program())
    (numbers if which == "upstream" else mapped).operator = None
    assert chaining_obstacle(graph, graph.edges[0]) == f"there is no {which} operator"


def test_different_slot_sharing_groups(build):
    build.step("map", build.source(), slot_sharing_group="io")
    assert obstacle(build) == "the operators are in different slot sharing groups"


def test_an_inherited_slot_sharing_group_is_the_same_group(build):
    build.step("map", build.source(slot_sharing_group="io"))
    assert obstacle(build) is None


@pytest.mark.parametrize("downstream", [HEAD, NEVER])
def test_downstream_does_not_join(build, downstream):
    build.step("map", build.source(), chaining=downstream)
    assert obstacle(build) == "the downstream operator does not join chains"


def test_upstream_lets_nothing_join(build):
    build.step("map", build.source(chaining=NEVER))
    assert obstacle(build) == "the upstream operator lets nothing be chained to it"


@pytest.mark.parametrize("partitioner", [Rebalance(), Rescale()])
def test_not_forwarded(build, partitioner):
    build.step("map", build.partition(build.source(), partitioner))
    assert obstacle(build) == "records are not forwarded"


def test_not_forwarded_even_to_a_single_subtask(build):
    build.step("count", build.key_by(build.source()), key_selectors=(str,))
    assert obstacle(build, parallelism=1) == "records are not forwarded"


def test_different_parallelism(build):
    # No program gets this far: forward demands equal parallelism. The condition stands for itself.
    build.step("map", build.source(parallelism=1), parallelism=2)
    graph = generate_stream_graph(build.program())
    upstream, downstream = graph.nodes.values()
    link = Link(upstream, replace(graph.edges[0], partitioner=Forward()), downstream, chaining_enabled=True)
    assert [text for text, holds in CONDITIONS.items() if not holds(link)] == ["the operators differ in parallelism"]


def test_disabled_for_the_job(build):
    build.step("map", build.source())
    assert obstacle(build, chaining_enabled=False) == "chaining is disabled for the whole job"
