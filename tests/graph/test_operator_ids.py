from __future__ import annotations

import subprocess
import sys

import pytest

from flott.errors import GraphError
from flott.graph.operator_ids import assign_operator_ids
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.partitioners import Rebalance

HASH = "0123456789abcdef0123456789abcdef"


def ids_by_name(build, **settings):
    graph = generate_stream_graph(build.program(**settings))
    return {graph.nodes[node].step.name: name for node, name in assign_operator_ids(graph).items()}


def word_count(build, **count_settings):
    words = build.source("words")
    lower = build.step("lower", words)
    count = build.step("count", build.key_by(lower), key_selectors=(str,), **count_settings)
    build.sink("out", count)
    return build


def test_ids_have_32_hexadecimal_digits_and_differ(build):
    ids = ids_by_name(word_count(build, uid="count"))
    assert len(set(ids.values())) == 4
    assert all(len(value) == 32 and int(value, 16) >= 0 and value == value.lower() for value in ids.values())


def test_ids_are_these_in_every_version(build):
    # Written down: if they change, state of running jobs no longer finds its operators.
    assert ids_by_name(word_count(build, uid="count")) == {
        "words": "1e9395f14c05d29439c841dfa489518d",
        "lower": "06f4924fe27100b5ddc2f1fbbdc7e33b",
        "count": "def1941df6767c50f16f03fd67f79575",
        "out": "c009d2daa5f7b2872e7b4b1b849bfa01",
    }


def test_a_uid_alone_decides(build, new_builder):
    other = new_builder()
    other.step("renamed", other.source("something else"), other.source(), uid="count", parallelism=7)
    assert ids_by_name(word_count(build, uid="count"))["count"] == ids_by_name(other)["renamed"]


def test_a_uid_hash_is_taken_as_it_is_and_comes_before_the_uid(build):
    assert ids_by_name(word_count(build, uid="count", uid_hash=HASH))["count"] == HASH


def test_a_uid_hash_in_capitals_is_the_same_id(build):
    assert ids_by_name(word_count(build, uid_hash=HASH.upper()))["count"] == HASH


def test_a_uid_hash_that_repeats_a_generated_id_is_refused(build):
    words = build.source("words")
    build.sink("out", words, uid_hash=assign_operator_ids(generate_stream_graph(build.program()))[words.id])
    with pytest.raises(GraphError, match=r"operator 'out' .* and operator 'words' .*both get operator id 1e93"):
        assign_operator_ids(generate_stream_graph(build.program()))


def test_names_counters_parallelism_and_chaining_do_not_count(build, new_builder):
    plain = word_count(build)
    other = word_count(new_builder(last_id=1_000))
    expected = list(ids_by_name(plain).values())
    for step, parallelism in zip(other.steps, (1, 5, 3, 4), strict=True):
        step.name = f"other {step.name}"
        step.parallelism = parallelism
    assert list(ids_by_name(other, chaining_enabled=False).values()) == expected


def test_unrelated_operators_do_not_count_with_uid_or_without(build, new_builder):
    expected = ids_by_name(word_count(build))
    larger = word_count(new_builder())
    extra = larger.source("extra", uid="extra")
    larger.sink("extra out", extra)
    larger.sink("tap", larger.steps[1], uid="tap")
    assert expected.items() <= ids_by_name(larger).items()


def test_operators_with_uids_before_it_do_not_move_a_twin(build, new_builder):
    def taps(builder, *first):
        words = builder.source("words")
        for name in first:
            builder.sink(name, words, uid=name)
        builder.sink("left", words)
        builder.sink("right", words)
        return builder

    expected = ids_by_name(taps(build))
    assert expected["left"] != expected["right"]
    assert expected.items() <= ids_by_name(taps(new_builder(), "a", "b")).items()


def test_what_feeds_an_operator_counts(build, new_builder):
    def one_step(partitioner=None, tag=None, feed="words"):
        builder = new_builder()
        words = builder.source("words")
        stream = builder.step("extra", words) if feed == "extra" else words
        stream = builder.side(stream, tag) if tag else stream
        builder.step("it", builder.partition(stream, partitioner) if partitioner else stream)
        return ids_by_name(builder)["it"]

    assert len({one_step(), one_step(Rebalance()), one_step(tag="late"), one_step(feed="extra")}) == 4


def test_an_operator_put_in_between_does_not_take_the_keyed_ones_id(build, new_builder):
    changed = new_builder()
    stream = changed.step("lower", changed.source("words"))
    stream = changed.step("filter", stream)
    changed.step("count", changed.key_by(stream), key_selectors=(str,))
    assert ids_by_name(word_count(build))["count"] not in ids_by_name(changed).values()


def test_left_and_right_are_not_the_same(build, new_builder):
    def join(*order):
        builder = new_builder()
        sides = [builder.source("left"), builder.source("right")]
        builder.step("join", *(sides[index] for index in order))
        return ids_by_name(builder)["join"]

    assert join(0, 1) != join(1, 0)


def test_the_order_of_registration_does_not_count(build):
    words = build.source("words")
    build.sink("left", words)
    build.sink("right", words)
    expected = ids_by_name(build)
    build.steps.reverse()
    assert ids_by_name(build) == expected


def test_any_text_is_a_uid(build):
    for uid in ("", "\ud800", "a:b", "ünï", "\x00"):
        build.source(f"source {uid!r}", uid=uid)
    assert len(set(ids_by_name(build).values())) == 5


PROGRAM = """
from flott.graph.operator_ids import assign_operator_ids
from flott.graph.stream_graph import generate_stream_graph
from flott.graph.transformations import PhysicalTransformation, Program
from flott.runtime.operator import Operator
source = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object())
steps = [PhysicalTransformation(id=i, name="out", inputs=(source,), operator=Operator()) for i in range(2, 6)]
print(sorted(assign_operator_ids(generate_stream_graph(Program(name="job", transformations=steps))).items()))
"""


@pytest.mark.job
def test_ids_are_the_same_in_every_process():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "1e9395f14c05d29439c841dfa489518d" in outputs.pop()
