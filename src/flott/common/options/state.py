"""Options of state: where it is kept, and from where a job starts."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions

__all__ = ["StateBackendOptions", "StateRecoveryOptions"]


class StateBackendOptions:
    """Options of where the working state is kept."""

    STATE_BACKEND = (
        ConfigOptions.key("state.backend.type")
        .string_type()
        .default_value("hashmap")
        .with_description("hashmap, rocksdb or forst.")
        .with_deprecated_keys("state.backend")
        .accepted("Flott keeps working state in stores of its own, in memory as far as it fits and on disk beyond.")
    )
    CHANGELOG_ENABLED = (
        ConfigOptions.key("state.changelog.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether changes of state are written continuously, so that checkpoints are short.")
        .accepted("Flott writes what changed, in every epoch.")
    )


class StateRecoveryOptions:
    """Options of what a job starts from."""

    SAVEPOINT_PATH = (
        ConfigOptions.key("execution.state-recovery.path")
        .string_type()
        .no_default_value()
        .with_description("The savepoint or checkpoint to start from.")
        .with_deprecated_keys("execution.savepoint.path")
        .with_effect(
            "tests/coordination/checkpoints/test_savepoints.py::test_a_restored_job_puts_out_what_an_uninterrupted_one_does"
        )
    )
    SAVEPOINT_IGNORE_UNCLAIMED_STATE = (
        ConfigOptions.key("execution.state-recovery.ignore-unclaimed-state")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Whether to start although the savepoint has state of operators that the program no longer has."
        )
        .with_deprecated_keys("execution.savepoint.ignore-unclaimed-state")
        .with_effect("tests/coordination/checkpoints/test_recovery.py::test_a_program_without_the_operator_is_refused")
    )
    RESTORE_MODE = (
        ConfigOptions.key("execution.state-recovery.claim-mode")
        .choice_type("CLAIM", "NO_CLAIM")
        .default_value("NO_CLAIM")
        .with_description(
            "CLAIM: the job owns the savepoint from now on and deletes it when it is not needed "
            "any more. NO_CLAIM: it stays as it is."
        )
        .with_deprecated_keys("execution.savepoint-restore-mode")
        .with_effect(
            "tests/coordination/checkpoints/test_savepoints.py::test_a_savepoint_that_is_not_claimed_stays_and_is_not_needed"
        )
    )
