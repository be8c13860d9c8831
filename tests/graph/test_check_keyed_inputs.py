from __future__ import annotations

import pytest

from flott.errors import GraphError
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.partitioners import Broadcast, Forward, Rebalance


def test_one_keyed_input_comes_by_key_or_by_explicit_forward(build):
    numbers = build.source()
    build.step("keyed", build.key_by(numbers), key_selectors=(str,))
    build.step("taken as keyed", build.partition(numbers, Forward()), key_selectors=(str,))
    assert [edge.partitioner.name for edge in generate_stream_graph(build.program()).edges] == ["HASH", "FORWARD"]


def test_two_keyed_inputs_come_by_key(build):
    numbers = build.source()
    build.step("joined", build.key_by(numbers), build.key_by(numbers), key_selectors=(str, str))
    assert [edge.partitioner.name for edge in generate_stream_graph(build.program()).edges] == ["HASH", "HASH"]


def test_a_broadcast_beside_a_keyed_input_has_no_key(build):
    numbers = build.source()
    rules = build.partition(numbers, Broadcast())
    build.step("rules", build.key_by(numbers), rules, key_selectors=(str, None))
    assert len(generate_stream_graph(build.program()).edges) == 2


def test_an_operator_for_the_whole_stream_needs_no_partitioning(build):
    build.step("window all", build.source(), key_selectors=(lambda value: 0,), parallelism_fixed=True)
    assert generate_stream_graph(build.program()).edges[0].partitioner == Rebalance()


@pytest.mark.parametrize(
    ("left", "right", "which"),
    [
        (None, "key", "first input is keyed but arrives by FORWARD"),
        ("key", Forward(), "second input is keyed but arrives by FORWARD"),
        ("key", Rebalance(), "second input is keyed but arrives by REBALANCE"),
    ],
)
def test_two_keyed_inputs_that_do_not_meet_are_refused(build, left, right, which):
    numbers = build.source()
    streams = [
        numbers if how is None else build.key_by(numbers) if how == "key" else build.partition(numbers, how)
        for how in (left, right)
    ]
    build.step("join", *streams, key_selectors=(str, str), uid="j")
    with pytest.raises(GraphError, match=rf"^operator 'join' \(uid=j\): its {which}.*put key_by\(...\) last"):
        generate_stream_graph(build.program())


@pytest.mark.parametrize("how", [None, Rebalance(), Broadcast()])
def test_one_keyed_input_that_is_not_spread_by_key_is_refused(build, how):
    keyed = build.key_by(build.source())
    stream = build.source("other") if how is None else build.partition(keyed, how)
    build.step("count", stream, key_selectors=(str,))
    with pytest.raises(GraphError, match="its first input is keyed but arrives by"):
        generate_stream_graph(build.program())


def test_every_stream_of_a_union_has_to_be_spread_by_key(build):
    numbers = build.source()
    build.step("count", build.union(build.key_by(numbers), numbers), key_selectors=(str,))
    with pytest.raises(GraphError, match="arrives by FORWARD"):
        generate_stream_graph(build.program())
