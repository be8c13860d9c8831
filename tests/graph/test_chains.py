from __future__ import annotations

import pytest

from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.operator_ids import assign_operator_ids
from flott.graph.stream_graph import generate_stream_graph
from flott.graph.transformations import ChainingStrategy
from flott.runtime.partitioners import Broadcast, Custom, Forward, Global, KeyGroupHash, Rebalance, Rescale, Shuffle


def job(build, **settings):
    return build_epoch_plan(generate_stream_graph(build.program(**settings)))


def names(graph):
    return [vertex.name for vertex in graph.vertices]


def exchanges(graph):
    """Every exchange as (the operator it leaves, the vertex it goes to, input, ship strategy, tag)."""
    return [
        (
            graph.vertices[edge.source].chain[edge.source_position].name.removeprefix("Source: "),
            graph.vertices[edge.target].chain[0].name,
            edge.input_index,
            edge.partitioner.name,
            edge.tag,
        )
        for edge in graph.edges
    ]


def test_socket_window_count(build):
    """The worked example: 1 to 2 and 2 to 3 are not chainable, 3 to 4 is."""
    socket = build.source("socket", parallelism=1)
    split = build.step("split", socket)
    window = build.step("window", build.key_by(split), key_selectors=(str,))
    build.sink("out", window)
    graph = job(build)
    assert names(graph) == ["Source: socket", "split", "window -> Sink: out"]
    assert [vertex.level for vertex in graph.vertices] == [0, 1, 2]
    assert exchanges(graph) == [
        ("socket", "split", 0, "REBALANCE", None),
        ("split", "window", 0, "HASH", None),
    ]


# The vertices that Flink 2.3 makes of the same programs, by their names.


def test_a_chain_is_a_tree(build):
    numbers = build.source()
    a = build.step("a", numbers)
    b, c = build.step("b", a), build.step("c", a)
    build.step("d", b)
    build.step("e", build.partition(a, Rebalance()))
    build.step("f", c, parallelism=4)
    graph = job(build)
    assert sorted(names(graph)) == sorted(["Source: numbers -> a -> (b -> d, c)", "f", "e"])
    head, *_ = graph.vertices
    assert [(member.name, member.parent) for member in head.chain] == [
        ("Source: numbers", -1), ("a", 0), ("b", 1), ("d", 2), ("c", 1),
    ]  # fmt: skip
    assert exchanges(graph) == [("c", "f", 0, "REBALANCE", None), ("a", "e", 0, "REBALANCE", None)]


def test_start_new_chain_disable_chaining_and_slot_sharing_groups(build):
    stream = build.source()
    for name, settings in {
        "a": {},
        "b": {"chaining": ChainingStrategy.HEAD},
        "c": {},
        "d": {"chaining": ChainingStrategy.NEVER},
        "e": {},
        "f": {"slot_sharing_group": "other"},
        "g": {},
        "h": {"slot_sharing_group": "default"},
    }.items():
        stream = build.step(name, stream, **settings)
    assert names(job(build)) == ["Source: numbers -> a", "b -> c", "d", "e", "f -> g", "h"]


def test_a_diamond_comes_together_in_a_new_vertex(build):
    numbers = build.source()
    a, b = build.step("a", numbers), build.step("b", numbers)
    build.step("v", build.step("u", build.union(a, b)))
    build.step("w", build.union(numbers, numbers))
    graph = job(build)
    assert names(graph) == ["Source: numbers -> (a, b)", "u -> v", "w"]
    assert exchanges(graph) == [
        ("a", "u", 0, "FORWARD", None),
        ("b", "u", 0, "FORWARD", None),
        ("numbers", "w", 0, "FORWARD", None),
        ("numbers", "w", 0, "FORWARD", None),
    ]


def test_of_all_ship_strategies_only_forward_is_chained(build):
    numbers = build.source()
    for partitioner in (Shuffle(), Rebalance(), Rescale(), Global(), Broadcast(), Forward()):
        build.step(partitioner.name, build.partition(numbers, partitioner))
    spread = build.step("spread", numbers)
    values = build.step("values", build.partition(spread, Custom(lambda key, count: 0, str)))
    build.step("custom", values)
    assert sorted(names(job(build))) == [
        "BROADCAST", "GLOBAL", "REBALANCE", "RESCALE", "SHUFFLE", "Source: numbers -> (FORWARD, spread)",
        "values -> custom",
    ]  # fmt: skip


def test_several_sources_and_sinks(build):
    left, right = build.source("left"), build.source("right")
    build.sink("print", left)
    later = build.step("later", right)
    both = build.step("both", later, left, parallelism=1)
    build.sink("last", both, parallelism=1)
    build.step("loose", right)
    graph = job(build)
    assert names(graph) == ["Source: left -> Sink: print", "Source: right -> (later, loose)", "both -> Sink: last"]
    assert exchanges(graph) == [("left", "both", 1, "REBALANCE", None), ("later", "both", 0, "REBALANCE", None)]


# What Flott adds to look at: side outputs, ids, levels.


def test_a_chained_operator_may_read_a_side_output_of_its_parent(build):
    numbers = build.source()
    late = build.step("late", build.side(numbers, "late"))
    build.step("main", numbers)
    build.sink("other", build.side(late, "other"))
    build.step("far", build.partition(build.side(numbers, "far"), Global()), parallelism=1)
    graph = job(build)
    assert names(graph) == ["Source: numbers -> (late -> Sink: other, main)", "far"]
    assert [(member.parent, member.tag) for member in graph.vertices[0].chain] == [
        (-1, None), (0, "late"), (1, "other"), (0, None),
    ]  # fmt: skip
    assert exchanges(graph) == [("numbers", "far", 0, "GLOBAL", "far")]


def test_main_and_side_output_to_the_same_operator_are_two_exchanges(build):
    numbers = build.source()
    build.step("all", build.union(numbers, build.side(numbers, "late")))
    assert exchanges(job(build)) == [
        ("numbers", "all", 0, "FORWARD", None),
        ("numbers", "all", 0, "FORWARD", "late"),
    ]


def test_every_member_has_its_operator_id_and_the_vertex_that_of_its_head(build):
    numbers = build.source(uid="numbers")
    build.sink("out", build.step("map", numbers))
    stream_graph = generate_stream_graph(build.program())
    (vertex,) = build_epoch_plan(stream_graph).vertices
    ids = assign_operator_ids(stream_graph)
    assert [member.operator_id for member in vertex.chain] == [ids[node] for node in stream_graph.nodes]
    assert vertex.id == ids[numbers.id]


def test_the_vertex_takes_parallelism_and_max_parallelism_of_its_head(build):
    numbers = build.source(parallelism=3, max_parallelism=30)
    build.step("map", numbers, parallelism=3, max_parallelism=60)
    (vertex,) = job(build).vertices
    assert (vertex.parallelism, vertex.max_parallelism) == (3, 30)


def test_vertices_are_numbered_level_by_level_by_the_longest_path(build):
    one = build.source("one")
    far = build.step("far", build.partition(build.step("near", build.partition(one, Rebalance())), Rebalance()))
    two = build.source("two")
    build.step("skip", two, far)
    graph = job(build)
    assert [(vertex.level, vertex.name) for vertex in graph.vertices] == [
        (0, "Source: one"), (0, "Source: two"), (1, "near"), (2, "far"), (3, "skip"),
    ]  # fmt: skip
    assert [vertex.index for vertex in graph.vertices] == [0, 1, 2, 3, 4]


def test_without_chaining_every_operator_is_a_vertex(build):
    build.sink("out", build.step("map", build.source()))
    assert names(job(build, chaining_enabled=False)) == ["Source: numbers", "map", "Sink: out"]


def test_a_chain_may_be_longer_than_the_stack_of_python(build):
    stream = build.source()
    for number in range(2_000):
        stream = build.step(str(number), stream)
    (vertex,) = job(build).vertices
    assert len(vertex.chain) == 2_001
    assert vertex.name.startswith("Source: numbers -> 0 -> 1 -> ")


class Unhashable:
    def __call__(self, value):
        return value

    def __eq__(self, other):
        return self is other

    __hash__ = None


@pytest.mark.parametrize("wrap", [KeyGroupHash, lambda select: Custom(lambda key, count: 0, select)])
def test_a_key_selector_need_not_be_hashable(build, wrap):
    build.step("it", build.partition(build.source(), wrap(Unhashable())))
    assert len(job(build).edges) == 1


def test_printed_it_shows_every_vertex_with_what_it_reads(build):
    build.sink("out", build.key_by(build.step("map", build.source())), parallelism=1)
    assert str(job(build)) == "0 Source: numbers -> map ×2\n1 Sink: out ×1 ← 0 HASH"  # noqa: RUF001


def test_name_and_parameters_are_kept(build):
    build.source()
    graph = job(build, name="nightly", parameters={"day": "monday"})
    assert (graph.job_name, graph.parameters) == ("nightly", {"day": "monday"})
