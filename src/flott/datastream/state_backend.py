"""State backends of Flink, accepted as they are written: Flott keeps working state in LMDB."""

from __future__ import annotations

from enum import Enum
from typing import Any

__all__ = [
    "CustomStateBackend",
    "EmbeddedRocksDBStateBackend",
    "HashMapStateBackend",
    "PredefinedOptions",
    "StateBackend",
]


class StateBackend:
    """Where Flink would keep working state.

    Flott has one working store: LMDB, in memory as far as it fits and on disk beyond. So these
    classes only remember what they were told.
    """


class HashMapStateBackend(StateBackend):
    """Flink's backend on the heap of the JVM."""

    def __str__(self) -> str:
        return "HashMapStateBackend"


class PredefinedOptions(Enum):
    """Flink's ready-made settings of RocksDB."""

    DEFAULT = 0
    SPINNING_DISK_OPTIMIZED = 1
    SPINNING_DISK_OPTIMIZED_HIGH_MEM = 2
    FLASH_SSD_OPTIMIZED = 3


class EmbeddedRocksDBStateBackend(StateBackend):
    """Flink's backend on RocksDB.

    >>> backend = EmbeddedRocksDBStateBackend(enable_incremental_checkpointing=True)
    >>> backend.is_incremental_checkpoints_enabled(), backend.get_number_of_transfer_threads()
    (True, 4)
    """

    def __init__(self, enable_incremental_checkpointing: bool | None = None) -> None:
        if enable_incremental_checkpointing not in {None, True, False}:
            raise TypeError(
                f"enable_incremental_checkpointing is True, False or None, not {enable_incremental_checkpointing!r}"
            )
        self._incremental = bool(enable_incremental_checkpointing)
        self._paths: list[str] = []
        self._predefined = PredefinedOptions.DEFAULT
        self._options_factory: str | None = None
        self._transfer_threads = 4

    def set_db_storage_paths(self, *paths: str) -> None:
        """Sets the local directories of the store; none for the default."""
        self._paths = list(paths)

    def get_db_storage_paths(self) -> list[str]:
        """Returns the local directories that were set."""
        return list(self._paths)

    def is_incremental_checkpoints_enabled(self) -> bool:
        """Says what was set; Flott writes only what changed anyway."""
        return self._incremental

    def set_predefined_options(self, options: PredefinedOptions) -> None:
        """Sets ready-made settings."""
        self._predefined = options

    def get_predefined_options(self) -> PredefinedOptions:
        """Returns the ready-made settings that were set."""
        return self._predefined

    def set_options(self, options_factory_class_name: str) -> None:
        """Sets the Java class that would make settings for RocksDB."""
        self._options_factory = options_factory_class_name

    def get_options(self) -> str | None:
        """Returns the name of the class that was set."""
        return self._options_factory

    def get_number_of_transfer_threads(self) -> int:
        """Returns how many threads would copy files of the store."""
        return self._transfer_threads

    def set_number_of_transfer_threads(self, number_of_transfering_threads: int) -> None:
        """Sets how many threads would copy files of the store."""
        if number_of_transfering_threads < 1:
            raise ValueError(f"the number of transfer threads is 1 or more, not {number_of_transfering_threads}")
        self._transfer_threads = number_of_transfering_threads

    def __str__(self) -> str:
        return f"EmbeddedRocksDBStateBackend(incremental={self._incremental})"


class CustomStateBackend(StateBackend):
    """A backend of one's own, which only Flink could use."""

    def __init__(self, state_backend: Any) -> None:
        self.state_backend = state_backend
