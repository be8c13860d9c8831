"""Programs of any shape: what has to hold for the graph, the job and the plan of each of them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.graph.draw_mermaid import draw_mermaid
from flott.graph.draw_svg import draw_svg
from flott.graph.draw_text import draw_text
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.explain_json import execution_plan_json
from flott.graph.operator_ids import assign_operator_ids
from flott.graph.stream_graph import generate_stream_graph
from flott.graph.transformations import ChainingStrategy, Program
from flott.runtime.partitioners import Broadcast, Forward, Global, KeyGroupHash, Rebalance, Rescale, Shuffle

pytestmark = pytest.mark.job

PARTITIONERS = [Rebalance(), Rescale(), Shuffle(), Global(), Broadcast(), Forward(), KeyGroupHash(str)]


@dataclass(frozen=True)
class Reading:
    """How one input of a step is made: a union of earlier steps' outputs, spread somehow."""

    sources: list[int]
    tags: list[str | None]
    partitioner: Any


@dataclass(frozen=True)
class Recipe:
    """A step to be made, with inputs as numbers that are taken modulo the steps there are."""

    inputs: list[Reading]
    settings: dict[str, Any] = field(default_factory=dict)


readings = st.builds(
    Reading,
    sources=st.lists(st.integers(0, 30), min_size=1, max_size=3),
    tags=st.lists(st.sampled_from([None, None, None, "late", "odd"]), min_size=3, max_size=3),
    partitioner=st.sampled_from([None, None, None, *PARTITIONERS]),
)
settings = st.fixed_dictionaries(
    {},
    optional={
        "parallelism": st.integers(1, 4),
        "chaining": st.sampled_from(ChainingStrategy),
        "slot_sharing_group": st.sampled_from(["default", "io"]),
        "is_sink": st.booleans(),
    },
)
recipes = st.lists(
    st.builds(Recipe, inputs=st.lists(readings, min_size=0, max_size=2), settings=settings), min_size=1, max_size=12
)


def follow(builder, recipes, parallelism=2, *, uids=False):
    """Make the steps of a list of recipes."""
    made = []
    for number, recipe in enumerate(recipes):
        own = recipe.settings.get("parallelism", parallelism)
        # Without anything to read, a step becomes a source.
        streams = [stream(builder, reading, made, own, parallelism) for reading in recipe.inputs] if made else []
        extra = {"uid": f"uid {len(builder.steps)}"} if uids else {}
        if streams:
            made.append(builder.step(f"step {number}", *streams, **recipe.settings, **extra))
        else:
            made.append(builder.source(f"source {number}", **recipe.settings, **extra))
    return made


def stream(builder, reading, made, own, parallelism):
    origins = [made[source % len(made)] for source in reading.sources]
    streams = [builder.side(origin, tag) if tag else origin for origin, tag in zip(origins, reading.tags, strict=False)]
    united = builder.union(*streams) if len(streams) > 1 else streams[0]
    equal = all((origin.parallelism or parallelism) == own for origin in origins)
    if reading.partitioner is None or (isinstance(reading.partitioner, Forward) and not equal):
        return united
    return builder.partition(united, reading.partitioner)


def chainable(graph, edge):
    """The nine conditions once more, from the book."""
    upstream, downstream = graph.nodes[edge.source], graph.nodes[edge.target]
    return (
        len(downstream.in_edges) == 1
        and downstream.step.operator is not None
        and upstream.step.operator is not None
        and upstream.slot_sharing_group == downstream.slot_sharing_group
        and downstream.step.chaining == ChainingStrategy.ALWAYS
        and upstream.step.chaining in (ChainingStrategy.ALWAYS, ChainingStrategy.HEAD)
        and edge.partitioner.name == "FORWARD"
        and upstream.parallelism == downstream.parallelism
        and graph.chaining_enabled
    )


@given(recipes=recipes, chaining=st.booleans())
def test_every_operator_is_in_one_vertex_and_edges_are_chained_exactly_when_they_may_be(new_builder, recipes, chaining):
    builder = new_builder()
    steps = follow(builder, recipes)
    graph = generate_stream_graph(builder.program(chaining_enabled=chaining))
    job = build_epoch_plan(graph)
    assert sorted(graph.nodes) == sorted(step.id for step in steps)
    node_of = {operator_id: node for node, operator_id in assign_operator_ids(graph).items()}
    members = [node_of[member.operator_id] for vertex in job.vertices for member in vertex.chain]
    assert sorted(members) == sorted(graph.nodes)

    inside, between = Counter(), Counter()
    for vertex in job.vertices:
        ids = [node_of[member.operator_id] for member in vertex.chain]
        inside.update(
            (ids[member.parent], ids[position], member.tag)
            for position, member in enumerate(vertex.chain)
            if member.parent >= 0
        )
    for edge in job.edges:
        source = job.vertices[edge.source].chain[edge.source_position]
        between[node_of[source.operator_id], node_of[job.vertices[edge.target].id], edge.tag] += 1
    assert inside == Counter((e.source, e.target, e.tag) for e in graph.edges if chainable(graph, e))
    assert between == Counter((e.source, e.target, e.tag) for e in graph.edges if not chainable(graph, e))


@given(recipes=recipes)
def test_edges_follow_the_program(new_builder, recipes):
    builder = new_builder()
    follow(builder, recipes)
    graph = generate_stream_graph(builder.program())
    positions = {node: position for position, node in enumerate(graph.nodes)}
    for edge in graph.edges:
        assert positions[edge.source] < positions[edge.target]
        same = graph.nodes[edge.source].parallelism == graph.nodes[edge.target].parallelism
        if not edge.chosen:
            assert edge.partitioner == (Forward() if same else Rebalance())
        assert same or not isinstance(edge.partitioner, Forward)
    for node in graph.nodes.values():
        assert [edge for edge in graph.edges if edge.target == node.id] == list(node.in_edges)
        assert {edge for edge in graph.edges if edge.source == node.id} == set(node.out_edges)
        assert [edge.input_index for edge in node.in_edges] == sorted(edge.input_index for edge in node.in_edges)
        assert {edge.input_index for edge in node.in_edges} == set(range(len(node.step.inputs)))


@given(recipes=recipes)
def test_levels_grow_along_edges_and_partitions_and_channels_have_no_gap(new_builder, recipes):
    builder = new_builder()
    follow(builder, recipes)
    plan = build_epoch_plan(generate_stream_graph(builder.program()))
    assert [vertex.index for vertex in plan.vertices] == list(range(len(plan.vertices)))
    for vertex in plan.vertices:
        before = [plan.vertices[edge.source].level for edge in plan.inputs_of(vertex)]
        assert vertex.level == max(before, default=-1) + 1
        assert vertex.chain[0].parent == -1
        assert all(0 <= member.parent < position for position, member in enumerate(vertex.chain) if position)
    for level in plan.levels:
        owners = [plan.vertex_at(level.index, partition) for partition in range(level.partitions)]
        assert Counter(owner.index for owner, _ in owners) == {
            vertex.index: vertex.parallelism for vertex in plan.vertices if vertex.level == level.index
        }
    channels = [
        edge.first_channel + subtask for edge in plan.edges for subtask in range(plan.vertices[edge.source].parallelism)
    ]
    assert channels == list(range(len(channels)))
    assert [edge.index for edge in plan.edges] == list(range(len(plan.edges)))


@given(recipes=recipes, first_id=st.integers(0, 1_000), parallelism=st.integers(1, 4))
def test_ids_are_unique_and_the_same_when_the_program_is_built_again(new_builder, recipes, first_id, parallelism):
    # An explicit forward() is left out: it would not allow another parallelism.
    recipes = [
        Recipe(
            [replace(reading, partitioner=None) if reading.partitioner == Forward() else reading for reading in inputs],
            settings,
        )
        for inputs, settings in ((recipe.inputs, recipe.settings) for recipe in recipes)
    ]
    builder, again = new_builder(), new_builder(last_id=first_id)
    steps = follow(builder, recipes)
    others = follow(again, [Recipe(recipe.inputs) for recipe in recipes], parallelism)
    ids = assign_operator_ids(generate_stream_graph(builder.program()))
    others_ids = assign_operator_ids(generate_stream_graph(again.program(parallelism=parallelism)))
    assert len(set(ids.values())) == len(steps)
    assert [ids[step.id] for step in steps] == [others_ids[step.id] for step in others]


@given(recipes=recipes, data=st.data())
def test_with_uids_the_order_of_registration_does_not_matter(new_builder, recipes, data):
    builder = new_builder()
    follow(builder, recipes, uids=True)
    ids = assign_operator_ids(generate_stream_graph(builder.program()))
    shuffled = data.draw(st.permutations(builder.steps))
    assert assign_operator_ids(generate_stream_graph(builder.program(transformations=shuffled))) == ids


@given(branches=st.lists(recipes, min_size=2, max_size=3), data=st.data())
def test_independent_branches_whose_sources_have_uids_may_be_written_in_any_order(new_builder, branches, data):
    def ids_of(order):
        builder = new_builder()
        made = {}
        for branch in order:
            made[branch] = follow(builder, branches[branch])
            for position, step in enumerate(made[branch]):
                if step.is_source:
                    step.uid = f"{branch}-{position}"
        ids = assign_operator_ids(generate_stream_graph(builder.program()))
        return {branch: [ids[step.id] for step in steps] for branch, steps in made.items()}

    order = data.draw(st.permutations(range(len(branches))))
    assert ids_of(order) == ids_of(range(len(branches)))


@given(recipes=recipes)
def test_every_program_can_be_drawn(new_builder, recipes):
    builder = new_builder()
    steps = follow(builder, recipes)
    program: Program = builder.program()
    graph = generate_stream_graph(program)
    job = build_epoch_plan(graph)
    assert len(json.loads(execution_plan_json(graph))["nodes"]) == len(steps)
    picture = ET.fromstring(draw_svg(job))  # noqa: S314
    words = [text for element in picture.iter("{http://www.w3.org/2000/svg}text") for text in element.itertext()]
    drawings = (draw_text(job), draw_mermaid(job), "\n".join(words))
    for vertex in job.vertices:
        for member in vertex.chain:
            assert all(member.name in drawing for drawing in drawings)
