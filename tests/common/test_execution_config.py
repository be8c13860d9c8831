from __future__ import annotations

import pytest

from flott.common import Configuration, ExecutionConfig


def test_defaults_are_flinks():
    config = ExecutionConfig()
    assert config.get_parallelism() == ExecutionConfig.PARALLELISM_DEFAULT == -1
    assert config.get_max_parallelism() == -1
    assert config.get_auto_watermark_interval() == 200
    assert config.get_latency_tracking_interval() == 0
    assert config.get_task_cancellation_interval() == 30_000
    assert config.get_task_cancellation_timeout() == 180_000
    assert config.get_global_job_parameters() == {}
    assert config.has_auto_generated_uids_enabled()
    assert config.is_closure_cleaner_enabled()
    assert not config.is_object_reuse_enabled()
    assert not config.is_use_snapshot_compression()
    assert not config.is_force_kryo_enabled()
    assert not config.is_force_avro_enabled()
    assert not config.has_generic_types_disabled()
    assert config.get_default_kryo_serializer_classes() == {}
    assert config.get_registered_kryo_types() == config.get_registered_pojo_types() == []


@pytest.mark.parametrize(
    ("enable", "disable", "ask", "enabled"),
    [
        ("enable_closure_cleaner", "disable_closure_cleaner", "is_closure_cleaner_enabled", True),
        ("enable_auto_generated_uids", "disable_auto_generated_uids", "has_auto_generated_uids_enabled", True),
        ("enable_object_reuse", "disable_object_reuse", "is_object_reuse_enabled", True),
        ("enable_force_kryo", "disable_force_kryo", "is_force_kryo_enabled", True),
        ("enable_force_avro", "disable_force_avro", "is_force_avro_enabled", True),
        ("enable_generic_types", "disable_generic_types", "has_generic_types_disabled", False),
    ],
)
def test_switches(enable, disable, ask, enabled):
    config = ExecutionConfig()
    assert getattr(config, enable)() is config
    assert getattr(config, ask)() is enabled
    assert getattr(config, disable)() is config
    assert getattr(config, ask)() is not enabled


def test_numbers_chain_and_stay():
    config = (
        ExecutionConfig()
        .set_parallelism(4)
        .set_max_parallelism(256)
        .set_auto_watermark_interval(0)
        .set_latency_tracking_interval(-5)
        .set_task_cancellation_interval(1)
        .set_task_cancellation_timeout(0)
        .set_use_snapshot_compression(True)
    )
    assert config.get_parallelism() == 4
    assert config.get_max_parallelism() == 256
    assert config.get_auto_watermark_interval() == 0
    assert config.get_latency_tracking_interval() == -5
    assert config.get_task_cancellation_interval() == 1
    assert config.get_task_cancellation_timeout() == 0
    assert config.is_use_snapshot_compression()


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("set_parallelism", 0),
        ("set_parallelism", -3),
        ("set_max_parallelism", 0),
        ("set_auto_watermark_interval", -1),
        ("set_task_cancellation_timeout", -5),
    ],
)
def test_what_flink_refuses(method, wrong):
    with pytest.raises(ValueError, match=f"not {wrong}"):
        getattr(ExecutionConfig(), method)(wrong)


def test_unknown_parallelism_changes_nothing_and_default_resets():
    config = ExecutionConfig().set_parallelism(4).set_parallelism(ExecutionConfig.PARALLELISM_UNKNOWN)
    assert config.get_parallelism() == 4
    assert config.set_parallelism(ExecutionConfig.PARALLELISM_DEFAULT).get_parallelism() == -1


def test_parameters_become_text():
    config = ExecutionConfig().set_global_job_parameters({"a": 1, "b": True, "c": "x, y: z"})
    assert config.get_global_job_parameters() == {"a": "1", "b": "True", "c": "x, y: z"}


def test_a_method_and_its_option_are_the_same_thing():
    shared = Configuration()
    config = ExecutionConfig(shared)
    shared.set_string("parallelism.default", "3")
    assert config.get_parallelism() == 3
    config.set_auto_watermark_interval(50)
    assert shared.get_string("pipeline.auto-watermark-interval", "") == "50 ms"
    assert config.to_configuration() is shared
    config.configure(Configuration().set_integer("parallelism.default", 5))
    assert config.get_parallelism() == 5


def test_equality():
    assert ExecutionConfig().set_parallelism(2) == ExecutionConfig().set_parallelism(2)
    assert hash(ExecutionConfig().set_parallelism(2)) == hash(ExecutionConfig().set_parallelism(2))
    assert ExecutionConfig().set_parallelism(2) != ExecutionConfig()
    assert "parallelism.default" in repr(ExecutionConfig().set_parallelism(2))
