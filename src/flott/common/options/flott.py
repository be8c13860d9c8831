"""Options that only Flott has."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.memory_size import MemorySize
from flott.common.time import Duration

__all__ = ["FlottOptions"]


class FlottOptions:
    """Options that only Flott has."""

    SPARK_MASTER = (
        ConfigOptions.key("flott.spark.master")
        .string_type()
        .default_value("local[*]")
        .with_description(
            "Where Spark runs: local[*] for this machine with all its cores, spark://host:7077, "
            "yarn, k8s://… as for Spark itself."
        )
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    SPARK_LOG_LEVEL = (
        ConfigOptions.key("flott.spark.log-level")
        .string_type()
        .default_value("off")
        .with_description(
            "What an embedded Spark logs on the terminal: off, error, warn, info. "
            "Flott itself logs through Python's logging, under the name flott."
        )
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    EXECUTION_TARGET = (
        ConfigOptions.key("flott.execution.target")
        .string_type()
        .default_value("spark")
        .with_description("What executes the epochs: spark, or in-process for tests that need no Spark at all.")
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    STORAGE_DIRECTORY = (
        ConfigOptions.key("flott.storage.dir")
        .string_type()
        .no_default_value()
        .with_description(
            "The directory for what all machines must see: the job itself and its state by epoch. "
            "Any path that fsspec knows. On one machine it may be left out; on a cluster it is needed."
        )
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    STATE_DIRECTORY = (
        ConfigOptions.key("flott.state.dir")
        .string_type()
        .no_default_value()
        .with_description(
            "The directory of the working state on each worker's own disk; "
            "by default in a private directory below TMPDIR, removed when the process has ended. Where it is set, a "
            "driver that dies or is replaced leaves the job's stores to the next one."
        )
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    STATE_LOCALITY = (
        ConfigOptions.key("flott.state.locality")
        .string_type()
        .default_value("auto")
        .with_description(
            "On a cluster: let Spark run a subtask where it ran before, if a slot is free there. It makes every epoch "
            "some milliseconds longer, so `auto` does it once an epoch changes more than a megabyte of state per "
            "subtask; `true` and `false` decide it."
        )
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    STATE_CACHE_ENTRIES = (
        ConfigOptions.key("flott.state.cache-entries")
        .int_type()
        .default_value(200_000)
        .with_description("How many state values a subtask holds as live objects between epochs.")
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    STATE_CACHE_MEMORY = (
        ConfigOptions.key("flott.state.cache-memory")
        .memory_type()
        .default_value(MemorySize.of_mebi_bytes(32))
        .with_description("About how much memory these live objects of a subtask may take between epochs.")
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
    STATE_MAX_STORE_SIZE = (
        ConfigOptions.key("flott.state.max-store-size")
        .memory_type()
        .default_value(MemorySize.parse("64 gb"))
        .with_description(
            "How large the ordered part of a subtask's working store may grow on local disk: lists, maps, timers, and "
            "state with a time to live. It takes address space, not memory; a job whose subtask outgrows it fails."
        )
        .with_effect("tests/runtime/state/test_store.py::test_a_store_grows_as_large_as_the_setting_says")
    )
    EPOCH_TARGET_DURATION = (
        ConfigOptions.key("flott.epoch.target-duration")
        .duration_type()
        .default_value(Duration.of_seconds(2))
        .with_description(
            "How long an epoch should take when there is a backlog: longer epochs cost less, "
            "shorter ones answer sooner."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    EPOCH_MAX_ATTEMPTS = (
        ConfigOptions.key("flott.epoch.max-attempts")
        .int_type()
        .default_value(3)
        .with_description("How often an epoch is tried before the restart strategy is asked.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    BROADCAST_FIRST = (
        ConfigOptions.key("flott.broadcast.first")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether a bounded broadcast input that is ready at the start is read to its end before the input beside "
            "it begins. Otherwise both are read at the same time, as in Flink."
        )
        .with_effect(
            "tests/coordination/test_broadcast_first.py::test_without_the_setting_both_are_read_at_the_same_time"
        )
    )
    PYFLINK_IMPORTS = (
        ConfigOptions.key("flott.pyflink-imports")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Whether `import pyflink` means Flott in the workers too. `flott run --pyflink` sets it, for programs "
            "that were written for PyFlink."
        )
        .with_effect("tests/coordination/test_check_settings.py::test_a_program_for_pyflink_gets_one_line")
    )
