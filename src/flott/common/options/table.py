"""Options of tables and SQL."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.time import Duration

__all__ = ["TableOptions"]

RULES = "tests/table/rules/test_two_phases.py"


class TableOptions:
    """Options of tables and SQL; `SET 'key' = 'value'` and `TableConfig.set` set them."""

    LOCAL_TIME_ZONE = (
        ConfigOptions.key("table.local-time-zone")
        .string_type()
        .default_value("UTC")
        .with_description("The time zone of the session, such as Europe/Berlin.")
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    STATE_TTL = (
        ConfigOptions.key("table.exec.state.ttl")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description(
            "After which time groups, joins and first rows forget state that was not written to; 0 for never."
        )
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    SOURCE_IDLE_TIMEOUT = (
        ConfigOptions.key("table.exec.source.idle-timeout")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description(
            "After which time nobody waits for a table, or a partition of a topic, that gave no row; 0 for never."
        )
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    MINI_BATCH = (
        ConfigOptions.key("table.exec.mini-batch.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether a group tells its result once per batch of rows instead of once per row.")
        .with_effect(f"{RULES}::test_groups_are_aggregated_before_the_exchange_if_they_report_once_per_batch")
    )
    MINI_BATCH_LATENCY = (
        ConfigOptions.key("table.exec.mini-batch.allow-latency")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description("How long rows may wait for a mini-batch.")
        .accepted("Mini-batches are the batches in which rows come.")
    )
    MINI_BATCH_SIZE = (
        ConfigOptions.key("table.exec.mini-batch.size")
        .long_type()
        .default_value(-1)
        .with_description("The most rows of a mini-batch.")
        .accepted("Mini-batches are the batches in which rows come.")
    )
    AGGREGATE_PHASES = (
        ConfigOptions.key("table.optimizer.agg-phase-strategy")
        .choice_type("AUTO", "ONE_PHASE", "TWO_PHASE")
        .default_value("AUTO")
        .with_description("Whether rows are aggregated in part before they are exchanged; not with ONE_PHASE.")
        .with_effect(f"{RULES}::test_groups_are_aggregated_before_the_exchange_if_they_report_once_per_batch")
    )
    SPLIT_DISTINCT = (
        ConfigOptions.key("table.optimizer.distinct-agg.split.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether distinct values are counted in parts, so that no task holds all of a large group.")
        .with_effect(f"{RULES}::test_distinct_values_are_counted_in_parts")
    )
    NOT_NULL_ENFORCER = (
        ConfigOptions.key("table.exec.sink.not-null-enforcer")
        .choice_type("ERROR", "DROP")
        .default_value("ERROR")
        .with_description(
            "What becomes of written rows with NULL in a column that is NOT NULL: an error, or they are dropped."
        )
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    TYPE_LENGTH_ENFORCER = (
        ConfigOptions.key("table.exec.sink.type-length-enforcer")
        .choice_type("IGNORE", "TRIM_PAD", "ERROR")
        .default_value("IGNORE")
        .with_description(
            "What becomes of written values of CHAR, VARCHAR, BINARY and VARBINARY that have another length: they are "
            "kept, cut and padded, or an error."
        )
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    EARLY_FIRE = (
        ConfigOptions.key("table.exec.emit.early-fire.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether TUMBLE and HOP in GROUP BY tell results before their windows are over.")
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    EARLY_FIRE_DELAY = (
        ConfigOptions.key("table.exec.emit.early-fire.delay")
        .duration_type()
        .no_default_value()
        .with_description("How often; 0 for every row.")
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    LATE_FIRE = (
        ConfigOptions.key("table.exec.emit.late-fire.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether they tell results again for rows that come late.")
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    LATE_FIRE_DELAY = (
        ConfigOptions.key("table.exec.emit.late-fire.delay")
        .duration_type()
        .no_default_value()
        .with_description("How often; 0 for every row.")
        .with_effect("tests/table/test_effects_of_settings.py")
    )
    ALLOW_LATENESS = (
        ConfigOptions.key("table.exec.emit.allow-lateness")
        .duration_type()
        .no_default_value()
        .with_description("For how long after their end windows take late rows; by default as long as state lives.")
        .with_effect("tests/table/test_effects_of_settings.py")
    )
