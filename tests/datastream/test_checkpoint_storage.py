from __future__ import annotations

import pytest

from flott.datastream import CustomCheckpointStorage, FileSystemCheckpointStorage, JobManagerCheckpointStorage


def test_a_directory_with_flinks_defaults():
    storage = FileSystemCheckpointStorage("file:///checkpoints")
    assert storage.get_checkpoint_path() == "file:///checkpoints"
    assert storage.get_savepoint_path() is None
    assert storage.get_min_file_size_threshold() == 20480
    assert storage.get_write_buffer_size() == 20480
    assert "file:///checkpoints" in str(storage)


def test_sizes_can_be_chosen():
    storage = FileSystemCheckpointStorage("d", file_state_size_threshold=100, write_buffer_size=200)
    assert (storage.get_min_file_size_threshold(), storage.get_write_buffer_size()) == (100, 200)


def test_with_the_driver():
    assert JobManagerCheckpointStorage(max_state_size=7).get_max_state_size() == 7
    assert JobManagerCheckpointStorage("d").get_checkpoint_path() == "d"
    assert JobManagerCheckpointStorage().get_checkpoint_path() is None


def test_a_custom_one_keeps_what_it_got():
    assert CustomCheckpointStorage("mine").checkpoint_storage == "mine"


@pytest.mark.parametrize(
    "make",
    [
        FileSystemCheckpointStorage,
        lambda: FileSystemCheckpointStorage("d", file_state_size_threshold=2 << 20),
        lambda: FileSystemCheckpointStorage("d", write_buffer_size=-2),
        lambda: JobManagerCheckpointStorage(max_state_size=0),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(ValueError, match=r"directory|bytes?"):
        make()
