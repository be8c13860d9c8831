from __future__ import annotations

import pytest

from flott.common import Configuration, Duration
from flott.datastream import CheckpointingMode, RuntimeExecutionMode, SlotSharingGroup, StreamExecutionEnvironment
from flott.datastream.stream_execution_environment.settings import EnvironmentSettings
from flott.errors import GraphError


@pytest.fixture
def fresh():
    return StreamExecutionEnvironment.get_execution_environment()


def test_the_configuration_is_copied():
    configuration = Configuration().set_integer("parallelism.default", 3)
    environment = StreamExecutionEnvironment.get_execution_environment(configuration)
    environment.set_parallelism(5)
    assert environment.get_parallelism() == 5
    assert configuration.get_integer("parallelism.default", 0) == 3


def test_settings_from_outside_lie_below_the_programs_own(monkeypatch):
    outside = Configuration().set_integer("parallelism.default", 3).set_string("pipeline.name", "from outside")
    monkeypatch.setattr(StreamExecutionEnvironment, "context_configuration", outside)
    own = Configuration().set_integer("parallelism.default", 4)
    environment = StreamExecutionEnvironment.get_execution_environment(own)
    environment.from_sequence(1, 2).print()
    assert environment.program().parallelism == 4
    assert environment.program().name == "from outside"


def test_without_a_setting_there_is_a_subtask_for_each_core(fresh, monkeypatch):
    monkeypatch.setattr(EnvironmentSettings, "_default_local_parallelism", None)
    assert fresh.get_parallelism() == fresh.get_default_local_parallelism() >= 1
    fresh.set_default_local_parallelism(7)
    assert StreamExecutionEnvironment.get_execution_environment().get_parallelism() == 7


def test_parallelism(fresh):
    assert fresh.set_parallelism(3) is fresh
    assert fresh.get_parallelism() == 3
    assert fresh.get_max_parallelism() == -1
    assert fresh.set_max_parallelism(64).get_max_parallelism() == 64
    assert fresh.get_config().get_max_parallelism() == 64
    for call, wrong in [
        (fresh.set_parallelism, 0),
        (fresh.set_max_parallelism, 40000),
        (fresh.set_default_local_parallelism, 0),
    ]:
        with pytest.raises(GraphError, match=str(wrong)):
            call(wrong)


def test_everything_lives_in_the_configuration(fresh):
    fresh.configure(
        Configuration()
        .set_string("execution.runtime-mode", "BATCH")
        .set_string("execution.buffer-timeout.interval", "7 ms")
        .set_string("execution.checkpointing.interval", "3 s")
        .set_string("pipeline.operator-chaining.enabled", "false")
    )
    assert fresh.get_buffer_timeout() == 7
    assert fresh.get_checkpoint_interval() == 3000
    assert not fresh.is_chaining_enabled()
    fresh.get_config().set_auto_watermark_interval(50)
    interval = fresh.get_configuration().get_duration("pipeline.auto-watermark-interval", None)
    assert interval == Duration.of_millis(50)


def test_buffer_timeout(fresh):
    assert fresh.get_buffer_timeout() == 100
    assert fresh.set_buffer_timeout(0).get_buffer_timeout() == 0
    assert fresh.set_buffer_timeout(-1).get_buffer_timeout() == -1
    assert fresh.set_buffer_timeout(5).get_buffer_timeout() == 5
    with pytest.raises(GraphError, match="-2"):
        fresh.set_buffer_timeout(-2)


def test_chaining(fresh):
    assert fresh.is_chaining_enabled()
    assert fresh.is_chaining_of_operators_with_different_max_parallelism_enabled()
    assert not fresh.disable_operator_chaining().is_chaining_enabled()


def test_checkpoints(fresh):
    assert fresh.get_checkpoint_interval() == -1
    fresh.enable_checkpointing(3000, CheckpointingMode.AT_LEAST_ONCE)
    assert fresh.get_checkpoint_config().get_checkpoint_interval() == 3000
    assert fresh.get_checkpointing_mode() is CheckpointingMode.AT_LEAST_ONCE
    assert fresh.get_checkpointing_consistency_mode() is CheckpointingMode.AT_LEAST_ONCE
    fresh.get_checkpoint_config().enable_unaligned_checkpoints().set_force_unaligned_checkpoints()
    assert fresh.is_unaligned_checkpoints_enabled()
    assert fresh.is_force_unaligned_checkpoints()
    assert fresh.is_changelog_state_backend_enabled() is None
    assert fresh.enable_changelog_state_backend(True).is_changelog_state_backend_enabled()
    assert fresh.get_default_savepoint_directory() is None
    assert fresh.set_default_savepoint_directory("s3://b").get_default_savepoint_directory() == "s3://b"


def test_the_mode_is_one_of_three(fresh):
    assert fresh.set_runtime_mode(RuntimeExecutionMode.BATCH) is fresh
    with pytest.raises(GraphError, match=r"'BATCH'.*RuntimeExecutionMode"):
        fresh.set_runtime_mode("BATCH")


def test_a_slot_sharing_group_is_remembered(fresh):
    group = SlotSharingGroup.builder("g").build()
    assert fresh.register_slot_sharing_group(group)._slot_sharing_groups == {"g": group}
