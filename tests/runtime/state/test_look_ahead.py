"""State that is not in memory is read for whole batches, as soon as a batch has shown that it is worth while."""

from __future__ import annotations

import pytest

from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import write_file
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.prefetch import PrefetchPolicy
from flott.runtime.state.store import StateStore
from flott.runtime.state.values import ValueState
from flott.runtime.storage import LocalStorage
from flott.runtime.windowing.panes import PaneBackend
from flott.runtime.windowing.windows import TimeWindow

FEW_KEYS = PrefetchPolicy().min_batch
LONG = "long" * 200
KEYS = [LONG, None, ("t", 1), *range(2 * FEW_KEYS), *(f"k{number}" for number in range(FEW_KEYS))]


@pytest.fixture
def state(tmp_path):
    """Return a state that holds half of the keys in the store, and none in memory."""
    storage, store = LocalStorage(tmp_path / "files"), StateStore(tmp_path / "store", map_size=2**26)
    backend = KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits(0))
    state = backend.part("v", VALUE_STATE, lambda: ValueState(backend, "v"))
    backend.begin(store)
    for key in KEYS[::2]:
        backend.scope.key = key
        state.update(("value of", key))
    changes = EpochChanges()
    backend.flush(changes)
    store.bring_to(Lineage((write_file(storage, "delta", changes, "one"),)), storage)
    backend.reached("one")
    backend.begin(store)
    assert state.live_entries() == 0
    yield state
    store.close()


def read(state, keys):
    """Return what a function reads that is called with records of these keys, and how often the store was asked."""
    backend = state._backend
    backend.look_ahead(keys)
    found = {}
    for key in keys:
        backend.scope.key = key
        found[key] = state.value()
    backend.scope.unset()
    return found, state.prefetch.misses


def expected(keys):
    return {key: ("value of", key) if KEYS.index(key) % 2 == 0 else None for key in keys}


def test_after_a_batch_that_missed_the_next_is_read_at_once(state):
    first, rest = KEYS[: FEW_KEYS + 3], KEYS[FEW_KEYS + 3 :]
    assert read(state, first) == (expected(first), len(first))
    assert read(state, rest) == (expected(rest), 0)
    assert read(state, KEYS) == (expected(KEYS), 0)


def test_what_is_in_memory_is_not_asked_for(state):
    assert read(state, KEYS)[1] == len(KEYS)
    assert read(state, KEYS) == (expected(KEYS), 0)


def test_what_the_epoch_wrote_is_not_read_over(state):
    state.prefetch.prefetch_left = 1_000_000
    state._backend.scope.key = 0
    state.update("new")
    found, _ = read(state, KEYS)
    assert found.pop(0) == "new"
    assert found == {key: value for key, value in expected(KEYS).items() if key != 0}


def test_few_records_are_not_worth_it(state):
    state.prefetch.prefetch_left = 1_000_000
    some = KEYS[:5]
    assert read(state, some) == (expected(some), len(some))


def test_it_ends_when_keys_are_in_memory_again(state):
    state.prefetch.window = 64 * len(KEYS)
    read(state, KEYS)
    for _ in range(100):
        read(state, KEYS)
    assert state.prefetch.prefetch_left == 0


def test_it_ends_at_once_when_hardly_any_key_is_to_be_read(state):
    state.prefetch.prefetch_left = 1_000_000
    for state._backend.scope.key in KEYS:
        state.update("new")
    assert read(state, KEYS) == (dict.fromkeys(KEYS, "new"), 0)
    assert state.prefetch.prefetch_left == 0


def test_it_goes_on_while_many_keys_are_to_be_read(state):
    state.prefetch.prefetch_left = 1_000_000
    for state._backend.scope.key in KEYS[: len(KEYS) // 2]:
        state.update("new")
    read(state, KEYS)
    assert state.prefetch.prefetch_left > 0


def test_a_key_that_cannot_be_one_is_left_to_the_record(state):
    state.prefetch.prefetch_left = 1_000_000
    state._backend.look_ahead([*KEYS, ["no key"]])
    assert read(state, KEYS)[0] == expected(KEYS)


def test_old_entries_are_converted(state):
    state.prefetch.prefetch_left = 1_000_000
    state.convert = lambda _, value: (*value, "converted")
    found, missed = read(state, KEYS)
    assert missed == 0
    assert found[None] is None
    assert found[LONG] == ("value of", LONG, "converted")


def test_states_of_windows_are_not_read_ahead():
    """A key that is a pair looks like a key and its window."""
    backend = KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits(0))
    panes = PaneBackend(backend)
    state = panes.part("v", VALUE_STATE, lambda: ValueState(panes, "v"))
    state.prefetch.prefetch_left = 2
    backend.look_ahead([("a", TimeWindow(0, number)) for number in range(1, FEW_KEYS + 2)])
    assert (state.prefetch.batch_size, state.live_entries()) == (0, 0)
