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
        .with_description("How often a checkpoint is taken; without it, there are none.")
    )
    CHECKPOINTING_INTERVAL_DURING_BACKLOG = (
        ConfigOptions.key("execution.checkpointing.interval-during-backlog")
        .duration_type()
        .no_default_value()
        .with_description(
            "How often a checkpoint is taken while a source works off a backlog; 0 s for never. "
            "By default as often as otherwise."
        )
    )
    CHECKPOINTING_CONSISTENCY_MODE = (
        ConfigOptions.key("execution.checkpointing.mode")
        .choice_type("EXACTLY_ONCE", "AT_LEAST_ONCE")
        .default_value("EXACTLY_ONCE")
        .with_description("How often a record may count after a failure.")
    )
    CHECKPOINTING_TIMEOUT = (
        ConfigOptions.key("execution.checkpointing.timeout")
        .duration_type()
        .default_value(Duration.of_minutes(10))
        .with_description("After this long an unfinished checkpoint is given up.")
    )
    MIN_PAUSE_BETWEEN_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.min-pause")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description("At least this long between the end of a checkpoint and the next one.")
    )
    MAX_CONCURRENT_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.max-concurrent-checkpoints")
        .int_type()
        .default_value(1)
        .with_description("How many checkpoints may be under way at the same time.")
    )
    TOLERABLE_FAILURE_NUMBER = (
        ConfigOptions.key("execution.checkpointing.tolerable-failed-checkpoints")
        .int_type()
        .default_value(0)
        .with_description("How many checkpoints in a row may fail before the job does.")
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
    )
    CREATE_CHECKPOINT_SUB_DIR = (
        ConfigOptions.key("execution.checkpointing.create-subdir")
        .boolean_type()
        .default_value(True)
        .with_description("Whether each job gets its own directory under the checkpoint directory.")
        .with_deprecated_keys("state.checkpoints.create-subdir")
    )
    SAVEPOINT_DIRECTORY = (
        ConfigOptions.key("execution.checkpointing.savepoint-dir")
        .string_type()
        .no_default_value()
        .with_description("Where savepoints go when whoever asks for one does not say.")
        .with_deprecated_keys("state.savepoints.dir", "savepoints.state.backend.fs.dir")
    )
    MAX_RETAINED_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.num-retained")
        .int_type()
        .default_value(1)
        .with_description("How many completed checkpoints are kept.")
        .with_deprecated_keys("state.checkpoints.num-retained")
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
    )
    INCREMENTAL_CHECKPOINTS = (
        ConfigOptions.key("execution.checkpointing.incremental")
        .boolean_type()
        .default_value(False)
        .with_description("Accepted for PyFlink programs. Flott writes what changed in every epoch anyway.")
        .with_deprecated_keys("state.backend.incremental")
    )
    ENABLE_UNALIGNED = (
        ConfigOptions.key("execution.checkpointing.unaligned.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Accepted for PyFlink programs. Barriers close every epoch, so nothing waits for them.")
        .with_deprecated_keys("execution.checkpointing.unaligned")
    )
    FORCE_UNALIGNED = (
        ConfigOptions.key("execution.checkpointing.unaligned.forced")
        .boolean_type()
        .default_value(False)
        .with_description("Accepted for PyFlink programs. See the option above.")
    )
    ALIGNED_CHECKPOINT_TIMEOUT = (
        ConfigOptions.key("execution.checkpointing.aligned-checkpoint-timeout")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description("Accepted for PyFlink programs. There is no alignment to time out.")
        .with_deprecated_keys("execution.checkpointing.alignment-timeout")
    )
    ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH = (
        ConfigOptions.key("execution.checkpointing.checkpoints-after-tasks-finish")
        .boolean_type()
        .default_value(True)
        .with_description("Whether checkpoints go on after the first source has ended.")
        .with_deprecated_keys("execution.checkpointing.checkpoints-after-tasks-finish.enabled")
    )
    SNAPSHOT_COMPRESSION = (
        ConfigOptions.key("execution.checkpointing.snapshot-compression")
        .boolean_type()
        .default_value(False)
        .with_description("Whether full snapshots of the state are compressed.")
    )
