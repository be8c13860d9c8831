"""Options of checkpoints and savepoints."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.time import Duration

__all__ = ["CheckpointingOptions"]


class CheckpointingOptions:
    """Options of checkpoints and savepoints."""

    CHECKPOINTING_INTERVAL = (
        ConfigOptions.key("execution.checkpointing.interval")
        .duration_type()
        .no_default_value()
        .with_description("How often a checkpoint is taken; without it, the job takes none.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    CHECKPOINTING_INTERVAL_DURING_BACKLOG = (
        ConfigOptions.key("execution.checkpointing.interval-during-backlog")
        .duration_type()
        .no_default_value()
        .with_description(
            "How often a checkpoint is taken while a source works off a backlog; 0 s for never. "
            "By default as often as otherwise."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    CHECKPOINTING_CONSISTENCY_MODE = (
        ConfigOptions.key("execution.checkpointing.mode")
        .choice_type("EXACTLY_ONCE", "AT_LEAST_ONCE")
        .default_value("EXACTLY_ONCE")
        .with_description("How often a record may count after a failure.")
        .with_effect(
            "tests/coordination/test_starting_again.py::test_a_job_that_is_resumed_may_not_turn_to_exactly_once_on_such_a_store"
        )
    )
    CHECKPOINTING_TIMEOUT = (
        ConfigOptions.key("execution.checkpointing.timeout")
        .duration_type()
        .default_value(Duration.of_minutes(10))
        .with_description("After this long an unfinished checkpoint is aborted.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    MIN_PAUSE_BETWEEN_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.min-pause")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description("At least this long between the end of a checkpoint and the next one.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    MAX_CONCURRENT_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.max-concurrent-checkpoints")
        .int_type()
        .default_value(1)
        .with_description("How many checkpoints may be under way at the same time.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    TOLERABLE_FAILURE_NUMBER = (
        ConfigOptions.key("execution.checkpointing.tolerable-failed-checkpoints")
        .int_type()
        .default_value(0)
        .with_description("How many checkpoints in a row may fail before the job does.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    CHECKPOINT_STORAGE = (
        ConfigOptions.key("execution.checkpointing.storage")
        .string_type()
        .no_default_value()
        .with_description(
            "Where checkpoints are kept: filesystem, or jobmanager for the driver's own disk. "
            "By default filesystem when a directory is given."
        )
        .with_deprecated_keys("state.checkpoint-storage")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    CHECKPOINTS_DIRECTORY = (
        ConfigOptions.key("execution.checkpointing.dir")
        .string_type()
        .no_default_value()
        .with_description(
            "The directory of the checkpoints; every worker must reach it. "
            "Any path that fsspec knows: a local one, hdfs://, s3://, gs://."
        )
        .with_deprecated_keys("state.checkpoints.dir", "state.backend.fs.checkpointdir")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    CREATE_CHECKPOINT_SUB_DIR = (
        ConfigOptions.key("execution.checkpointing.create-subdir")
        .boolean_type()
        .default_value(True)
        .with_description("Whether each job gets its own directory under the checkpoint directory.")
        .with_deprecated_keys("state.checkpoints.create-subdir")
        .refused("a driver that is started again finds its job by the directory that the job has for itself")
    )
    SAVEPOINT_DIRECTORY = (
        ConfigOptions.key("execution.checkpointing.savepoint-dir")
        .string_type()
        .no_default_value()
        .with_description("Where savepoints go when whoever asks for one does not say.")
        .with_deprecated_keys("state.savepoints.dir", "savepoints.state.backend.fs.dir")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    MAX_RETAINED_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.num-retained")
        .int_type()
        .default_value(1)
        .with_description("How many completed checkpoints are kept.")
        .with_deprecated_keys("state.checkpoints.num-retained")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    EXTERNALIZED_CHECKPOINT_RETENTION = (
        ConfigOptions.key("execution.checkpointing.externalized-checkpoint-retention")
        .choice_type("DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS")
        .default_value("DELETE_ON_CANCELLATION")
        .with_description(
            "What becomes of the checkpoints when the job ends: RETAIN_ON_CANCELLATION keeps them when it fails or is "
            "cancelled, DELETE_ON_CANCELLATION only when it fails, NO_EXTERNALIZED_CHECKPOINTS never: then a job that "
            "failed starts from the beginning, and writes again what it had committed."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    INCREMENTAL_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.incremental")
        .boolean_type()
        .default_value(False)
        .with_description("Whether checkpoints hold only what changed.")
        .with_deprecated_keys("state.backend.incremental")
        .accepted("Flott writes what changed, in every epoch.")
    )
    ENABLE_UNALIGNED = (
        ConfigOptions.key("execution.checkpointing.unaligned.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether checkpoints overtake records that wait.")
        .with_deprecated_keys("execution.checkpointing.unaligned")
        .accepted("Barriers close every epoch, so nothing waits for them.")
    )
    FORCE_UNALIGNED = (
        ConfigOptions.key("execution.checkpointing.unaligned.forced")
        .boolean_type()
        .default_value(False)
        .with_description("Whether they do even where Flink advises against it.")
        .accepted("Barriers close every epoch, so nothing waits for them.")
    )
    ALIGNED_CHECKPOINT_TIMEOUT = (
        ConfigOptions.key("execution.checkpointing.aligned-checkpoint-timeout")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description("When checkpoints begin to overtake records that wait.")
        .with_deprecated_keys("execution.checkpointing.alignment-timeout")
        .accepted("There is no alignment to time out.")
    )
    ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH = (
        ConfigOptions.key("execution.checkpointing.checkpoints-after-tasks-finish")
        .boolean_type()
        .default_value(True)
        .with_description("Whether checkpoints go on after the first source has ended.")
        .with_deprecated_keys("execution.checkpointing.checkpoints-after-tasks-finish.enabled")
        .refused("the last checkpoint of a job commits what its sinks hold")
    )
    SNAPSHOT_COMPRESSION = (
        ConfigOptions.key("execution.checkpointing.snapshot-compression")
        .boolean_type()
        .default_value(False)
        .with_description("Whether full snapshots of the state are compressed.")
        .accepted("Files of state are compressed wherever that makes them much smaller.")
    )
