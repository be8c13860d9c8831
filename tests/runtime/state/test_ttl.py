"""State with a time to live against a plain Python model, over epochs and moves, and what is cleaned up when."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from flott.common import Duration
from flott.errors import StateAccessError
from flott.runtime.clock import ManualClock
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.compaction import next_lineage, write_file
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.lists import ListState
from flott.runtime.state.maps import MapState
from flott.runtime.state.store import StateStore
from flott.runtime.state.ttl import Lifetime, lifetime_of, moments_of, with_moments, without_moments
from flott.runtime.state.ttl_lists import ExpiringListState
from flott.runtime.state.ttl_maps import ExpiringMapState
from flott.runtime.state.ttl_sweep import without_expired
from flott.runtime.state.ttl_values import ExpiringAggregatingState, ExpiringReducingState, ExpiringValueState
from flott.runtime.state.values import ValueState
from flott.runtime.storage import LocalStorage

TTL = 10


def add(a, b):
    return a + b


class Sum:
    def create_accumulator(self):
        return []

    def add(self, value, accumulator):
        return [*accumulator, value]

    def get_result(self, accumulator):
        return sum(accumulator)

    def merge(self, a, b):
        return a + b


class Worker:
    """One process: its own live objects over the shared store; with or without a time to live."""

    def __init__(self, clock, lifetime):
        self.backend = backend = KeyedBackend("op", "operator 'x'", range(128), 128, CacheLimits(1_000))
        part = backend.part
        if lifetime is None:
            self.value = part("v", "value state", lambda: ValueState(backend, "v"))
            self.list = part("l", "list state", lambda: ListState(backend, "l"))
            self.map = part("m", "map state", lambda: MapState(backend, "m"))
            return
        args = lifetime, clock
        self.value = part("v", "value state", lambda: ExpiringValueState(backend, "v", *args))
        self.list = part("l", "list state", lambda: ExpiringListState(backend, "l", *args))
        self.map = part("m", "map state", lambda: ExpiringMapState(backend, "m", *args))
        self.sum = part("r", "reducing state", lambda: ExpiringReducingState(backend, "r", *args, add))
        self.total = part("a", "aggregating state", lambda: ExpiringAggregatingState(backend, "a", *args, Sum()))


class Subtask:
    """A store, and workers that take turns on it."""

    def __init__(self, lifetime):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        self.storage = LocalStorage(root / "files")
        self.store = StateStore(root / "store", map_size=2**26)
        self.lineage = Lineage()
        self.epoch = 0
        self.clock = ManualClock(100)
        self.begin(lifetime)

    def begin(self, lifetime=None, worker=None):
        self.worker = worker or Worker(self.clock, lifetime)
        self.store.bring_to(self.lineage, self.storage)
        self.worker.backend.begin(self.store)
        return self.worker

    def end_epoch(self):
        self.epoch += 1
        changes = {}
        self.worker.backend.flush(changes)
        if changes:
            token = f"t{self.epoch}"
            file = write_file(self.storage, f"s/delta-{self.epoch}", changes, token)
            self.lineage = next_lineage(self.lineage, file, self.store, self.storage, "s")
            self.store.bring_to(self.lineage, self.storage)
        self.worker.backend.reached(self.lineage.token)
        self.worker.backend.begin(self.store)
        return changes

    def at(self, key="k"):
        self.worker.backend.scope.key = key
        return self.worker

    def stored(self):
        return dict(self.store.scan(b""))

    def close(self):
        self.store.close()
        self.folder.cleanup()


@pytest.fixture
def subtask(request):
    made = []

    def make(lifetime=None):
        made.append(Subtask(lifetime))
        return made[-1]

    yield make
    for one in made:
        one.close()


keys = st.sampled_from(["a", "b"])
numbers = st.integers(1, 5)
map_keys = st.sampled_from(["x", "y"])


class LikeTheModel(RuleBasedStateMachine):
    """The rules of the seed documents, TTL-10 to TTL-16, as a model of pairs of value and moment."""

    @initialize(reading=st.booleans(), visible=st.booleans(), checks=st.sampled_from([0, 0, 3]))
    def start(self, reading, visible, checks):
        # What is visible after its life depends on what was cleaned up: without clean-up it can be told exactly.
        checks = 0 if visible else checks
        self.lifetime = Lifetime(TTL, renewed_by_reading=reading, expired_is_visible=visible, checks_per_use=checks)
        self.subtask = Subtask(self.lifetime)
        self.model = {}

    def of(self, key):
        self.worker = self.subtask.at(key)
        return self.model.setdefault(key, {"v": None, "l": [], "m": {}, "r": None, "a": None})

    @property
    def now(self):
        return self.subtask.clock.now()

    def over(self, pair):
        return pair[1] + TTL <= self.now

    def see(self, pair):
        """Return what is seen of a pair, and what becomes of it."""
        if pair is None:
            return None, None
        if self.over(pair):
            return (pair[0] if self.lifetime.expired_is_visible else None), None
        return pair[0], (pair[0], self.now) if self.lifetime.renewed_by_reading else pair

    def joined(self, pair):
        return pair is not None and (self.lifetime.expired_is_visible or not self.over(pair))

    @rule(by=st.integers(0, 12))
    def time_passes(self, by):
        self.subtask.clock.advance_to(self.subtask.clock.now() + by)

    @rule(key=keys, n=st.none() | numbers)
    def set_value(self, key, n):
        self.of(key)["v"] = None if n is None else (n, self.now)
        self.worker.value.update(n)

    @rule(key=keys, n=numbers)
    def append(self, key, n):
        self.of(key)["l"].append((n, self.now))
        self.worker.list.add(n)

    @rule(key=keys, ns=st.lists(numbers, max_size=3))
    def replace(self, key, ns):
        self.of(key)["l"] = [(n, self.now) for n in ns]
        self.worker.list.update(ns)

    @rule(key=keys, at=map_keys, n=numbers)
    def put(self, key, at, n):
        self.of(key)["m"][at] = (n, self.now)
        self.worker.map.put(at, n)

    @rule(key=keys, at=map_keys)
    def remove(self, key, at):
        self.of(key)["m"].pop(at, None)
        self.worker.map.remove(at)

    @rule(key=keys, n=numbers)
    def add(self, key, n):
        model = self.of(key)
        for name in ("r", "a"):
            before = model[name][0] if self.joined(model[name]) else 0
            model[name] = (before + n, self.now)
        self.worker.sum.add(n)
        self.worker.total.add(n)

    @rule(key=keys, at=map_keys)
    def look(self, key, at):
        model = self.of(key)
        worker = self.worker
        for name, seen in [("v", worker.value.value()), ("r", worker.sum.get()), ("a", worker.total.get())]:
            expected, model[name] = self.see(model[name])
            assert seen == expected
        expected, pair = self.see(model["m"].get(at))
        model["m"].pop(at, None)
        if pair is not None:
            model["m"][at] = pair
        assert worker.map.get(at) == expected

    @rule(key=keys)
    def look_at_all(self, key):
        model = self.of(key)
        seen = [(pair, *self.see(pair)) for pair in model["l"]]
        assert self.worker.list.get() == [value for _, value, _ in seen if value is not None]
        model["l"] = [after for _, _, after in seen if after is not None]
        entries = {at: self.see(pair) for at, pair in model["m"].items()}
        assert dict(self.worker.map.items()) == {at: value for at, (value, _) in entries.items() if value is not None}
        model["m"] = {at: after for at, (_, after) in entries.items() if after is not None}

    @rule(key=keys, at=map_keys)
    def ask(self, key, at):
        model = self.of(key)
        expected, pair = self.see(model["m"].pop(at, None))
        if pair is not None:
            model["m"][at] = pair
        assert (at in self.worker.map) == (expected is not None)

    @rule(key=keys)
    def clear(self, key):
        self.of(key)
        self.model[key] = {"v": None, "l": [], "m": {}, "r": None, "a": None}
        for state in (self.worker.value, self.worker.list, self.worker.map, self.worker.sum, self.worker.total):
            state.clear()

    @rule(new_worker=st.booleans())
    def end_epoch(self, new_worker):
        self.subtask.end_epoch()
        self.subtask.begin(self.lifetime, None if new_worker else self.subtask.worker)

    def teardown(self):
        if hasattr(self, "subtask"):
            self.subtask.close()


LikeTheModel.TestCase.settings = settings(stateful_step_count=40)
TestLikeTheModel = LikeTheModel.TestCase


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
    assert task.end_epoch() == {}
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
    kept = without_expired(task.worker.backend, task.stored(), task.clock.now())
    assert len(task.stored()) == 9
    assert sorted(str(pickle.loads(data)) for data in kept.values()) == sorted(
        ["[3]", "1", "[1, 2]", "('x', 1)", "('y', 2)"]
    )
    # A state that did not ask for it keeps all.
    other = Worker(task.clock, Lifetime(TTL))
    assert without_expired(other.backend, task.stored(), 10_000) == task.stored()


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
