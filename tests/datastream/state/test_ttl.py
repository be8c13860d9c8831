from __future__ import annotations

from flott.common import Duration, Time
from flott.datastream.state import StateTtlConfig

Cleanup = StateTtlConfig.CleanupStrategies


def test_the_defaults_are_flinks():
    config = StateTtlConfig.new_builder(Time.minutes(5)).build()
    assert config.is_enabled()
    assert config.get_ttl() == Time.minutes(5)
    assert config.get_update_type() is StateTtlConfig.UpdateType.OnCreateAndWrite
    assert config.get_state_visibility() is StateTtlConfig.StateVisibility.NeverReturnExpired
    assert config.get_ttl_time_characteristic() is StateTtlConfig.TtlTimeCharacteristic.ProcessingTime
    cleanup = config.get_cleanup_strategies()
    assert cleanup.is_cleanup_in_background()
    assert not cleanup.in_full_snapshot()
    incremental = cleanup.get_incremental_cleanup_strategy()
    assert (incremental.get_cleanup_size(), incremental.run_cleanup_for_every_record()) == (5, False)
    compaction = cleanup.get_rocksdb_compact_filter_cleanup_strategy()
    assert compaction.get_query_time_after_num_entries() == 1000
    assert compaction.get_periodic_compaction_time() == Duration.of_days(30)


def test_everything_can_be_chosen():
    config = (
        StateTtlConfig.new_builder(Time.minutes(5))
        .set_ttl(Time.minutes(1))
        .update_ttl_on_create_and_write()
        .update_ttl_on_read_and_write()
        .never_return_expired()
        .return_expired_if_not_cleaned_up()
        .use_processing_time()
        .cleanup_full_snapshot()
        .cleanup_incrementally(7, run_cleanup_for_every_record=True)
        .cleanup_in_rocksdb_compact_filter(9, Duration.of_days(1))
        .disable_cleanup_in_background()
        .build()
    )
    assert config.get_ttl() == Time.minutes(1)
    assert config.get_update_type() is StateTtlConfig.UpdateType.OnReadAndWrite
    assert config.get_state_visibility() is StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp
    cleanup = config.get_cleanup_strategies()
    assert not cleanup.is_cleanup_in_background()
    assert cleanup.in_full_snapshot()
    assert cleanup.get_incremental_cleanup_strategy().get_cleanup_size() == 7
    assert cleanup.get_rocksdb_compact_filter_cleanup_strategy().get_query_time_after_num_entries() == 9
    assert cleanup.get_rocksdb_compact_filter_cleanup_strategy().get_periodic_compaction_time() == Duration.of_days(1)


def test_without_background_there_is_only_what_was_chosen():
    cleanup = StateTtlConfig.new_builder(Time.days(1)).disable_cleanup_in_background().build().get_cleanup_strategies()
    assert cleanup.get_incremental_cleanup_strategy() is None
    assert cleanup.get_rocksdb_compact_filter_cleanup_strategy() is None


def test_what_was_built_does_not_change_with_the_builder():
    builder = StateTtlConfig.new_builder(Time.days(1))
    config = builder.build()
    builder.cleanup_full_snapshot()
    assert not config.get_cleanup_strategies().in_full_snapshot()
    assert Cleanup.Strategies.FULL_STATE_SCAN_SNAPSHOT.value == 0
