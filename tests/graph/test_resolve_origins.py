from __future__ import annotations

import pytest

from flott.errors import GraphError
from flott.graph.resolve_origins import Origin, resolve_origins
from flott.graph.transformations import PartitionTransformation, Transformation
from flott.runtime.operator import MultiInputOperator, Operator
from flott.runtime.partitioners import Broadcast, Rebalance, Shuffle


def test_inputs_come_first_and_each_step_once(build):
    left, right = build.source("left"), build.source("right")
    joined = build.step("joined", build.key_by(right), build.key_by(left))
    again = build.sink("again", build.union(joined, left))
    origins = resolve_origins([again, joined, left])
    assert [step.name for step in origins] == ["right", "left", "joined", "again"]
    assert [[origin.step for origin in streams] for streams in origins[joined]] == [[right], [left]]
    assert origins[again] == ((Origin(joined), Origin(left)),)


def test_of_several_partitionings_the_one_nearest_the_consumer_counts(build):
    numbers = build.source()
    stream = build.partition(build.partition(numbers, Rebalance()), Shuffle())
    mapped = build.step("map", stream)
    assert resolve_origins([mapped])[mapped] == ((Origin(numbers, Shuffle()),),)


def test_a_partitioning_behind_a_union_replaces_those_before_it(build):
    numbers = build.source()
    shuffled = build.partition(numbers, Shuffle())
    before = build.step("before", build.union(shuffled, numbers))
    behind = build.step("behind", build.partition(build.union(shuffled, numbers), Broadcast()))
    origins = resolve_origins([before, behind])
    assert origins[before] == ((Origin(numbers, Shuffle()), Origin(numbers)),)
    assert origins[behind] == ((Origin(numbers, Broadcast()), Origin(numbers, Broadcast())),)


def test_side_output_and_partitioning_go_together_in_either_order(build):
    numbers = build.source()
    one = build.step("one", build.partition(build.side(numbers, "late"), Shuffle()))
    two = build.step("two", build.side(build.partition(numbers, Shuffle()), "late"))
    origins = resolve_origins([one, two])
    assert origins[one] == origins[two] == ((Origin(numbers, Shuffle(), "late"),),)


def test_a_side_output_of_a_union_is_that_of_all_its_streams(build):
    left, right = build.source("left"), build.source("right")
    late = build.step("late", build.side(build.union(left, right), "late"))
    assert resolve_origins([late])[late] == ((Origin(left, tag="late"), Origin(right, tag="late")),)


def test_a_program_may_be_deeper_than_the_stack_of_python(build):
    stream = build.source()
    for number in range(3_000):
        stream = build.step(str(number), build.partition(stream, Rebalance()))
    assert len(resolve_origins([stream])) == 3_001


def test_a_cycle_is_named(build):
    first = build.source()
    middle = build.step("middle", first)
    last = build.step("last", middle, uid="l")
    middle.inputs = (last,)
    with pytest.raises(GraphError, match=r"^operator 'last' \(uid=l\) feeds itself by way of operator 'middle'"):
        resolve_origins([last])


def test_steps_of_two_environments_do_not_mix(build, new_builder):
    mine, theirs = build.source("mine"), new_builder().source("theirs")
    with pytest.raises(GraphError, match=r"'theirs'.*'mine'.* the same id 1; .*one StreamExecutionEnvironment"):
        resolve_origins([mine, theirs])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: b.step("m"), r"operator 'm' \(no uid\) has no input and is no source; .*stream.map"),
        (lambda b: b.source("m", operator=None), "operator 'm' .* has None where an Operator is needed"),
        (lambda b: b.step("m", b.source(), source=object()), "'m' .* is a source, yet has 1 input"),
        (lambda b: b.step("m", b.source(), operator=MultiInputOperator()), "has 1 input.* takes 2"),
        (lambda b: b.step("m", b.source(), b.source(), operator=Operator()), "has 2 input.* a Operator, takes 1"),
        (
            lambda b: b.step("m", b.source(), b.source(), b.source(), operator=MultiInputOperator()),
            r"has 3 input.*a\.union\(b, c\)",
        ),
        (lambda b: b.step("m", b.union()), "step 'Union' has 0 inputs; a union needs one or more"),
        (
            lambda b: b.step("m", PartitionTransformation(id=9, name="P", partitioner=Shuffle())),
            "step 'P' has 0 inputs; .*exactly one",
        ),
        (
            lambda b: b.step("m", Transformation(id=9, name="Feedback", inputs=(b.source(),))),
            "step 'Feedback' is a Transformation, which no rule translates",
        ),
    ],
)
def test_a_malformed_step_is_named_with_the_right_form(build, make, message):
    with pytest.raises(GraphError, match=message):
        resolve_origins([make(build)])
