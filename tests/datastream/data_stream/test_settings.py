from __future__ import annotations

import pytest

from flott.datastream import SlotSharingGroup, StreamExecutionEnvironment
from flott.errors import GraphError
from flott.graph.transformations import ChainingStrategy


@pytest.fixture
def mapped(env):
    return env.from_sequence(1, 9).map(str)


def test_setters_set_and_return_the_stream(mapped):
    chained = (
        mapped.name("texts")
        .uid("texts-1")
        .set_uid_hash("0" * 32)
        .set_description("numbers as text")
        .set_parallelism(3)
        .set_max_parallelism(8)
        .set_buffer_timeout(5)
        .slot_sharing_group("heavy")
        .start_new_chain()
    )
    assert chained is mapped
    step = mapped.get_transformation()
    assert (step.name, step.uid, step.uid_hash) == ("texts", "texts-1", "0" * 32)
    assert step.description == "numbers as text"
    assert (step.parallelism, step.max_parallelism, step.buffer_timeout) == (3, 8, 5)
    assert step.slot_sharing_group == "heavy"
    assert step.chaining is ChainingStrategy.HEAD
    assert mapped.get_name() == "texts"
    assert mapped.get_parallelism() == 3
    assert mapped.disable_chaining().get_transformation().chaining is ChainingStrategy.NEVER


def test_a_sink_can_be_set_too(mapped):
    sink = mapped.print().name("out").uid("out-1").set_parallelism(1).disable_chaining().set_description("all of it")
    step = sink.get_transformation()
    assert step.is_sink
    assert (step.name, step.uid, step.parallelism, step.description) == ("out", "out-1", 1, "all of it")


def test_a_group_with_resources_makes_itself_known(env, mapped):
    group = SlotSharingGroup.builder("models").set_cpu_cores(1).set_task_heap_memory_mb(1).build()
    mapped.slot_sharing_group(group)
    assert mapped.get_transformation().slot_sharing_group == "models"
    assert env._slot_sharing_groups == {"models": group}


def test_minus_one_stands_for_the_default(env, mapped):
    mapped.set_parallelism(5).set_parallelism(-1).set_buffer_timeout(5).set_buffer_timeout(-1)
    assert mapped.get_transformation().parallelism is None
    assert mapped.get_transformation().buffer_timeout is None
    assert mapped.get_parallelism() == env.get_parallelism() == 2


def test_forced_into_one_subtask(mapped):
    step = mapped.force_non_parallel().get_transformation()
    assert (step.parallelism, step.max_parallelism, step.parallelism_fixed) == (1, 1, True)
    assert mapped.set_parallelism(1).get_parallelism() == 1
    with pytest.raises(GraphError, match="sees the stream as a whole"):
        mapped.set_parallelism(2)
    with pytest.raises(GraphError, match="parallelism 1 only"):
        mapped.set_max_parallelism(2)


@pytest.mark.parametrize("parallelism", [0, -2, 1.5, True, "2"])
def test_a_parallelism_is_a_positive_number(mapped, parallelism):
    with pytest.raises(GraphError, match="1 or more"):
        mapped.set_parallelism(parallelism)


@pytest.mark.parametrize("max_parallelism", [0, 32769, None])
def test_a_max_parallelism_has_limits(mapped, max_parallelism):
    with pytest.raises(GraphError, match="between 1 and 32768"):
        mapped.set_max_parallelism(max_parallelism)


def test_parallelism_stays_within_max_parallelism_whichever_comes_first(mapped):
    mapped.set_max_parallelism(4)
    with pytest.raises(GraphError, match="parallelism 5 is above max parallelism 4"):
        mapped.set_parallelism(5)
    mapped.set_parallelism(4)
    with pytest.raises(GraphError, match="parallelism 4 is above max parallelism 3"):
        mapped.set_max_parallelism(3)


def test_the_environments_parallelism_must_fit_as_well(env, mapped):
    mapped.set_max_parallelism(1)
    with pytest.raises(GraphError, match="parallelism 2 is above max parallelism 1"):
        env.get_stream_graph()


def test_a_uid_has_one_owner(env, mapped):
    mapped.uid("a")
    with pytest.raises(GraphError, match=r"operator 'Map' \(uid=a\) has this uid already.*uid\('a-2'\)"):
        env.from_sequence(1, 2).uid("a")


def test_a_uid_can_be_given_again_once_its_owner_has_another(env, mapped):
    mapped.uid("a").uid("a").uid("b")
    assert env.from_sequence(1, 2).uid("a").get_transformation().uid == "a"


@pytest.mark.parametrize("uid", ["", None, 3])
def test_a_uid_is_a_text(mapped, uid):
    with pytest.raises(GraphError, match="a uid is a text"):
        mapped.uid(uid)


def test_a_wrong_buffer_timeout(mapped):
    with pytest.raises(GraphError, match="-1 for the default"):
        mapped.set_buffer_timeout(-2)


SETTINGS = {
    "name": "x",
    "uid": "x",
    "set_uid_hash": "0" * 32,
    "set_description": "x",
    "set_parallelism": 2,
    "set_max_parallelism": 2,
    "set_buffer_timeout": 2,
    "slot_sharing_group": "x",
    "get_name": None,
    "force_non_parallel": None,
    "start_new_chain": None,
    "disable_chaining": None,
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda stream: stream.key_by(str), "a keyed stream is no operator.*before key_by"),
        (lambda stream: stream.rebalance(), "only says where records go"),
        (lambda stream: stream.union(stream), "only says where records go"),
    ],
)
def test_what_is_no_operator_has_no_settings(env, setting, make, message):
    stream = make(env.from_sequence(1, 9))
    value = SETTINGS[setting]
    with pytest.raises(GraphError, match=f"{setting}.*{message}"):
        getattr(stream, setting)(*([] if value is None else [value]))


def test_each_environment_counts_for_itself():
    first, second = (StreamExecutionEnvironment.get_execution_environment() for _ in range(2))
    assert first.from_sequence(1, 2).get_id() == second.from_sequence(1, 2).get_id() == 1
    assert first.from_sequence(1, 2).map(str).get_id() == 3
