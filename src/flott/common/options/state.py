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
        .with_description(
            "Accepted for PyFlink programs: hashmap, rocksdb or forst. "
            "Flott keeps working state in LMDB, in memory as far as it fits and on disk beyond."
        )
        .with_deprecated_keys("state.backend")
    )


class StateRecoveryOptions:
    """Options of what a job starts from."""

    SAVEPOINT_PATH = (
        ConfigOptions.key("execution.state-recovery.path")
        .string_type()
        .no_default_value()
        .with_description("The savepoint or checkpoint to start from.")
        .with_deprecated_keys("execution.savepoint.path")
    )
    SAVEPOINT_IGNORE_UNCLAIMED_STATE = (
        ConfigOptions.key("execution.state-recovery.ignore-unclaimed-state")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Whether to start although the savepoint has state of operators that the program no longer has."
        )
        .with_deprecated_keys("execution.savepoint.ignore-unclaimed-state")
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
    )
