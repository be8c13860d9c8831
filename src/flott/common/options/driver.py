"""Options of a job's driver: how it starts, and how it owns the job."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.time import Duration

__all__ = ["DriverOptions"]


class DriverOptions:
    """Options of a job's driver: how it starts, and how it owns the job."""

    NEW_JOB = (
        ConfigOptions.key("flott.job.new")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Start another job instead of resuming the one of this name in the checkpoint directory: with its own id, "
            "directory and transactional ids. One of that name that runs goes on beside it; one that does not run "
            "stays where it is, and is not resumed any more."
        )
        .with_effect("tests/coordination/test_starting_again.py::test_a_job_that_failed_is_left_where_it_is_by_new")
    )
    ALLOW_OLDER_CHECKPOINT = (
        ConfigOptions.key("flott.recovery.allow-older-checkpoint")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Resume from the newest checkpoint that can be read completely, where newer ones are damaged. "
            "What was committed after it is written to sinks again."
        )
        .with_effect(
            "tests/coordination/checkpoints/test_damage.py::test_an_older_checkpoint_is_taken_where_that_is_allowed"
        )
    )
    LEASE = (
        ConfigOptions.key("flott.driver.lease")
        .duration_type()
        .default_value(Duration.of_seconds(60))
        .with_description(
            "On storage without locks, such as S3: how long a driver that is silent counts as alive. It renews its "
            "lease four times as often; a new driver waits until it has expired."
        )
        .with_effect("tests/coordination/test_starting_again.py::test_new_waits_for_a_dead_drivers_lease")
    )
    CHECKPOINT_FSYNC = (
        ConfigOptions.key("flott.checkpoint.fsync")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether files on a local disk are synced, once per checkpoint and before it counts: those of state, of "
            "sinks and of the checkpoint. Without it a power failure may lose what a checkpoint needs."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
