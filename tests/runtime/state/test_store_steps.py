"""A store goes to another version in steps: dying between two of them loses nothing and leaves nothing wrong."""

from __future__ import annotations

import pytest
from tests.runtime.state.killed import Killed

from flott.errors import StateStoreError
from flott.runtime.state import store as module
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import write_file
from flott.runtime.state.lineage import Lineage

FIRST = {b"%02d" % number: b"one" for number in range(10)}
SECOND = {b"%02d" % number: b"two" if number % 3 else None for number in range(1, 12)}
BOTH = {b"00": b"one", **{address: value for address, value in SECOND.items() if value is not None}}


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(module, "STEP_ENTRIES", 3)


@pytest.fixture
def lineage(storage):
    return Lineage(
        (
            write_file(storage, "one", EpochChanges(FIRST), "one"),
            write_file(storage, "two", EpochChanges(SECOND), "two"),
        )
    )


def left_on_the_way(opened, lineage, storage, monkeypatch, steps):
    """Return a store whose process died on the way to the second version, after some steps."""
    store = opened()
    store.bring_to(Lineage(lineage.files[:1]), storage)
    write, done = module.write_entries, []

    def dying(*arguments):
        if len(done) == steps:
            raise Killed
        done.append(arguments)
        write(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_entries", dying)
        with pytest.raises(Killed):
            store.bring_to(lineage, storage)
    return opened()


@pytest.mark.parametrize("steps", range(4))
def test_the_next_process_completes_the_move(opened, lineage, storage, monkeypatch, steps):
    store = left_on_the_way(opened, lineage, storage, monkeypatch, steps)
    assert store.token == "one"
    assert store.bring_to(lineage, storage) == "catch-up"
    assert store.token == "two"
    assert dict(store.entries()) == BOTH
    assert store.bring_to(lineage, storage) == "here"


def test_a_version_further_on_passes_it(opened, lineage, storage, monkeypatch):
    store = left_on_the_way(opened, lineage, storage, monkeypatch, 2)
    merged = write_file(storage, "merged", EpochChanges({**SECOND, b"x": b"three"}), "three", covers=("one", "two"))
    assert store.bring_to(Lineage((lineage.files[0], merged)), storage) == "catch-up"
    assert dict(store.entries()) == {**BOTH, b"x": b"three"}


@pytest.mark.parametrize("steps", [1, 3])
def test_a_version_that_does_not_pass_it_is_built_anew(opened, lineage, storage, monkeypatch, steps):
    store = left_on_the_way(opened, lineage, storage, monkeypatch, steps)
    # Back to where it came from, as after a restart from an earlier checkpoint.
    assert store.bring_to(Lineage(lineage.files[:1]), storage) == "rebuild"
    assert dict(store.entries()) == FIRST
    other = write_file(storage, "other", EpochChanges({b"00": b"other"}), "other")
    assert store.bring_to(Lineage((lineage.files[0], other)), storage) == "catch-up"
    assert dict(store.entries()) == {**FIRST, b"00": b"other"}


def test_another_way_is_built_anew(opened, lineage, storage, monkeypatch):
    store = left_on_the_way(opened, lineage, storage, monkeypatch, 2)
    other = write_file(storage, "other", EpochChanges({b"00": b"other"}), "other")
    assert store.bring_to(Lineage((lineage.files[0], other)), storage) == "rebuild"
    assert dict(store.entries()) == {**FIRST, b"00": b"other"}


def test_an_attempt_that_was_overtaken_between_two_steps_gives_up(opened, lineage, storage, monkeypatch):
    store = opened()
    store.bring_to(Lineage(lineage.files[:1]), storage)
    begin, begun = store._env.begin, []

    class Overtaken:
        """LMDB's environment, in which another process completes its move before our third step."""

        def __getattr__(self, name):
            return getattr(store_env, name)

        def begin(self, **how):
            if how.get("write"):
                begun.append(how)
                if len(begun) == 3:
                    with begin(write=True) as txn:
                        txn.put(module.HEAD, b"elsewhere", db=store._meta)
                        txn.delete(module.MOVING, db=store._meta)
            return begin(**how)

    store_env, store._env = store._env, Overtaken()
    with pytest.raises(StateStoreError, match="moved by another attempt"):
        store.bring_to(lineage, storage)
    store._env = store_env
    assert store.token == "elsewhere"
