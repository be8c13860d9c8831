"""State with a time to live: what is cleaned up when, and a time to live that came or went."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.state.ttl_subtask import TTL, Subtask, Worker

from flott.common import Duration
from flott.errors import StateAccessError
from flott.runtime.state.ttl import Lifetime, lifetime_of, moments_of, with_moments, without_moments
from flott.runtime.state.ttl_sweep import without_expired


@pytest.fixture
def subtask(request):
    made = []

    def make(lifetime=None):
        made.append(Subtask(lifetime))
        return made[-1]

    yield make
    for one in made:
        one.close()


def fill(worker):
    worker.value.update(1)
    worker.list.add_all([1, 2])
    worker.map.put_all({"x": 1, "y": 2})


def read(worker):
    return worker.value.value(), list(worker.list), dict(worker.map.items())


FULL, EMPTY = (1, [1, 2], {"x": 1, "y": 2}), (None, [], {})


def test_a_time_to_live_that_was_taken_away_leaves_the_values(subtask):
    task = subtask(Lifetime(TTL))
    fill(task.at())
    task.end_epoch()
    task.clock.advance_to(1_000)
    task.begin(None)
    assert read(task.at()) == FULL
    task.at().list.add(3)
    task.end_epoch()
    task.begin(None)
    assert list(task.at().list) == [1, 2, 3]


def test_a_time_to_live_that_was_added_begins_when_a_value_is_first_seen(subtask):
    task = subtask(None)
    fill(task.at())
    task.end_epoch()
    task.clock.advance_to(1_000)
    task.begin(Lifetime(TTL))
    assert read(task.at()) == FULL
    task.at().list.add(3)
    task.end_epoch()
    task.clock.advance_to(1_009)
    task.begin(Lifetime(TTL))
    assert task.at().value.value() == 1
    task.clock.advance_to(1_010)
    assert read(task.at()) == EMPTY


def test_a_time_to_live_that_was_added_begins_when_the_sweep_comes_by(subtask):
    task = subtask(None)
    fill(task.at())
    task.end_epoch()
    lifetime = Lifetime(TTL, checks_per_epoch=100)
    task.begin(lifetime)
    task.end_epoch()
    assert all(moments_of(data) == (100,) * len(moments_of(data)) for data in task.stored().values())
    task.clock.advance_to(110)
    task.begin(lifetime)
    assert read(task.at()) == EMPTY


def test_elements_without_and_with_moments_share_a_list(subtask):
    task = subtask(None)
    task.at().list.add(1)
    task.end_epoch()
    task.begin(Lifetime(TTL))
    task.clock.advance_to(105)
    task.at().list.add(2)
    task.end_epoch()
    task.clock.advance_to(112)
    task.begin(Lifetime(TTL))
    # The first was only seen now; the second was added at 105.
    assert list(task.at().list) == [1, 2]
    task.clock.advance_to(116)
    assert list(task.at().list) == [1]


def test_reading_cleans_up_for_good(subtask):
    task = subtask(Lifetime(TTL))
    fill(task.at())
    task.end_epoch()
    assert len(task.stored()) == 4
    task.clock.advance_to(110)
    assert read(task.at()) == EMPTY
    task.end_epoch()
    assert task.stored() == {}


def test_the_sweep_goes_on_where_it_was_and_comes_round(subtask):
    task = subtask(Lifetime(TTL, checks_per_use=1))
    for key in range(20):
        task.at(key).value.update(key)
    task.end_epoch()
    task.clock.advance_to(200)
    left = []
    for _ in range(6):
        # Four uses of the state look at four entries, and none of them is of these keys.
        for _ in range(4):
            task.at("other").value.value()
        task.end_epoch()
        left.append(len(task.stored()))
    assert left == [16, 12, 8, 4, 0, 0]


def test_the_sweep_leaves_what_lives_and_what_this_epoch_wrote(subtask):
    task = subtask(Lifetime(TTL, checks_per_epoch=100))
    for key in range(5):
        task.at(key).value.update(key)
        task.at(key).list.add(key)
    task.end_epoch()
    task.clock.advance_to(105)
    for key in range(5):
        task.at(key).list.add(key + 10)
    task.at(0).value.update("new")
    task.clock.advance_to(112)
    task.at(1).value.update("newer")
    task.end_epoch()
    task.begin(Lifetime(TTL))
    assert [task.at(key).value.value() for key in range(5)] == ["new", "newer", None, None, None]
    assert [list(task.at(key).list) for key in range(5)] == [[10], [11], [12], [13], [14]]


def test_without_clean_up_the_store_keeps_what_nobody_reads(subtask):
    task = subtask(Lifetime(TTL))
    task.at().value.update(1)
    task.end_epoch()
    task.clock.advance_to(1_000)
    assert task.end_epoch().is_empty()
    assert len(task.stored()) == 1


def test_full_snapshots_leave_out_what_expired_and_the_store_keeps_it(subtask):
    task = subtask(Lifetime(TTL, left_out_of_snapshots=True))
    fill(task.at("old"))
    task.end_epoch()
    task.clock.advance_to(105)
    task.at("old").list.add(3)
    fill(task.at("new"))
    task.end_epoch()
    task.clock.advance_to(112)
    kept = dict(without_expired([task.worker.backend], task.stored().items(), task.clock.now()))
    assert len(task.stored()) == 9
    assert sorted(str(pickle.loads(data)) for data in kept.values()) == sorted(
        ["[3]", "1", "[1, 2]", "('x', 1)", "('y', 2)"]
    )
    # A state that did not ask for it keeps all.
    other = Worker(task.clock, Lifetime(TTL))
    assert dict(without_expired([other.backend], task.stored().items(), 10_000)) == task.stored()


def test_what_was_cleaned_up_is_not_seen_any_more_in_the_same_worker(subtask):
    visible = Lifetime(TTL, expired_is_visible=True, checks_per_epoch=100)
    task = subtask(visible)
    fill(task.at("a"))
    task.end_epoch()
    task.clock.advance_to(1_000)
    # Nothing is used: only the sweep comes by.
    task.end_epoch()
    assert task.stored() == {}
    worker = task.at("a")
    assert worker.value.value() is None
    assert list(worker.list.get()) == []
    assert list(worker.map) == []


def test_a_list_of_many_chunks_is_written_as_one_when_it_is_read(subtask):
    task = subtask(Lifetime(1_000))
    for number in range(20):
        task.at().list.add(number)
        task.end_epoch()
        task.begin(Lifetime(1_000))
    task.at().list.add(20)
    assert list(task.at().list) == list(range(21))
    task.end_epoch()
    assert len(task.stored()) == 1


@given(st.binary().map(lambda data: data + b"."), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_moments_stand_behind_any_entry(data, moments):
    entry = with_moments(data, moments)
    assert moments_of(entry) == tuple(moments)
    assert without_moments(entry) == data
    assert moments_of(data) is None
    assert without_moments(data) == data


@pytest.mark.job
@given(st.recursive(st.none() | st.integers() | st.text() | st.floats(allow_nan=False), st.lists))
def test_pickle_does_not_look_behind_the_entry(value):
    assert pickle.loads(with_moments(pickle.dumps(value, 5), [1, 2])) == value


def test_no_time_at_all_is_refused():
    config = SimpleNamespace(is_enabled=lambda: True, get_ttl=lambda: Duration.of_millis(0))
    descriptor = SimpleNamespace(get_name=lambda: "v", ttl_config=config)
    with pytest.raises(StateAccessError, match=r"state 'v'.*greater than 0"):
        lifetime_of(descriptor)
