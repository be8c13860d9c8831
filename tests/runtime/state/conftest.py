"""Stores that are opened again, as by another process."""

from __future__ import annotations

import pytest

from flott.runtime.state.store import StateStore
from flott.runtime.storage import LocalStorage


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(tmp_path / "files")


@pytest.fixture
def opened(tmp_path):
    """Return what opens the store of a test, as the next process would."""
    stores = []

    def open_store(**options):
        # LMDB opens a store once per process: the one before is closed, as the end of its process would do.
        for store in stores:
            store.close()
        stores[:] = [StateStore(tmp_path / "store", map_size=2**26, **options)]
        return stores[0]

    yield open_store
    for store in stores:
        store.close()
