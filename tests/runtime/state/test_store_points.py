"""A store with both sorts of entries: they change places and versions, and dying on the way does no harm."""

from __future__ import annotations

import random
import signal
import subprocess
import sys

import pytest
from tests.runtime.state.killed import Killed

from flott.errors import StateStoreError
from flott.runtime.native import entries as entries_in_c
from flott.runtime.state import point_log
from flott.runtime.state import store as module
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import after_changes, next_lineage, write_file
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.points import Points, batch_of, points_of
from flott.runtime.state.store import StateStore

WALKED, LOOKED_UP = b"map.", b"val."


def entries(column, numbers, value):
    return {b"\0" + bytes([number % 3]) + column + b"%04d" % number: value for number in numbers}


def changes(walked=None, looked_up=None, ordered=frozenset({WALKED})):
    return EpochChanges(walked or {}, points_of((looked_up or {}).items()), set(ordered))


FIRST = changes(entries(WALKED, range(20), b"w1"), entries(LOOKED_UP, range(20), b"l1"))
SECOND = changes(entries(WALKED, range(5), None), entries(LOOKED_UP, range(10, 30), b"l2"))
BOTH = {
    **entries(WALKED, range(5, 20), b"w1"),
    **entries(LOOKED_UP, range(10), b"l1"),
    **entries(LOOKED_UP, range(10, 30), b"l2"),
}


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    monkeypatch.setattr(module, "STEP_ENTRIES", 4)


def lineage_of(storage, *several):
    return Lineage(tuple(write_file(storage, f"f{n}", one, f"t{n}") for n, one in enumerate(several)))


def content(store):
    found = list(store.entries())
    assert len(found) == len(dict(found)), "an entry is in both places"
    assert all(store.get(address) == value for address, value in found)
    return dict(found)


def test_each_sort_is_where_it_belongs(opened, storage):
    store = opened()
    store.bring_to(lineage_of(storage, FIRST, SECOND), storage)
    assert content(store) == BOTH
    assert {address[2:6] for address, _ in store.scan(b"")} == {WALKED}
    assert {address[2:6] for address, _ in store.points.entries()} == {LOOKED_UP}
    assert dict(store.entries_of(LOOKED_UP, range(3))) == dict(store.points.entries())
    assert dict(store.entries_of(WALKED, range(3))) == dict(store.scan(b""))


@pytest.mark.parametrize(("size", "parts"), [(100_000, 1), (1_200, 3), (1, 6)])
@pytest.mark.parametrize("longer", [b"l1", b"longer"], ids=["as it was written", "with some replaced"])
def test_all_of_it_comes_in_parts_of_about_one_size(opened, storage, size, parts, longer, monkeypatch):
    monkeypatch.setattr(point_log, "LARGE_FRAME", 10)
    monkeypatch.setattr(point_log, "CHUNK_ENTRIES", 20)
    batches = [changes(looked_up=entries(LOOKED_UP, range(20 * n, 20 * n + 20), b"l1")) for n in range(6)]
    replaced = changes(looked_up=entries(LOOKED_UP, [1, 21, 41, 61, 81, 101], longer))
    store = opened()
    store.bring_to(lineage_of(storage, *batches, replaced), storage)
    found = list(store.parts(size))
    assert abs(len(found) - parts) <= 1
    assert {address: value for part in found for address, value in part.points.entries()} == content(store)
    assert sum(len(part.points) for part in found) == 120


def test_many_small_frames_come_as_one_batch(opened, storage):
    several = [changes(looked_up=entries(LOOKED_UP, [number], b"l1")) for number in range(50)]
    store = opened()
    store.bring_to(lineage_of(storage, *several), storage)
    (batch,) = store.points.batches()
    assert len(batch.starts) == 50


def test_a_store_that_keeps_all_in_order(opened, storage):
    store = opened(in_order=True)
    store.bring_to(lineage_of(storage, FIRST, SECOND), storage)
    assert dict(store.scan(b"")) == BOTH


def test_what_comes_from_a_savepoint_is_sorted_out_as_it_is_read(opened, storage):
    saved = lineage_of(storage, EpochChanges(FIRST.all()))
    store = opened()
    store.bring_to(saved, storage, looked_up={LOOKED_UP})
    assert store.columns == {LOOKED_UP}
    assert content(store) == FIRST.all()
    assert dict(store.scan(b"")) == FIRST.entries


def test_a_column_changes_its_sort_and_changes_back(opened, storage):
    everything = lambda value: entries(LOOKED_UP, range(12), value)  # noqa: E731
    several = [
        changes(everything(b"old"), ordered={LOOKED_UP}),
        changes(looked_up=entries(LOOKED_UP, range(3), b"new")),
        changes(entries(LOOKED_UP, range(2, 4), b"walked"), ordered={LOOKED_UP}),
        changes(looked_up=entries(LOOKED_UP, [11], None)),
    ]
    model = {
        **everything(b"old"),
        **entries(LOOKED_UP, range(2), b"new"),
        **entries(LOOKED_UP, range(2, 4), b"walked"),
    }
    model.pop(next(iter(entries(LOOKED_UP, [11], b""))))
    lineage = lineage_of(storage, *several)
    store = opened()
    for version in range(1, 5):
        store.bring_to(Lineage(lineage.files[:version]), storage)
        assert store.columns == ({LOOKED_UP} if version % 2 == 0 else set())
        content(store)
    assert content(store) == model
    # Merged into one file, it comes to the same.
    for number in range(64):
        nothing = write_file(storage, f"empty-{number}", changes(), f"e{number}")
        lineage = next_lineage(lineage, nothing, store, storage, "s")
    assert len(lineage.files) < 64
    fresh = opened()
    fresh.bring_to(Lineage(), storage)
    fresh.bring_to(lineage, storage)
    assert content(fresh) == model


@pytest.mark.parametrize("moves", range(14))
def test_dying_on_the_way_to_another_sort(opened, storage, monkeypatch, moves):
    """The third version walks over what was looked up, the fourth looks it up again; the process dies in between."""
    old = entries(LOOKED_UP, range(20), b"old")
    lineage = lineage_of(
        storage,
        changes(looked_up=old),
        changes(entries(LOOKED_UP, range(3), b"walked"), ordered={LOOKED_UP}),
        changes(looked_up=entries(LOOKED_UP, range(2, 5), b"new")),
    )
    store = opened()
    store.bring_to(Lineage(lineage.files[:1]), storage)
    with monkeypatch.context() as patched:
        dies_at_move(patched, store, moves)
        try:
            store.bring_to(lineage, storage)
        except Killed:
            store = opened()
    store.bring_to(lineage, storage)
    assert content(store) == {
        **old,
        **entries(LOOKED_UP, range(2), b"walked"),
        **entries(LOOKED_UP, range(2, 5), b"new"),
    }
    assert store.columns == {LOOKED_UP}


def dies_at_move(patched, store, number):
    """Let the process die in its n-th transaction, before that counts."""
    begin, begun = store._env.begin, []

    class Environment:
        def __getattr__(self, name):
            return getattr(environment, name)

        def begin(self, *arguments, **options):
            if options.get("write"):
                begun.append(None)
                if len(begun) > number:
                    raise Killed
            return begin(*arguments, **options)

    environment = store._env
    patched.setattr(store, "_env", Environment())


@pytest.mark.parametrize("places", [0, 1, 7, 19])
def test_a_table_that_was_left_half_changed(opened, storage, monkeypatch, places):
    lineage = lineage_of(storage, FIRST, SECOND)
    store = opened()
    store.bring_to(Lineage(lineage.files[:1]), storage)
    insert = point_log.insert

    def dying(table, log, wanted):
        insert(table, log, wanted[:places])
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(point_log, "insert", dying)
        with pytest.raises(Killed):
            store.bring_to(lineage, storage)
    store = opened()
    assert store.token == "t0"
    assert store.bring_to(lineage, storage) == "catch-up"
    assert content(store) == BOTH


def test_a_full_disk_leaves_the_version_before(opened, storage, monkeypatch):
    lineage = lineage_of(storage, FIRST, SECOND)
    store = opened()
    store.bring_to(Lineage(lineage.files[:1]), storage)

    def full(file, buffer):
        file.write(bytes(buffer)[: len(buffer) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(point_log, "write_whole", full)
        with pytest.raises(StateStoreError, match="No space left on device"):
            store.bring_to(lineage, storage)
    assert store.token == "t0"
    assert store.bring_to(lineage, storage) == "catch-up"
    assert content(store) == BOTH


def test_dying_while_all_is_forgotten_leaves_no_half_of_it(opened, storage, monkeypatch):
    store = opened()
    store.bring_to(lineage_of(storage, FIRST), storage)
    other = Lineage((write_file(storage, "other", SECOND, "other"),))
    with monkeypatch.context() as patched:
        dies_at_move(patched, store, 1)
        with pytest.raises(Killed):
            store.bring_to(other, storage)
    store = opened()
    assert (store.token, content(store)) == ("", {})
    store.bring_to(other, storage)
    assert content(store) == entries(LOOKED_UP, range(10, 30), b"l2")


@pytest.mark.skipif(entries_in_c is None, reason="values are changed in their place by what is compiled")
@pytest.mark.parametrize("goes_on", [True, False], ids=["the same version", "another version"])
def test_dying_after_values_were_changed_in_their_place(opened, storage, monkeypatch, goes_on):
    lineage = lineage_of(storage, changes(looked_up=entries(LOOKED_UP, range(20), b"old")))
    store = opened()
    store.bring_to(lineage, storage)
    reached, other = (
        Lineage(
            (*lineage.files, write_file(storage, name, changes(looked_up=entries(LOOKED_UP, numbers, value)), name))
        )
        for name, numbers, value in (("reached", range(10), b"new"), ("other", range(5, 15), b"two"))
    )

    def changed_and_dead(log, batch):
        assert len(overwritten(log, batch).starts) == 0
        raise Killed

    overwritten = point_log.PointLog._overwritten
    with monkeypatch.context() as patched:
        patched.setattr(point_log.PointLog, "_overwritten", changed_and_dead)
        with pytest.raises(Killed):
            store.bring_to(reached, storage)
    store = opened()
    assert store.bring_to(reached if goes_on else other, storage) == ("catch-up" if goes_on else "rebuild")
    expected = entries(LOOKED_UP, range(20), b"old")
    expected |= entries(LOOKED_UP, range(10), b"new") if goes_on else entries(LOOKED_UP, range(5, 15), b"two")
    assert content(store) == expected


def test_files_of_a_process_that_died_are_removed(opened, storage):
    store = opened()
    store.bring_to(lineage_of(storage, FIRST), storage)
    (store.path / "points-7.log").write_bytes(b"left")
    (store.path / "points-7-12.slots").write_bytes(b"left")
    store.bring_to(Lineage(), storage)
    store.bring_to(lineage_of(storage, FIRST), storage)
    left = {path.name for path in store.path.glob("points-*")}
    assert left == {f"points-{store.points.head.generation}.log", f"points-{store.points.head.generation}-10.slots"}


def test_a_disk_that_is_full_while_a_log_is_written_anew(opened, storage, monkeypatch):
    monkeypatch.setattr(point_log, "LITTLE_WASTE", 500)
    values = [b"x" * (5 + 7 * number % 5) for number in range(12)]
    several = [changes(looked_up=entries(LOOKED_UP, range(20), value)) for value in values]
    lineage, store, failed = lineage_of(storage, *several), opened(), 0
    write = point_log.write_whole

    def full(file, buffer):
        if store.points.head.generation > generation:
            raise OSError(28, "No space left on device")
        write(file, buffer)

    for version in range(1, len(several) + 1):
        generation = store.points.head.generation or 1
        with monkeypatch.context() as patched:
            patched.setattr(point_log, "write_whole", full)
            try:
                store.bring_to(Lineage(lineage.files[:version]), storage)
            except StateStoreError:
                failed += 1
        store.bring_to(Lineage(lineage.files[:version]), storage)
        # Another process finds all that counts.
        store = opened()
        assert content(store) == entries(LOOKED_UP, range(20), values[version - 1])
    assert failed > 1


def test_files_that_count_stay_until_others_do(opened, storage, monkeypatch):
    """All is replaced, then all is removed: the log is written anew more than once on the way to one version."""
    monkeypatch.setattr(point_log, "LITTLE_WASTE", 0)
    lineage = lineage_of(
        storage,
        changes(looked_up=entries(LOOKED_UP, range(40), b"x" * 50)),
        EpochChanges(points=Points({LOOKED_UP}, [
            batch_of(list(entries(LOOKED_UP, range(place, place + 4), None)), [None] * 4) for place in range(0, 40, 4)
        ])),
    )  # fmt: skip
    store = opened()
    store.bring_to(Lineage(lineage.files[:1]), storage)
    generation = store.points.head.generation
    begin, begun = point_log.PointLog._begin, []

    def dying(self, bits):
        if len(begun) == 2:
            raise Killed
        begun.append(bits)
        begin(self, bits)

    with monkeypatch.context() as patched:
        patched.setattr(point_log.PointLog, "_begin", dying)
        with pytest.raises(Killed):
            store.bring_to(lineage, storage)
    store = opened()
    assert (store.token, store.points.head.generation) == ("t0", generation)
    # Not built anew: what counted was still there.
    assert store.bring_to(lineage, storage) == "catch-up"
    assert content(store) == {}


def test_a_log_that_is_lost_is_built_again(opened, storage):
    lineage = lineage_of(storage, FIRST, SECOND)
    for pattern in ("*.log", "*.slots"):
        store = opened()
        store.bring_to(lineage, storage)
        generation = store.points.head.generation
        for path in store.path.glob(f"points-{pattern}"):
            path.unlink()
        store = opened()
        assert store.bring_to(lineage, storage) == "rebuild"
        assert content(store) == BOTH
        assert store.points.head.generation > generation


def test_savepoints_see_the_epochs_changes(opened, storage):
    store = opened()
    store.bring_to(lineage_of(storage, FIRST), storage)
    assert dict(after_changes(store, SECOND)) == BOTH
    other = changes(entries(LOOKED_UP, range(1, 20), b"walked"), ordered={LOOKED_UP})
    found = list(after_changes(store, other))
    assert len(found) == len(dict(found)) == 40


PROGRAM = """
import json, sys
from pathlib import Path
from flott.runtime.state.lineage import Lineage, StateFile
from flott.runtime.state.store import StateStore
from flott.runtime.storage import LocalStorage
place = Path(sys.argv[1])
print("ready", flush=True)
files = [StateFile(name, token, (), size) for name, token, size in json.loads((place / "lineage.json").read_text())]
store, storage = StateStore(place / "store", map_size=2**28), LocalStorage(place / "files")
for version in range(1, len(files) + 1):
    print(version, flush=True)
    store.bring_to(Lineage(tuple(files[:version])), storage)
sys.stdin.read()
"""


@pytest.mark.job
def test_killed_with_9_again_and_again(tmp_path, storage, monkeypatch):
    import json

    monkeypatch.setattr(module, "STEP_ENTRIES", 8_192)
    chance, model, files = random.Random(5), {}, []
    for number in range(60):
        some = entries(LOOKED_UP, chance.sample(range(9_000), 2_000), b"%d" % number * 100)
        some.update(dict.fromkeys(chance.sample(sorted(some), 20)))
        walked = entries(WALKED, chance.sample(range(9_000), 50), b"%d" % number)
        model.update(some)
        model.update(walked)
        files.append(write_file(storage, f"f{number}", changes(walked, some), f"t{number}"))
    program = [sys.executable, "-c", PROGRAM]
    (tmp_path / "lineage.json").write_text(json.dumps([(file.name, file.token, file.size) for file in files]))
    # From before the store is opened until far into the versions.
    for last_word in ["ready", "1", "2", "5", "11", "20", "33", "50", "59"]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([*program, str(tmp_path)], text=True, **pipes) as process:
            assert any(line.strip() == last_word for line in process.stdout)
            process.kill()
        assert process.returncode == -signal.SIGKILL
    subprocess.run([*program, str(tmp_path)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    store = StateStore(tmp_path / "store", map_size=2**28)
    assert store.bring_to(Lineage(tuple(files)), storage) == "here"
    assert content(store) == {address: value for address, value in model.items() if value is not None}
    store.close()
