"""The settings of checkpoints as the coordinator needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.common.options import CheckpointingOptions as Options
from flott.common.options import DriverOptions
from flott.connectors.paths import absolute

if TYPE_CHECKING:
    from flott.common import Configuration

NEVER_KEEP, DELETE, RETAIN = "NO_EXTERNALIZED_CHECKPOINTS", "DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION"


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """When checkpoints are taken and what becomes of them. Times are in milliseconds."""

    interval: int | None = None
    """None: only savepoints, on request."""
    interval_during_backlog: int | None = None
    """0: none while a source works off a backlog. None: as otherwise."""
    exactly_once: bool = True
    timeout: int = 600_000
    min_pause: int = 0
    max_concurrent: int = 1
    tolerable_failures: int = 0
    retained: int = 1
    retention: str = DELETE
    directory: str | None = None
    savepoint_directory: str | None = None
    durable: bool = True
    """Whether files on a local disk are synced."""

    @property
    def enabled(self) -> bool:
        """Whether checkpoints are taken at all."""
        return self.interval is not None

    @staticmethod
    def of(configuration: Configuration) -> CheckpointSettings:
        """Read the settings from a configuration."""
        get = configuration.get
        interval = get(Options.CHECKPOINTING_INTERVAL)
        backlog = get(Options.CHECKPOINTING_INTERVAL_DURING_BACKLOG)
        in_memory = (get(Options.CHECKPOINT_STORAGE) or "").lower() == "jobmanager"
        directory, savepoints = get(Options.CHECKPOINTS_DIRECTORY), get(Options.SAVEPOINT_DIRECTORY)
        min_pause = get(Options.MIN_PAUSE_BETWEEN_CHECKPOINTS).to_millis()
        return CheckpointSettings(
            interval=None if interval is None else interval.to_millis(),
            interval_during_backlog=None if backlog is None else backlog.to_millis(),
            exactly_once=get(Options.CHECKPOINTING_CONSISTENCY_MODE) == "EXACTLY_ONCE",
            timeout=get(Options.CHECKPOINTING_TIMEOUT).to_millis(),
            min_pause=min_pause,
            # A pause between checkpoints leaves no room for two at a time.
            max_concurrent=1 if min_pause else get(Options.MAX_CONCURRENT_CHECKPOINTS),
            tolerable_failures=get(Options.TOLERABLE_FAILURE_NUMBER),
            retained=get(Options.MAX_RETAINED_CHECKPOINTS),
            retention=get(Options.EXTERNALIZED_CHECKPOINT_RETENTION),
            directory=None if in_memory or directory is None else absolute(directory),
            savepoint_directory=None if savepoints is None else absolute(savepoints),
            durable=get(DriverOptions.CHECKPOINT_FSYNC),
        )
