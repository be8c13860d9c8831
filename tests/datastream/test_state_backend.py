from __future__ import annotations

import pytest

from flott.datastream import (
    CustomStateBackend,
    EmbeddedRocksDBStateBackend,
    HashMapStateBackend,
    PredefinedOptions,
    StateBackend,
)


def test_rocksdb_remembers_what_it_was_told():
    backend = EmbeddedRocksDBStateBackend()
    assert not backend.is_incremental_checkpoints_enabled()
    assert backend.get_predefined_options() is PredefinedOptions.DEFAULT
    assert backend.get_options() is None
    backend.set_db_storage_paths("a", "b")
    backend.set_predefined_options(PredefinedOptions.FLASH_SSD_OPTIMIZED)
    backend.set_options("org.example.Factory")
    backend.set_number_of_transfer_threads(8)
    assert backend.get_db_storage_paths() == ["a", "b"]
    assert backend.get_predefined_options() is PredefinedOptions.FLASH_SSD_OPTIMIZED
    assert backend.get_options() == "org.example.Factory"
    assert backend.get_number_of_transfer_threads() == 8
    backend.set_db_storage_paths()
    assert backend.get_db_storage_paths() == []


def test_all_are_state_backends():
    backends = [HashMapStateBackend(), EmbeddedRocksDBStateBackend(True), CustomStateBackend("mine")]
    assert all(isinstance(backend, StateBackend) for backend in backends)
    assert str(backends[0]) == "HashMapStateBackend"
    assert backends[2].state_backend == "mine"


def test_wrong_values_are_refused():
    with pytest.raises(TypeError, match="'yes'"):
        EmbeddedRocksDBStateBackend("yes")
    with pytest.raises(ValueError, match="1 or more"):
        EmbeddedRocksDBStateBackend().set_number_of_transfer_threads(0)
