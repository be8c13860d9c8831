"""State files are packed where that makes them much smaller, and read the same either way."""

from __future__ import annotations

import os

import pytest

from flott.errors import StateStoreError
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import MANY_DELTAS, PART_SIZE, next_lineage, write_file
from flott.runtime.state.lineage import Lineage, StateFile, decode_changes, encode_changes, read_changes
from flott.runtime.state.packing import LEAST, packed, unpacked
from flott.runtime.state.points import points_of
from flott.runtime.state.store import StateStore
from flott.runtime.storage import LocalStorage


def changes_of(*values):
    return EpochChanges({b"00othrk": b"v"}, points_of((b"00col1%d" % n, value) for n, value in enumerate(values)))


SAME = [b"x" * 200] * 1_000


@pytest.mark.parametrize(
    ("values", "smaller"),
    [(SAME, True), ([os.urandom(200) for _ in SAME], False), ([None, b""], False)],
    ids=["same", "random", "little"],
)
def test_what_is_written_is_read(values, smaller):
    changes = changes_of(*values)
    file = b"".join(encode_changes(changes, "t"))
    assert (len(file) < changes.size()) == smaller
    token, found = decode_changes(file, "a-file")
    assert (token, found.all(), found.points.columns) == ("t", changes.all(), {b"col1"})


def test_little_and_what_does_not_get_smaller_is_left_as_it_is():
    assert packed(b"x" * (LEAST - 1)) is None
    assert packed(os.urandom(LEAST)) is None
    small = packed(b"x" * LEAST)
    assert len(small) < LEAST / 10
    assert unpacked(memoryview(small), LEAST) == b"x" * LEAST


def test_damage_is_found_before_anything_is_unpacked():
    file = bytearray(b"".join(encode_changes(changes_of(*SAME), "t")))
    file[-1] ^= 1
    with pytest.raises(StateStoreError, match="a-file is damaged"):
        decode_changes(bytes(file), "a-file")


@pytest.mark.parametrize("begin", [b"FLOTTST1", b"FLOTTST3", b"FLOTTST5"])
def test_files_of_other_versions_are_refused(begin):
    file = b"".join(encode_changes(changes_of(*SAME), "t"))
    with pytest.raises(StateStoreError, match="a-file is not a state file of this version"):
        decode_changes(begin + file[len(begin) :], "a-file")


def test_files_that_are_large_once_they_are_read_are_not_merged(tmp_path):
    storage, store = LocalStorage(tmp_path / "files"), StateStore(tmp_path / "store", map_size=2**26)
    large = write_file(storage, "large", changes_of(*SAME * 10), "large")
    assert large.size * MANY_DELTAS < PART_SIZE < large.in_memory * MANY_DELTAS
    deltas = tuple(StateFile(f"d{n}", f"t{n}", (), large.size, content=large.content) for n in range(MANY_DELTAS))
    assert len(next_lineage(Lineage(deltas), large, store, storage, "s").files) == MANY_DELTAS + 1
    store.close()


def test_a_file_of_a_lineage_is_read(tmp_path):
    storage = LocalStorage(tmp_path)
    changes = changes_of(*SAME)
    assert read_changes(storage, write_file(storage, "delta", changes, "t")).all() == changes.all()
