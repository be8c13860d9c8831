"""Time to live: when state that nobody touches goes away."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from flott.datastream.state.ttl_cleanup import CleanupStrategies as Cleanup

if TYPE_CHECKING:
    from flott.common.time import Duration, Time

    Lifetime: TypeAlias = Time | Duration

__all__ = ["StateTtlConfig"]


class _UpdateType(Enum):
    """What renews the life of state."""

    Disabled = 0
    """State never expires."""
    OnCreateAndWrite = 1
    """Writing renews it."""
    OnReadAndWrite = 2
    """Writing and reading renew it."""


class _StateVisibility(Enum):
    """What is seen of state that expired but is not cleaned up yet."""

    ReturnExpiredIfNotCleanedUp = 0
    NeverReturnExpired = 1


class _TtlTimeCharacteristic(Enum):
    """Which time counts."""

    ProcessingTime = 0


@dataclass(frozen=True, slots=True)
class StateTtlConfig:
    """How long state lives, what renews it, and what is seen of it once it expired.

    >>> from flott.common.time import Time
    >>> config = StateTtlConfig.new_builder(Time.hours(1)).update_ttl_on_read_and_write().build()
    >>> config.get_update_type() is StateTtlConfig.UpdateType.OnReadAndWrite
    True
    >>> config.get_state_visibility() is StateTtlConfig.StateVisibility.NeverReturnExpired
    True
    """

    UpdateType: ClassVar = _UpdateType
    StateVisibility: ClassVar = _StateVisibility
    TtlTimeCharacteristic: ClassVar = _TtlTimeCharacteristic
    CleanupStrategies: ClassVar = Cleanup

    update_type: _UpdateType
    state_visibility: _StateVisibility
    ttl_time_characteristic: _TtlTimeCharacteristic
    ttl: Lifetime
    cleanup_strategies: Cleanup

    @staticmethod
    def new_builder(ttl: Lifetime) -> StateTtlConfig.Builder:
        """Starts a configuration with how long state lives."""
        return StateTtlConfig.Builder(ttl)

    def get_update_type(self) -> _UpdateType:
        """Returns what renews the life of state."""
        return self.update_type

    def get_state_visibility(self) -> _StateVisibility:
        """Returns what is seen of expired state."""
        return self.state_visibility

    def get_ttl(self) -> Lifetime:
        """Returns how long state lives."""
        return self.ttl

    def get_ttl_time_characteristic(self) -> _TtlTimeCharacteristic:
        """Returns which time counts."""
        return self.ttl_time_characteristic

    def is_enabled(self) -> bool:
        """Says whether state expires at all."""
        return self.update_type is not _UpdateType.Disabled

    def get_cleanup_strategies(self) -> Cleanup:
        """Returns when expired state is removed for good."""
        return self.cleanup_strategies

    class Builder:
        """Builds a StateTtlConfig; every setter returns the builder."""

        def __init__(self, ttl: Lifetime) -> None:
            self._ttl = ttl
            self._update_type = _UpdateType.OnCreateAndWrite
            self._state_visibility = _StateVisibility.NeverReturnExpired
            self._ttl_time_characteristic = _TtlTimeCharacteristic.ProcessingTime
            self._is_cleanup_in_background = True
            self._strategies: dict[Cleanup.Strategies, Cleanup.CleanupStrategy] = {}

        def set_update_type(self, update_type: _UpdateType) -> StateTtlConfig.Builder:
            """Sets what renews the life of state."""
            self._update_type = update_type
            return self

        def update_ttl_on_create_and_write(self) -> StateTtlConfig.Builder:
            """Lets writing renew the life of state; the default."""
            return self.set_update_type(_UpdateType.OnCreateAndWrite)

        def update_ttl_on_read_and_write(self) -> StateTtlConfig.Builder:
            """Lets writing and reading renew the life of state."""
            return self.set_update_type(_UpdateType.OnReadAndWrite)

        def set_state_visibility(self, state_visibility: _StateVisibility) -> StateTtlConfig.Builder:
            """Sets what is seen of expired state."""
            self._state_visibility = state_visibility
            return self

        def return_expired_if_not_cleaned_up(self) -> StateTtlConfig.Builder:
            """Lets expired state be seen until it is cleaned up."""
            return self.set_state_visibility(_StateVisibility.ReturnExpiredIfNotCleanedUp)

        def never_return_expired(self) -> StateTtlConfig.Builder:
            """Hides expired state; the default."""
            return self.set_state_visibility(_StateVisibility.NeverReturnExpired)

        def set_ttl_time_characteristic(
            self, ttl_time_characteristic: _TtlTimeCharacteristic
        ) -> StateTtlConfig.Builder:
            """Sets which time counts."""
            self._ttl_time_characteristic = ttl_time_characteristic
            return self

        def use_processing_time(self) -> StateTtlConfig.Builder:
            """Lets the time of day count; the default."""
            return self.set_ttl_time_characteristic(_TtlTimeCharacteristic.ProcessingTime)

        def cleanup_full_snapshot(self) -> StateTtlConfig.Builder:
            """Leaves expired state out of full snapshots."""
            self._strategies[Cleanup.Strategies.FULL_STATE_SCAN_SNAPSHOT] = Cleanup.EMPTY_STRATEGY
            return self

        def cleanup_incrementally(
            self, cleanup_size: int, run_cleanup_for_every_record: bool
        ) -> StateTtlConfig.Builder:
            """Checks some entries each time state is used, and with True also for each record."""
            self._strategies[Cleanup.Strategies.INCREMENTAL_CLEANUP] = Cleanup.IncrementalCleanupStrategy(
                cleanup_size, run_cleanup_for_every_record
            )
            return self

        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: int, periodic_compaction_time: Duration | None = None
        ) -> StateTtlConfig.Builder:
            """Removes expired state when the store is compacted."""
            self._strategies[Cleanup.Strategies.ROCKSDB_COMPACTION_FILTER] = (
                Cleanup.RocksdbCompactFilterCleanupStrategy(query_time_after_num_entries, periodic_compaction_time)
            )
            return self

        def disable_cleanup_in_background(self) -> StateTtlConfig.Builder:
            """Removes expired state only where a strategy says so, or when it is read."""
            self._is_cleanup_in_background = False
            return self

        def set_ttl(self, ttl: Lifetime) -> StateTtlConfig.Builder:
            """Sets how long state lives."""
            self._ttl = ttl
            return self

        def set_time_to_live(self, ttl: Lifetime) -> StateTtlConfig.Builder:
            """Sets how long state lives; Java's name for ``set_ttl``."""
            return self.set_ttl(ttl)

        def build(self) -> StateTtlConfig:
            """Returns the configuration."""
            return StateTtlConfig(
                self._update_type,
                self._state_visibility,
                self._ttl_time_characteristic,
                self._ttl,
                Cleanup(self._strategies, self._is_cleanup_in_background),
            )
