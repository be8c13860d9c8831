"""Every kind of keyed state against a plain Python model, over epochs, moves between processes and failed epochs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from flott.errors import StateAccessError
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import next_lineage, write_file
from flott.runtime.state.keys_of_state import keys_of_state
from flott.runtime.state.kinds import AGGREGATING_STATE, LIST_STATE, MAP_STATE, REDUCING_STATE, ROW_LISTS, VALUE_STATE
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.lists import ListState
from flott.runtime.state.maps import MapState
from flott.runtime.state.prefetch import PrefetchPolicy
from flott.runtime.state.row_lists import LONG_TAIL, RowLists
from flott.runtime.state.seen_values import SeenValues
from flott.runtime.state.store import StateStore
from flott.runtime.state.values import AggregatingState, ReducingState, ValueState
from flott.runtime.storage import LocalStorage


class Mean:
    def create_accumulator(self):
        return (0, 0)

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class Process:
    """One worker process: its own live objects over the shared store."""

    def __init__(self, cache_entries=1_000):
        self.backend = KeyedBackend("op", "operator 'x'", range(128), 128, CacheLimits(cache_entries))
        part = self.backend.part
        self.value = part("v", VALUE_STATE, lambda: ValueState(self.backend, "v"))
        self.list = part("l", LIST_STATE, lambda: ListState(self.backend, "l"))
        self.map = part("m", MAP_STATE, lambda: MapState(self.backend, "m"))
        self.sum = part("r", REDUCING_STATE, lambda: ReducingState(self.backend, "r", lambda a, b: a + b))
        self.rows = part("rows", ROW_LISTS, lambda: RowLists(self.backend, "rows"))
        self.seen = part("s", MAP_STATE, lambda: SeenValues(self.backend, "s"))
        self.mean = part("a", AGGREGATING_STATE, lambda: AggregatingState(self.backend, "a", Mean()))


KEYS = ["a", "b", ("t", 1), "long" * 200, None, 7]
keys = st.sampled_from(KEYS)
numbers = st.integers(-5, 5)
map_keys = st.sampled_from(["x", "y", 1, ("p", 2), "u" * 300])


def empty():
    return {"v": None, "l": [], "m": {}, "r": None, "a": [], "rows": [], "seen": set()}


class StatesLikeTheModel(RuleBasedStateMachine):
    @initialize(cache=st.sampled_from([0, 3, 1_000]))
    def start(self, cache):
        import tempfile
        from pathlib import Path

        self.directory = tempfile.TemporaryDirectory()
        root = Path(self.directory.name)
        self.storage = LocalStorage(root / "files")
        self.store = StateStore(root / "store", map_size=2**26)
        self.workers = [Process(cache), Process(cache)]
        self.lineage = Lineage()
        self.epoch = 0
        self.model = {}
        self.committed = {}
        self._begin(0)

    def _begin(self, worker):
        self.worker = self.workers[worker]
        self.store.bring_to(self.lineage, self.storage)
        self.worker.backend.begin(self.store)

    def _copy(self, model):
        import copy

        return copy.deepcopy(model)

    def of(self, key):
        self.worker.backend.scope.key = key
        return self.model.setdefault(key, empty())

    @rule(key=keys, n=st.none() | numbers)
    def set_value(self, key, n):
        self.of(key)["v"] = n
        self.worker.value.update(n)

    @rule(key=keys, n=numbers)
    def append(self, key, n):
        self.of(key)["l"].append(n)
        self.worker.list.add(n)

    @rule(key=keys, ns=st.lists(numbers, max_size=3))
    def replace_list(self, key, ns):
        self.of(key)["l"] = list(ns)
        self.worker.list.update(ns)

    @rule(key=keys, at=map_keys, n=st.none() | numbers)
    def put(self, key, at, n):
        self.of(key)["m"][at] = n
        self.worker.map.put(at, n)

    @rule(key=keys, at=map_keys)
    def remove(self, key, at):
        self.of(key)["m"].pop(at, None)
        self.worker.map.remove(at)

    @rule(key=keys, n=numbers)
    def add(self, key, n):
        model = self.of(key)
        model["r"] = n if model["r"] is None else model["r"] + n
        model["a"].append(n)
        self.worker.sum.add(n)
        self.worker.mean.add(n)

    @rule(some=st.sets(keys, min_size=1), row=numbers, times=st.sampled_from([1, 3, LONG_TAIL]))
    def add_rows(self, some, row, times):
        for key in some:
            self.of(key)["rows"] += [row] * times
        self.worker.rows.add_all(some, [[row] * times for _ in some])

    @rule(some=st.sets(keys, min_size=1))
    def look_at_rows(self, some):
        expected = [self.of(key)["rows"] for key in some]
        assert [list(rows) for rows in self.worker.rows.lists_of(list(some))] == expected

    @rule(key=keys, times=st.sampled_from([0, 0, 1, LONG_TAIL + 1]))
    def replace_rows(self, key, times):
        self.worker.rows.lists_of([key])
        self.of(key)["rows"] = [0] * times
        self.worker.rows.replace(key, [0] * times)

    @rule(some=st.sets(st.tuples(keys, map_keys), min_size=1))
    def see(self, some):
        pairs = list(some)
        sets = [self.of(key)["seen"] for key, _ in pairs]
        expected = [value not in seen for seen, (_, value) in zip(sets, pairs, strict=True)]
        for seen, (_, value) in zip(sets, pairs, strict=True):
            seen.add(value)
        owners, values = [KEYS.index(key) for key, _ in pairs], [value for _, value in pairs]
        assert self.worker.seen.add_all(KEYS, owners, values) == expected

    @rule(key=keys)
    def clear(self, key):
        kept = {name: self.of(key)[name] for name in ("rows", "seen")}
        self.model[key] = empty() | kept
        for state in (self.worker.value, self.worker.list, self.worker.map, self.worker.sum, self.worker.mean):
            state.clear()

    @rule(key=keys, at=map_keys)
    def look(self, key, at):
        model = self.of(key)
        assert self.worker.value.value() == model["v"]
        assert self.worker.map.contains(at) == (at in model["m"])
        assert self.worker.map.get(at) == model["m"].get(at)
        assert self.worker.sum.get() == model["r"]
        mean = sum(model["a"]) / len(model["a"]) if model["a"] else None
        assert self.worker.mean.get() == mean

    @rule(key=keys)
    def look_at_all(self, key):
        model = self.of(key)
        assert self.worker.list.get() == model["l"]
        assert dict(self.worker.map.items()) == model["m"]
        assert self.worker.map.is_empty() == (not model["m"])

    @rule(some=st.lists(keys, min_size=1))
    def look_ahead(self, some):
        for state in (self.worker.value, self.worker.sum, self.worker.mean):
            state.prefetch.prefetch_left = 1_000_000
        self.worker.backend.look_ahead(some * PrefetchPolicy().min_batch)

    @rule(some=st.lists(keys, min_size=1))
    def lay_out_early(self, some):
        for state in (self.worker.value, self.worker.sum, self.worker.mean):
            state.prefetch.drafting, state.prefetch.draft_size = True, 1
        self.look_ahead(some)

    @rule()
    def go_over_keys(self):
        for name, state in (("v", self.worker.value), ("r", self.worker.sum), ("a", self.worker.mean)):
            expected = {key for key, model in self.model.items() if model[name] not in (None, [])}
            assert set(keys_of_state(self.worker.backend, name)) == expected, state

    @rule(worker=st.integers(0, 1))
    def end_epoch(self, worker):
        self.epoch += 1
        token = f"t{self.epoch}"
        changes = EpochChanges()
        self.worker.backend.flush(changes)
        if not changes.is_empty():
            file = write_file(self.storage, f"s/delta-{self.epoch}", changes, token)
            self.lineage = next_lineage(self.lineage, file, self.store, self.storage, "s")
        self.worker.backend.reached(self.lineage.token)
        self.committed = self._copy(self.model)
        self._begin(worker)

    @rule(worker=st.integers(0, 1))
    def fail_epoch(self, worker):
        changes = EpochChanges()
        self.worker.backend.flush(changes)
        self.worker.backend.forget()
        self.model = self._copy(self.committed)
        self._begin(worker)

    @invariant()
    def addresses_fit(self):
        if hasattr(self, "store"):
            assert all(len(key) <= 511 for key, _ in self.store.entries())

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()
            self.directory.cleanup()


StatesLikeTheModel.TestCase.settings = settings(stateful_step_count=40)
TestStatesLikeTheModel = StatesLikeTheModel.TestCase


def test_state_without_a_key_teaches():
    process = Process()
    with pytest.raises(StateAccessError, match=r"operator 'x': state was used where no key is set.*process_element"):
        process.value.value()
    with pytest.raises(StateAccessError, match="no key is set"):
        process.value.update(1)
    process.backend.scope.key = "a"
    process.backend.scope.unset()
    with pytest.raises(StateAccessError, match="no key is set"):
        process.list.add(1)


def test_one_name_is_one_kind_of_state():
    process = Process()
    with pytest.raises(StateAccessError, match="'v' was declared as value state and now as list state"):
        process.backend.part("v", LIST_STATE, lambda: ListState(process.backend, "v"))


def test_a_value_that_cannot_be_pickled_names_the_state(tmp_path):
    process = Process()
    store = StateStore(tmp_path, map_size=2**24)
    process.backend.begin(store)
    process.backend.scope.key = 1
    process.value.update(lambda: 1)
    with pytest.raises(StateAccessError, match="state 'v' holds a value that can't be stored"):
        process.backend.flush(EpochChanges())
    store.close()


@given(st.integers(1, 7), st.integers(1, 7))
def test_long_keys_that_share_a_beginning_stay_apart(one, other):
    process = Process()
    heads = process.backend.heads
    assert (heads["x" * 1000 + str(one)] == heads["x" * 1000 + str(other)]) == (one == other)
