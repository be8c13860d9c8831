"""What a subtask keeps as live objects between epochs: bounded in number and in memory."""

from __future__ import annotations

import pytest

from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import write_file
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.store import StateStore
from flott.runtime.state.values import ValueState
from flott.runtime.storage import LocalStorage

KEYS = 50


@pytest.mark.parametrize(("size", "kept"), [(100, KEYS), (5_000, 0)])
def test_large_values_are_not_kept_in_memory(tmp_path, size, kept):
    storage, store = LocalStorage(tmp_path / "files"), StateStore(tmp_path / "store", map_size=2**26)
    backend = KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits(entries=1_000, memory=100_000))
    state = backend.part("v", VALUE_STATE, lambda: ValueState(backend, "v"))
    store.bring_to(Lineage(), storage)
    backend.begin(store)
    for key in range(KEYS):
        backend.scope.key = key
        state.update(bytes([key]) * size)
    changes = EpochChanges()
    backend.flush(changes)
    lineage = Lineage((write_file(storage, "delta", changes, "one"),))
    backend.reached("one")
    assert state.live_entries() == kept
    store.bring_to(lineage, storage)
    backend.begin(store)
    for key in range(KEYS):
        backend.scope.key = key
        assert state.value() == bytes([key]) * size
    store.close()
