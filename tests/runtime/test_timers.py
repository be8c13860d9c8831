from __future__ import annotations

import enum
from collections import namedtuple
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import StateAccessError
from flott.runtime import timer_queue
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.clock import ManualClock
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.store import StateStore
from flott.runtime.timers import TimerService

Point = namedtuple("Point", "x y")  # noqa: PYI024


class Colour(enum.Enum):
    RED = 1


class Rig:
    """A timer service over a real store, epoch by epoch."""

    tokens = count(1)

    def __init__(self, path, groups=128, cache_entries=200_000):
        self.store = StateStore(path, map_size=2**26)
        self.groups = groups
        self.cache_entries = cache_entries
        self.clock = ManualClock()
        self.fired = []
        self.carried = None
        self.fresh_worker()

    def fresh_worker(self):
        cache = CacheLimits(self.cache_entries)
        self.backend = KeyedBackend("op", "operator 'op'", range(self.groups), self.groups, cache)
        self.service = TimerService(
            self.backend,
            "user-timers",
            self.clock,
            lambda time, key: self.fired.append(("event", time, key)),
            lambda time, key: self.fired.append(("processing", time, key)),
        )
        self.begin()

    def begin(self):
        self.backend.begin(self.store)
        self.service.restore(self.carried)

    def end_epoch(self, *, moved=False):
        self.carried = self.service.snapshot()
        changes = EpochChanges()
        self.backend.flush(changes)
        token = f"t{next(self.tokens)}"
        self.store._apply(changes, token)
        self.backend.reached(token)
        if moved:
            self.fresh_worker()
        else:
            self.begin()
        return changes

    def register(self, key, time):
        self.backend.scope.key = key
        self.service.register_event_time_timer(time)

    def delete(self, key, time):
        self.backend.scope.key = key
        self.service.delete_event_time_timer(time)

    def advance(self, watermark):
        self.fired.clear()
        self.service.advance_watermark(watermark)
        return [(time, key) for _, time, key in self.fired]


@pytest.fixture
def rig(tmp_path):
    return Rig(tmp_path / "store")


def test_timers_fire_in_order_at_or_before_the_watermark(rig):
    for key, time in [("a", 30), ("b", 10), ("a", 20)]:
        rig.register(key, time)
    assert rig.advance(9) == []
    assert rig.advance(20) == [(10, "b"), (20, "a")]
    assert rig.advance(MAX_WATERMARK) == [(30, "a")]
    assert rig.advance(MAX_WATERMARK) == []


def test_one_timer_per_key_and_moment(rig):
    for _ in range(3):
        rig.register("a", 10)
    rig.register("b", 10)
    assert rig.advance(10) == [(10, "a"), (10, "b")]


def test_a_timer_registered_again_in_a_later_epoch_is_the_same_timer(rig):
    rig.register("a", 10)
    rig.end_epoch(moved=True)
    rig.register("a", 10)
    assert rig.advance(10) == [(10, "a")]
    rig.end_epoch(moved=True)
    assert rig.advance(100) == []


@pytest.mark.parametrize("moved", [False, True])
def test_timers_survive_the_epoch(rig, moved):
    for key in ("a", "b"):
        for time in (-50, 5, 1000):
            rig.register(key, time)
    rig.end_epoch(moved=moved)
    assert sorted(rig.advance(5)) == [(-50, "a"), (-50, "b"), (5, "a"), (5, "b")]
    rig.end_epoch(moved=moved)
    assert sorted(rig.advance(MAX_WATERMARK)) == [(1000, "a"), (1000, "b")]
    rig.end_epoch(moved=moved)
    assert list(rig.store.entries()) == []


@pytest.mark.parametrize("moved", [False, True])
def test_a_deleted_timer_does_not_fire(rig, moved):
    rig.register("a", 10)
    rig.register("b", 10)
    rig.delete("a", 10)
    rig.end_epoch(moved=moved)
    rig.delete("b", 10)
    rig.delete("nobody", 10)
    assert rig.advance(10) == []
    rig.end_epoch(moved=moved)
    assert rig.advance(100) == []
    assert list(rig.store.entries()) == []


def test_deleted_and_registered_again_in_one_epoch_fires(rig):
    rig.register("a", 10)
    rig.end_epoch(moved=True)
    rig.delete("a", 10)
    rig.register("a", 10)
    rig.end_epoch(moved=True)
    assert rig.advance(10) == [(10, "a")]


def test_a_timer_registered_by_a_callback_fires_in_the_same_pass_when_due(rig):
    def again(time, key):
        rig.fired.append(("event", time, key))
        if time < 30:
            rig.service.register_event_time_timer(time + 10)

    rig.service._on_event_time = again
    rig.register("a", 10)
    assert rig.advance(25) == [(10, "a"), (20, "a")]
    assert rig.advance(30) == [(30, "a")]


def test_the_watermark_is_new_and_the_key_set_during_callbacks(rig):
    seen = []
    rig.service._on_event_time = lambda time, _: seen.append(
        (time, rig.service.current_watermark(), rig.backend.scope.key)
    )
    rig.register("a", 10)
    rig.service.advance_watermark(40)
    assert seen == [(10, 40, "a")]
    with pytest.raises(StateAccessError, match="no key is set"):
        rig.service.register_event_time_timer(1)


def test_a_callback_can_delete_a_later_timer_of_its_key(rig):
    rig.service._on_event_time = lambda time, key: (
        rig.fired.append(("event", time, key)),
        rig.service.delete_event_time_timer(20),
    )
    rig.register("a", 10)
    rig.register("a", 20)
    assert rig.advance(50) == [(10, "a")]


def test_processing_time_is_a_queue_of_its_own(rig):
    rig.backend.scope.key = "a"
    rig.service.register_processing_time_timer(100)
    rig.service.register_event_time_timer(100)
    assert rig.service.next_processing_time() == 100
    rig.end_epoch(moved=True)
    assert rig.service.next_processing_time() == 100
    rig.service.advance_processing_time(100)
    assert rig.fired == [("processing", 100, "a")]
    assert rig.service.next_processing_time() is None


def test_a_deleted_processing_time_timer_wakes_nobody(rig):
    rig.backend.scope.key = "a"
    rig.service.register_processing_time_timer(100)
    rig.service.delete_processing_time_timer(100)
    assert rig.service.next_processing_time() is None


def test_the_watermark_is_carried_over_and_starts_anew_without_what_was_carried(rig):
    rig.advance(77)
    rig.end_epoch(moved=True)
    assert rig.service.current_watermark() == 77
    rig.carried = None
    rig.fresh_worker()
    assert rig.service.current_watermark() == MIN_TIMESTAMP


def test_timers_are_found_without_what_was_carried(rig):
    rig.register("a", -3)
    rig.end_epoch()
    rig.carried = None
    rig.fresh_worker()
    assert rig.advance(0) == [(-3, "a")]


@pytest.mark.parametrize(
    "key",
    [
        "text",
        7,
        -7,
        2.5,
        None,
        b"raw",
        ("a", 1),
        ("a", (1, None)),
        Point(1, 2),
        Colour.RED,
        "x" * 2000,
        True,
        ("y" * 500, 1),
    ],
    ids=lambda key: type(key).__name__,
)
def test_every_kind_of_key_comes_back_as_it_was(rig, key):
    rig.register(key, 1)
    rig.end_epoch(moved=True)
    ((_, back),) = rig.advance(1)
    assert back == key
    assert type(back) is type(key)


@pytest.mark.parametrize("time", [MIN_TIMESTAMP, -1, 0, MAX_WATERMARK])
def test_every_moment_can_be_stored(rig, time):
    rig.register("a", time)
    rig.end_epoch(moved=True)
    assert rig.advance(MAX_WATERMARK) == [(time, "a")]


@pytest.mark.parametrize("time", [1.5, "10", None, 2**63])
def test_a_time_that_is_no_whole_number_is_refused(rig, time):
    with pytest.raises(StateAccessError, match="whole number of milliseconds"):
        rig.register("a", time)


def test_nothing_registered_costs_no_store_access(rig):
    rig.advance(0)
    rig.end_epoch(moved=True)
    rig.backend._store = None  # any look would raise
    for watermark in range(1, 100):
        assert rig.advance(watermark) == []


def test_many_timers_are_read_as_they_become_due(tmp_path, monkeypatch):
    monkeypatch.setattr(timer_queue, "CHUNK", 8)
    rig = Rig(tmp_path / "store", groups=4, cache_entries=200)
    expected = sorted((time, key) for key in range(300) for time in (key % 7, 50 + key, 1000 + key % 3))
    for time, key in expected:
        rig.register(key, time)
    rig.end_epoch()
    assert rig.service.events.live_entries() == 0
    assert sorted(rig.advance(6)) == [pair for pair in expected if pair[0] <= 6]
    assert rig.service.events.live_entries() < 150
    rig.end_epoch()
    fired = rig.advance(MAX_WATERMARK)
    assert [time for time, _ in fired] == sorted(time for time, _ in fired)
    assert sorted(fired) == [pair for pair in expected if pair[0] > 6]
    rig.end_epoch(moved=True)
    assert list(rig.store.entries()) == []


operations = st.lists(
    st.one_of(
        st.tuples(st.just("register"), st.integers(0, 4), st.integers(-5, 20)),
        st.tuples(st.just("delete"), st.integers(0, 4), st.integers(-5, 20)),
        st.tuples(st.just("advance"), st.integers(-5, 22), st.just(0)),
        st.tuples(st.just("epoch"), st.booleans(), st.just(0)),
    ),
    max_size=80,
)


@given(operations)
def test_any_history_behaves_as_a_set(tmp_path_factory, script):
    rig = Rig(tmp_path_factory.mktemp("timers") / "store", groups=3, cache_entries=12)
    model = set()
    for action, first, second in script:
        if action == "register":
            rig.register(first, second)
            model.add((second, first))
        elif action == "delete":
            rig.delete(first, second)
            model.discard((second, first))
        elif action == "advance":
            fired = rig.advance(first)
            due = {timer for timer in model if timer[0] <= first}
            assert len(fired) == len(due)
            assert set(fired) == due
            assert [time for time, _ in fired] == sorted(time for time, _ in fired)
            model -= due
        else:
            rig.end_epoch(moved=first)
    assert set(rig.service.events.all()) == model
    rig.store.close()
