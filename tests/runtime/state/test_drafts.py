"""Values of very many keys become entries before their epoch ends; nobody sees a difference."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import StateAccessError
from flott.runtime import native
from flott.runtime.state.backend import KeyedBackend, point_batches
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import write_file
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.store import StateStore
from flott.runtime.state.values import ValueState
from flott.runtime.storage import LocalStorage

pytestmark = pytest.mark.skipif(native.entries is None, reason="not compiled")

COLUMN, LONG = b"col1", "long" * 200
keys = st.integers(0, 40) | st.sampled_from(["a", "b", ("t", 1), LONG])
drafted = st.dictionaries(keys, st.none() | st.integers() | st.text() | st.binary())


def contents(laid_out):
    """Return entries by address; each must be there once."""
    entries = [entry for batch in point_batches(laid_out) for entry in batch.entries()]
    assert len(dict(entries)) == len(entries)
    return dict(entries)


def expected(written):
    return contents(native.entries.lay_out(written, COLUMN, 128, 16)[0])


@given(st.lists(drafted))
def test_what_was_added_last_is_there_once(several):
    drafts, model = native.entries.Drafts(COLUMN, 128), {}
    for some in several:
        assert drafts.add(some) == [key for key in some if key == LONG]
        model |= some
    model.pop(LONG, None)
    for key in [*range(41), "a", "b", ("t", 1), LONG]:
        assert drafts.get(key, "not there") == model.get(key, "not there")
    assert contents(drafts.taken(7)) == expected(model)


def test_many_keys_in_changing_order_and_size():
    dice, drafts, model = random.Random(3), native.entries.Drafts(COLUMN, 128), {}
    for _ in range(30):
        some = {dice.randrange(100_000): b"x" * dice.randrange(20) for _ in range(5_000)}
        drafts.add(some)
        model |= some
    assert contents(drafts.taken(7)) == expected(model)
    assert all(drafts.get(key, None) == value for key, value in model.items())


@pytest.mark.parametrize("expected_keys", [0, 10, 100_000])
def test_keys_that_come_again_take_no_more_room(expected_keys):
    drafts = native.entries.Drafts(COLUMN, 128, expected_keys)
    for number in range(20):
        drafts.add(dict.fromkeys(range(1000), number))
    (batch,) = drafts.taken(1_000)
    assert len(drafts) == 1_000
    assert len(batch[1]) < 40 * 1_000
    assert contents([batch]) == expected(dict.fromkeys(range(1_000), 19))


def test_what_somebody_looks_at_does_not_move():
    drafts = native.entries.Drafts(COLUMN, 128)
    drafts.add({1: "one"})
    ((_, data),) = drafts.taken(10)
    before = bytes(data)
    with pytest.raises(BufferError, match="somebody looks at these bytes"):
        drafts.add(dict.fromkeys(range(10_000), "more"))
    assert bytes(data) == before
    del data
    drafts.add({2: "two"})
    assert contents(drafts.taken(10)) == expected({1: "one", 2: "two"})


def test_what_cannot_be_pickled_leaves_what_was_there():
    drafts = native.entries.Drafts(COLUMN, 128)
    drafts.add({1: "one"})
    with pytest.raises(Exception, match="pickle"):
        drafts.add({2: "two", 1: "longer than one", 3: lambda: 1})
    assert [drafts.get(key, "not there") for key in (1, 2, 3)] == ["one", "not there", "not there"]
    assert contents(drafts.taken(10)) == expected({1: "one"})


class Job:
    """A state whose values become entries after every batch."""

    def __init__(self, path):
        self.storage, self.store = LocalStorage(path / "files"), StateStore(path / "store", map_size=2**26)
        self.backend = KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits())
        self.state = self.backend.part("v", VALUE_STATE, lambda: ValueState(self.backend, "v"))
        self.state.prefetch.min_batch = self.state.prefetch.draft_size = 1
        self.files = ()
        self.epoch({-1: "known"})

    def batch(self, written):
        self.state.prefetch.prefetch_left, self.state.prefetch.drafting = 1_000_000, True
        self.backend.look_ahead(list(written))
        for self.backend.scope.key, value in written.items():
            self.state.update(value)
        self.backend.scope.unset()

    def read(self, key):
        self.backend.scope.key = key
        value = self.state.value()
        self.backend.scope.unset()
        return value

    def epoch(self, *batches):
        """Run an epoch; the next starts where it leads."""
        self.backend.begin(self.store)
        for batch in batches:
            self.batch(batch)
        self.end()

    def end(self):
        changes, token = EpochChanges(), f"t{len(self.files)}"
        self.backend.flush(changes)
        self.files += (write_file(self.storage, f"delta-{token}", changes, token),)
        self.store.bring_to(Lineage(self.files), self.storage)
        self.backend.reached(token)
        self.backend.begin(self.store)


@pytest.fixture
def job(tmp_path):
    job = Job(tmp_path)
    yield job
    job.store.close()


def test_an_epoch_reads_what_it_laid_out(job):
    job.batch({1: "one", 2: "two", -1: None})
    job.batch({2: "another two", 3: "three"})
    job.batch({4: "four"})
    assert job.state._drafts is not None
    assert [job.read(key) for key in (-1, 1, 2, 3, 4, 5)] == [None, "one", "another two", "three", "four", None]
    job.end()
    assert job.state._drafts is None
    assert [job.read(key) for key in (-1, 1, 2, 3, 4, 5)] == [None, "one", "another two", "three", "four", None]


def test_an_epoch_that_fails_leaves_nothing(job):
    job.batch({1: "one", -1: "changed"})
    job.batch({2: "two"})
    job.backend.forget()
    job.backend.begin(job.store)
    assert [job.read(key) for key in (-1, 1, 2)] == ["known", None, None]


def test_a_value_that_cannot_be_stored_fails_at_the_end_and_names_the_state(job):
    job.batch({1: "one", 2: lambda: 1})
    job.batch({3: "three"})
    assert job.read(1) == "one"
    with pytest.raises(StateAccessError, match="state 'v' holds a value that can't be stored"):
        job.end()


def test_it_is_done_where_keys_hardly_come_twice(job):
    job.state.prefetch.drafting = False
    for keys, drafts in [(range(100), True), ([1, 2, 3] * 50, False), (range(50), True)]:
        job.backend.look_ahead(list(keys))
        for job.backend.scope.key in keys:
            job.state.update("value")
        job.backend.scope.unset()
        job.end()
        assert job.state.prefetch.drafting is drafts


def test_an_epoch_that_is_much_longer_than_the_last_stops_it(job):
    job.state.prefetch.prefetch_left, job.state.prefetch.drafting = 1_000_000, True
    going_on = []
    for number in range(5):
        job.backend.look_ahead(list(range(100)))
        for job.backend.scope.key in range(100):
            job.state.update(number)
        job.backend.scope.unset()
        going_on.append(job.state.prefetch.drafting)
    assert going_on == [True, True, False, False, False]
    assert [job.read(key) for key in (0, 99)] == [4, 4]
    job.end()
    assert [job.read(key) for key in (0, 99)] == [4, 4]


def test_long_keys_stay_objects(job):
    job.batch({LONG: "long", 1: "one"})
    job.batch({2: "two"})
    assert list(job.state._written) == [LONG, 2]
    job.end()
    assert [job.read(key) for key in (LONG, 1, 2)] == ["long", "one", "two"]


def test_before_the_store_knows_the_state_nothing_is_laid_out(tmp_path):
    job = Job(tmp_path)
    fresh = KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits())
    job.state = fresh.part("w", VALUE_STATE, lambda: ValueState(fresh, "w"))
    job.backend = fresh
    fresh.begin(job.store)
    job.batch({1: "one"})
    job.batch({2: "two"})
    assert job.state._drafts is None
    assert [job.read(key) for key in (1, 2)] == ["one", "two"]
    job.store.close()
