from __future__ import annotations

import pytest

from flott.errors import GraphError
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.partitioners import Broadcast, Forward, Global, KeyGroupHash, Rebalance


def edges(graph):
    """Every edge as (source, target, input, ship strategy, tag), by names."""
    return [
        (
            graph.nodes[edge.source].step.name,
            graph.nodes[edge.target].step.name,
            edge.input_index,
            edge.partitioner.name,
            edge.tag,
        )
        for edge in graph.edges
    ]


def test_an_empty_program_is_refused(build):
    with pytest.raises(GraphError, match=r"program 'nightly' has no operators.*env.from_collection"):
        generate_stream_graph(build.program(name="nightly"))


def test_sources_and_sinks_say_what_they_are(build):
    numbers = build.source("numbers")
    build.sink("out", build.step("Map", numbers))
    build.sink("Sink: named already", numbers)
    graph = generate_stream_graph(build.program())
    assert [node.name for node in graph.nodes.values()] == [
        "Source: numbers",
        "Map",
        "Sink: out",
        "Sink: named already",
    ]


def test_steps_that_were_not_registered_are_found_by_their_consumers(build):
    out = build.sink("out", build.step("Map", build.source()))
    graph = generate_stream_graph(build.program(transformations=[out]))
    assert list(graph.nodes) == [1, 2, 3]


def test_the_default_is_forward_for_equal_parallelism_and_rebalance_otherwise(build):
    numbers = build.source("numbers")
    same = build.step("same", numbers)
    build.step("wider", same, parallelism=3)
    graph = generate_stream_graph(build.program())
    assert edges(graph) == [
        ("numbers", "same", 0, "FORWARD", None),
        ("same", "wider", 0, "REBALANCE", None),
    ]
    assert not any(edge.chosen for edge in graph.edges)


def test_a_chosen_partitioning_stays_whatever_the_parallelism(build):
    numbers = build.source("numbers")
    build.step("a", build.partition(numbers, Rebalance()))
    build.step("b", build.partition(numbers, Global()), parallelism=5)
    build.step("c", build.partition(numbers, Forward()))
    graph = generate_stream_graph(build.program())
    assert [edge.partitioner for edge in graph.edges] == [Rebalance(), Global(), Forward()]
    assert all(edge.chosen for edge in graph.edges)


def test_forward_between_different_parallelisms_is_refused(build):
    numbers = build.source("numbers", uid="n")
    build.step("score", build.partition(numbers, Forward()), parallelism=3)
    with pytest.raises(
        GraphError,
        match=r"^operator 'score' \(no uid\): forward\(\) .*operator 'numbers' \(uid=n\) has 2 and this has 3; "
        r"use rebalance\(\) or rescale\(\), or set_parallelism\(2\)",
    ):
        generate_stream_graph(build.program())


def test_two_inputs_side_outputs_and_unions_end_up_on_the_edges(build):
    left, right = build.source("left"), build.source("right")
    joined = build.step("joined", build.union(left, build.side(right, "odd")), build.partition(right, Broadcast()))
    graph = generate_stream_graph(build.program())
    assert edges(graph) == [
        ("left", "joined", 0, "FORWARD", None),
        ("right", "joined", 0, "FORWARD", "odd"),
        ("right", "joined", 1, "BROADCAST", None),
    ]
    node = graph.nodes[joined.id]
    assert node.in_edges == graph.edges
    assert graph.nodes[right.id].out_edges == graph.edges[1:]


def test_a_stream_united_with_itself_flows_twice(build):
    numbers = build.source("numbers")
    build.step("twice", build.union(numbers, numbers))
    graph = generate_stream_graph(build.program())
    assert edges(graph) == [("numbers", "twice", 0, "FORWARD", None)] * 2


@pytest.mark.parametrize(
    ("left", "right", "own", "expected"),
    [
        (None, None, None, "default"),
        ("io", "io", None, "io"),
        ("io", None, None, "default"),
        ("io", "cpu", None, "default"),
        ("io", "cpu", "gpu", "gpu"),
        ("io", "io", "default", "default"),
    ],
)
def test_the_slot_sharing_group_is_its_own_or_that_of_all_inputs(build, left, right, own, expected):
    first, second = build.source("first", slot_sharing_group=left), build.source("second", slot_sharing_group=right)
    joined = build.step("joined", first, build.union(second), slot_sharing_group=own)
    assert generate_stream_graph(build.program()).nodes[joined.id].slot_sharing_group == expected


def test_a_slot_sharing_group_is_inherited_through_side_outputs_and_on(build):
    numbers = build.source(slot_sharing_group="io")
    late = build.step("late", build.side(numbers, "late"))
    out = build.sink("out", late)
    assert generate_stream_graph(build.program()).nodes[out.id].slot_sharing_group == "io"


def test_buffer_timeout_and_settings_of_the_program_are_kept(build):
    numbers = build.source()
    flush = build.step("flush", numbers, buffer_timeout=0)
    graph = generate_stream_graph(
        build.program(name="nightly", chaining_enabled=False, buffer_timeout=50, parameters={"day": "monday"})
    )
    assert graph.nodes[numbers.id].buffer_timeout == 50
    assert graph.nodes[flush.id].buffer_timeout == 0
    assert (graph.name, graph.chaining_enabled, graph.parameters) == ("nightly", False, {"day": "monday"})


def test_uids_and_parallelism_are_checked(build):
    build.source("a", uid="x")
    build.source("b", uid="x")
    with pytest.raises(GraphError, match="has this uid too"):
        generate_stream_graph(build.program())
    build.steps.pop()
    with pytest.raises(GraphError, match="above max parallelism"):
        generate_stream_graph(build.program(parallelism=4, max_parallelism=2))


class Unhashable:
    """A key selector with state of its own, which Python can compare but not hash."""

    def __call__(self, value):
        return value

    __eq__ = object.__eq__
    __hash__ = None


def test_a_key_selector_need_not_be_hashable(build):
    select = Unhashable()
    build.step("count", build.partition(build.source(), KeyGroupHash(select)), key_selectors=(select,))
    assert generate_stream_graph(build.program()).edges[0].partitioner.name == "HASH"


def test_printed_it_shows_every_operator_with_what_it_reads(build):
    numbers = build.source("numbers")
    build.sink("late", build.side(numbers, "late"), parallelism=1)
    build.step("both", build.key_by(numbers), numbers, parallelism=4)
    assert str(generate_stream_graph(build.program())).splitlines() == [
        "1 Source: numbers ×2",  # noqa: RUF001
        "3 Sink: late ×1 ← 1[late] REBALANCE",  # noqa: RUF001
        "5 both ×4 ← 1 HASH ← 1 REBALANCE",  # noqa: RUF001
    ]
