"""When state that expired is removed for good."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from flott.common.time import Duration

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CleanupStrategies"]


class CleanupStrategies:
    """The occasions on which expired state is removed; users write ``StateTtlConfig.CleanupStrategies``.

    >>> strategies = CleanupStrategies({}, is_cleanup_in_background=True)
    >>> strategies.get_incremental_cleanup_strategy().get_cleanup_size()
    5
    """

    class Strategies(Enum):
        """The kinds of occasion."""

        FULL_STATE_SCAN_SNAPSHOT = 0
        INCREMENTAL_CLEANUP = 1
        ROCKSDB_COMPACTION_FILTER = 2

    class CleanupStrategy:
        """The base of all strategies."""

    class EmptyCleanupStrategy(CleanupStrategy):
        """A strategy without parameters."""

    class IncrementalCleanupStrategy(CleanupStrategy):
        """Checks some entries each time state is used."""

        def __init__(self, cleanup_size: int, run_cleanup_for_every_record: bool) -> None:
            self._cleanup_size = cleanup_size
            self._run_cleanup_for_every_record = run_cleanup_for_every_record

        def get_cleanup_size(self) -> int:
            """Returns how many entries are checked each time."""
            return self._cleanup_size

        def run_cleanup_for_every_record(self) -> bool:
            """Says whether every record is an occasion, too."""
            return self._run_cleanup_for_every_record

    class RocksdbCompactFilterCleanupStrategy(CleanupStrategy):
        """Removes expired state when the store is compacted."""

        def __init__(self, query_time_after_num_entries: int, periodic_compaction_time: Duration | None = None) -> None:
            self._query_time_after_num_entries = query_time_after_num_entries
            self._periodic_compaction_time = periodic_compaction_time or Duration.of_days(30)

        def get_query_time_after_num_entries(self) -> int:
            """Returns after how many entries the clock is read again."""
            return self._query_time_after_num_entries

        def get_periodic_compaction_time(self) -> Duration:
            """Returns how old a file grows before it is compacted for this alone."""
            return self._periodic_compaction_time

    EMPTY_STRATEGY: ClassVar[EmptyCleanupStrategy] = EmptyCleanupStrategy()

    def __init__(
        self, strategies: Mapping[CleanupStrategies.Strategies, CleanupStrategy], is_cleanup_in_background: bool
    ) -> None:
        self._strategies = dict(strategies)
        self._is_cleanup_in_background = is_cleanup_in_background

    def is_cleanup_in_background(self) -> bool:
        """Says whether expired state is also removed where no strategy was chosen."""
        return self._is_cleanup_in_background

    def in_full_snapshot(self) -> bool:
        """Says whether full snapshots leave expired state out."""
        return self.Strategies.FULL_STATE_SCAN_SNAPSHOT in self._strategies

    def get_incremental_cleanup_strategy(self) -> IncrementalCleanupStrategy | None:
        """Returns how entries are checked while state is used, or None if they are not."""
        chosen = self._strategies.get(self.Strategies.INCREMENTAL_CLEANUP)
        if isinstance(chosen, self.IncrementalCleanupStrategy):
            return chosen
        return self.IncrementalCleanupStrategy(5, False) if self._is_cleanup_in_background else None

    def get_rocksdb_compact_filter_cleanup_strategy(self) -> RocksdbCompactFilterCleanupStrategy | None:
        """Returns how compaction removes expired state, or None if it does not."""
        chosen = self._strategies.get(self.Strategies.ROCKSDB_COMPACTION_FILTER)
        if isinstance(chosen, self.RocksdbCompactFilterCleanupStrategy):
            return chosen
        return self.RocksdbCompactFilterCleanupStrategy(1000) if self._is_cleanup_in_background else None
