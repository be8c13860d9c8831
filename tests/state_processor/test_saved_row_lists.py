"""Lists of rows are read as they were, however they are cut into entries."""

from __future__ import annotations

from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import write_file
from flott.runtime.state.kinds import ROW_LISTS, Form
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.row_lists import LONG_TAIL, RowLists
from flott.runtime.state.store import StateStore
from flott.runtime.storage import LocalStorage
from flott.state_processor.saved_entries import OF_KEYS


def test_row_lists(tmp_path):
    storage = LocalStorage(tmp_path / "files")
    store = StateStore(tmp_path / "store", map_size=2**26, in_order=True)
    backend = KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits(0))
    rows = backend.part("rows", ROW_LISTS, lambda: RowLists(backend, "rows"))
    long = [(number,) for number in range(3 * LONG_TAIL)]
    lineage = Lineage()
    for epoch in range(3):
        store.bring_to(lineage, storage)
        backend.begin(store)
        rows.add_all(["long", epoch], [long[epoch * LONG_TAIL :][:LONG_TAIL], [("short", epoch)]])
        changes = EpochChanges()
        backend.flush(changes)
        file = write_file(storage, f"delta-{epoch}", changes, f"t{epoch}")
        lineage = Lineage((*lineage.files, file))
        backend.reached(f"t{epoch}")
    store.bring_to(lineage, storage)
    found = dict(OF_KEYS[Form.ROW_LISTS].read(store, backend.column("rows"), range(128)))
    assert found == {"long": long, **{epoch: [("short", epoch)] for epoch in range(3)}}
    store.close()
