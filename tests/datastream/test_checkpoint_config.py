from __future__ import annotations

import pytest

from flott.common import Configuration, Duration
from flott.datastream import (
    CheckpointConfig,
    CheckpointingMode,
    ExternalizedCheckpointRetention,
    FileSystemCheckpointStorage,
    JobManagerCheckpointStorage,
)


def test_the_defaults_are_flinks_but_for_what_a_failed_job_keeps():
    config = CheckpointConfig()
    assert not config.is_checkpointing_enabled()
    assert config.get_checkpoint_interval() == -1
    assert config.get_checkpointing_mode() is CheckpointingMode.EXACTLY_ONCE
    assert config.get_checkpoint_timeout() == 600_000
    assert config.get_min_pause_between_checkpoints() == 0
    assert config.get_max_concurrent_checkpoints() == 1
    assert config.get_tolerable_checkpoint_failure_number() == 0
    assert config.is_fail_on_checkpointing_errors()
    assert config.is_externalized_checkpoints_enabled()
    retention = config.get_externalized_checkpoint_retention()
    assert retention is ExternalizedCheckpointRetention.DELETE_ON_CANCELLATION
    assert not config.is_unaligned_checkpoints_enabled()
    assert not config.is_force_unaligned_checkpoints()
    assert config.get_alignment_timeout() == Duration.of_millis(0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("checkpoint_interval", 1000),
        ("checkpoint_timeout", 2000),
        ("checkpoint_interval_during_backlog", 0),
        ("min_pause_between_checkpoints", 3000),
        ("max_concurrent_checkpoints", 2),
        ("tolerable_checkpoint_failure_number", 4),
        ("checkpointing_mode", CheckpointingMode.AT_LEAST_ONCE),
        ("checkpointing_consistency_mode", CheckpointingMode.AT_LEAST_ONCE),
        ("externalized_checkpoint_retention", ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION),
        ("aligned_checkpoint_timeout", Duration.of_seconds(5)),
        ("alignment_timeout", Duration.of_seconds(6)),
    ],
)
def test_what_is_set_comes_back(name, value):
    config = CheckpointConfig()
    assert getattr(config, f"set_{name}")(value) is config
    assert getattr(config, f"get_{name}")() == value


def test_switches():
    config = CheckpointConfig()
    assert config.enable_unaligned_checkpoints().is_unaligned_checkpoints_enabled()
    assert not config.disable_unaligned_checkpoints().is_unaligned_checkpoints_enabled()
    assert config.set_force_unaligned_checkpoints().is_force_unaligned_checkpoints()
    assert config.set_fail_on_checkpointing_errors(False).get_tolerable_checkpoint_failure_number() == 2**31 - 1
    assert config.set_fail_on_checkpointing_errors(True).is_fail_on_checkpointing_errors()
    config.set_checkpoint_interval(50)
    assert not config.disable_checkpointing().is_checkpointing_enabled()


def test_a_setting_is_the_option_of_the_same_meaning():
    configuration = Configuration()
    CheckpointConfig(configuration).set_checkpoint_interval(5000)
    assert configuration.get_duration("execution.checkpointing.interval", None) == Duration.of_seconds(5)
    configuration.set_string("execution.checkpointing.interval", "7 s")
    assert CheckpointConfig(configuration).get_checkpoint_interval() == 7000


def test_without_its_own_interval_a_backlog_changes_nothing():
    assert CheckpointConfig().set_checkpoint_interval(50).get_checkpoint_interval_during_backlog() == 50


@pytest.mark.parametrize(
    ("storage", "name", "path"),
    [
        (FileSystemCheckpointStorage("s3://b/c"), "filesystem", "s3://b/c"),
        ("s3://b/c", "filesystem", "s3://b/c"),
        (JobManagerCheckpointStorage(), "jobmanager", ""),
    ],
)
def test_a_storage_becomes_options(storage, name, path):
    options = CheckpointConfig().set_checkpoint_storage(storage).to_configuration()
    assert options.get_string("execution.checkpointing.storage", "") == name
    assert options.get_string("execution.checkpointing.dir", "") == path


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("checkpoint_interval", 9),
        ("checkpoint_timeout", 0),
        ("checkpoint_interval_during_backlog", 5),
        ("min_pause_between_checkpoints", -1),
        ("max_concurrent_checkpoints", 0),
        ("tolerable_checkpoint_failure_number", -1),
    ],
)
def test_values_that_make_no_sense_are_refused(setting, value):
    with pytest.raises(ValueError, match=f"not {value}"):
        getattr(CheckpointConfig(), f"set_{setting}")(value)
