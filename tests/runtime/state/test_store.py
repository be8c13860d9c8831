from __future__ import annotations

from contextlib import nullcontext

import pytest

from flott.common import Configuration
from flott.errors import FlottError, StateStoreError
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import MANY_DELTAS, next_lineage, write_file
from flott.runtime.state.lineage import Lineage, StateFile, decode_changes, encode_changes
from flott.runtime.state.policy import StatePolicy
from flott.runtime.state.store import StateStore
from flott.runtime.storage import open_storage


@pytest.fixture
def store(tmp_path):
    store = StateStore(tmp_path / "store", map_size=2**26)
    yield store
    store.close()


def delta(storage, token, changes):
    return write_file(storage, f"delta-{token}", EpochChanges(changes), token)


def content(store):
    return dict(store.entries())


def test_versions_are_reached_one_delta_at_a_time(store, storage):
    one = Lineage((delta(storage, "a", {b"k": b"1", b"gone": b"x"}),))
    assert store.bring_to(one, storage) == "catch-up"
    assert content(store) == {b"k": b"1", b"gone": b"x"}
    two = Lineage((*one.files, delta(storage, "b", {b"k": b"2", b"gone": None})))
    assert store.bring_to(two, storage, EpochChanges({b"k": b"2", b"gone": None})) == "apply"
    assert content(store) == {b"k": b"2"}
    assert store.bring_to(two, storage) == "here"
    assert store.token == "b"


def test_a_store_on_another_line_is_rebuilt(store, storage):
    base = delta(storage, "a", {b"k": b"1"})
    store.bring_to(Lineage((base, delta(storage, "b-dead", {b"k": b"dead", b"zombie": b"x"}))), storage)
    live = Lineage((base, delta(storage, "b", {b"k": b"2"})))
    assert store.bring_to(live, storage) == "rebuild"
    assert content(store) == {b"k": b"2"}


def test_an_empty_lineage_means_an_empty_store(store, storage):
    store.bring_to(Lineage((delta(storage, "a", {b"k": b"1"}),)), storage)
    assert store.bring_to(Lineage(), storage) == "rebuild"
    assert content(store) == {}


def test_a_merged_file_fits_any_version_inside_it(store, storage):
    first, second = {b"k": b"1", b"a": b"1"}, {b"k": b"2", b"b": b"2"}
    store.bring_to(Lineage((delta(storage, "1", first),)), storage)
    merged = write_file(storage, "merged", EpochChanges({**first, **second}), "2", covers=("1",))
    assert store.bring_to(Lineage((merged,)), storage) == "catch-up"
    assert content(store) == {b"k": b"2", b"a": b"1", b"b": b"2"}


def test_another_process_sees_what_was_applied(tmp_path, store, storage):
    lineage = Lineage((delta(storage, "a", {b"k": b"1"}),))
    store.bring_to(lineage, storage)
    store.close()
    again = StateStore(tmp_path / "store", map_size=2**26)
    assert again.bring_to(lineage, storage) == "here"
    assert again.get(b"k") == b"1"
    again.close()
    store._open()


def test_a_store_of_an_earlier_boot_is_not_trusted(tmp_path, storage, monkeypatch):
    lineage = Lineage((delta(storage, "a", {b"k": b"1"}),))
    store = StateStore(tmp_path / "old", map_size=2**26)
    store.bring_to(lineage, storage)
    store.close()
    monkeypatch.setattr("flott.runtime.state.store.boot_id", lambda: b"another boot")
    again = StateStore(tmp_path / "old", map_size=2**26)
    assert again.token == ""
    assert again.bring_to(lineage, storage) == "catch-up"
    again.close()


def test_a_full_store_says_so(tmp_path, storage):
    store = StateStore(tmp_path / "small", map_size=2**17)
    with pytest.raises(StateStoreError, match=r"MDB_MAP_FULL.*flott\.state\.max-store-size.* to 0\.00012207 GB"):
        store.bring_to(Lineage((delta(storage, "a", {b"%d" % i: b"x" * 100 for i in range(5_000)}),)), storage)
    assert store.token == ""
    assert content(store) == {}
    store.close()


@pytest.mark.parametrize(("size", "fits"), [("128 kb", False), ("64 mb", True)])
def test_a_store_grows_as_large_as_the_setting_says(tmp_path, storage, size, fits):
    policy = StatePolicy.of(Configuration.from_dict({"flott.state.max-store-size": size}))
    store = StateStore(tmp_path / "store", map_size=policy.store_size)
    lineage = Lineage((delta(storage, "a", {b"%d" % i: b"x" * 100 for i in range(5_000)}),))
    with nullcontext() if fits else pytest.raises(StateStoreError, match="MDB_MAP_FULL"):
        store.bring_to(lineage, storage)
    assert len(content(store)) == (5_000 if fits else 0)
    store.close()


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d[:20], lambda d: b"", lambda d: d[:-3] + b"abc"])
def test_damaged_files_are_refused(damage):
    with pytest.raises(StateStoreError, match="a-file is"):
        decode_changes(damage(b"".join(encode_changes(EpochChanges({b"k": b"v"}), "t"))), "a-file")


def test_a_missing_or_swapped_file_is_refused(store, storage):
    with pytest.raises(StateStoreError, match="missing"):
        store.bring_to(Lineage((StateFile("nowhere", "t", (), 1),)), storage)
    storage.write("delta-x", *encode_changes(EpochChanges(), "y"))
    with pytest.raises(StateStoreError, match="holds version y, not x"):
        store.bring_to(Lineage((StateFile("delta-x", "x", (), 1),)), storage)


def run_epochs(store, storage, epochs, make):
    lineage, model, kept = Lineage(), {}, set()
    longest = 0
    for epoch in range(epochs):
        changes = make(epoch)
        store.bring_to(lineage, storage)
        file = write_file(storage, f"s/delta-{epoch}", EpochChanges(changes), f"t{epoch}")
        kept.add(file.name)
        before, lineage = lineage, next_lineage(lineage, file, store, storage, "s")
        for name in {file.name for file in before.files} - {file.name for file in lineage.files}:
            storage.delete(name)
        model.update(changes)
        longest = max(longest, len(lineage.files))
    return lineage, {key: value for key, value in model.items() if value is not None}, longest


@pytest.mark.job
def test_lineages_stay_short_and_right_over_many_small_epochs(tmp_path, store, storage):
    lineage, model, longest = run_epochs(
        store, storage, 1_200, lambda e: {b"%d" % (e % 50): b"%d" % e, b"%d" % ((e * 7) % 60): None}
    )
    assert longest <= MANY_DELTAS + 16
    files = list((tmp_path / "files" / "s").iterdir())
    assert len(files) == len(lineage.files)
    fresh = StateStore(tmp_path / "fresh", map_size=2**26)
    assert fresh.bring_to(lineage, storage) in {"rebuild", "catch-up"}
    assert content(fresh) == model
    fresh.close()


@pytest.mark.job
def test_large_changes_bring_snapshots(tmp_path, store, storage):
    lineage, model, _ = run_epochs(
        store, storage, 40, lambda e: {b"%d" % (i + e): b"%6d" % (e * 1_000 + i) * 700 for i in range(400)}
    )
    assert lineage.files[0].is_snapshot
    assert sum(file.size for file in lineage.files) < 6 * sum(len(v) + 10 for v in model.values()) + 2**25
    fresh = StateStore(tmp_path / "fresh", map_size=2**26)
    fresh.bring_to(lineage, storage)
    assert content(fresh) == model
    fresh.close()


def test_storage_keeps_to_its_directory(tmp_path):
    storage = open_storage(str(tmp_path))
    for name in ("../x", "/etc/x", "a/../../x", ".hidden", "a//b", ""):
        with pytest.raises(FlottError, match="not a name"):
            storage.write(name, b"")
    storage.write("a/b", b"1")
    assert storage.read("a/b") == b"1"
    storage.delete("a/b")
    storage.delete("a/b")


def test_remote_storage_through_fsspec():
    storage = open_storage("memory://flott-test")
    storage.write("a/b", b"1")
    assert storage.read("a/b") == b"1"
    storage.delete("a/b")
    storage.delete("a/b")
    with pytest.raises(FileNotFoundError):
        storage.read("a/b")
