"""CheckpointConfig: the settings of checkpoints, with a method for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.configuration import Configuration
from flott.common.options import CheckpointingOptions
from flott.common.time import Duration
from flott.datastream.checkpoint_storage import (
    CheckpointStorage,
    FileSystemCheckpointStorage,
    JobManagerCheckpointStorage,
)
from flott.datastream.checkpointing_mode import CheckpointingMode
from flott.datastream.externalized_checkpoint_retention import ExternalizedCheckpointRetention

if TYPE_CHECKING:
    from flott.common.config_options import ConfigOption

__all__ = ["CheckpointConfig"]

MINIMAL_CHECKPOINT_TIME = 10
"""Milliseconds; shorter intervals and timeouts are mistakes."""


class CheckpointConfig:
    """The settings of checkpoints; `env.get_checkpoint_config()` returns it.

    All of them live in a Configuration, so a method here and its option are the same thing.

    >>> config = CheckpointConfig().set_checkpoint_interval(60_000)
    >>> config.is_checkpointing_enabled(), config.get_checkpoint_timeout()
    (True, 600000)
    >>> config.to_configuration().to_dict()
    {'execution.checkpointing.interval': '1 min'}
    """

    __slots__ = ("_configuration",)

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    def to_configuration(self) -> Configuration:
        """Returns the configuration that the settings live in."""
        return self._configuration

    def configure(self, configuration: Configuration) -> CheckpointConfig:
        """Takes over every setting of a configuration."""
        self._configuration.add_all(configuration)
        return self

    # -- when ----------------------------------------------------------------------------------

    def is_checkpointing_enabled(self) -> bool:
        """Says whether checkpoints are taken."""
        return self.get_checkpoint_interval() > 0

    def disable_checkpointing(self) -> CheckpointConfig:
        """Takes no checkpoints."""
        self._configuration.remove_config(CheckpointingOptions.CHECKPOINTING_INTERVAL)
        return self

    def get_checkpoint_interval(self) -> int:
        """Returns how often a checkpoint is taken, in milliseconds; -1 if none are."""
        interval = self._configuration.get(CheckpointingOptions.CHECKPOINTING_INTERVAL)
        return -1 if interval is None else interval.to_millis()

    def set_checkpoint_interval(self, checkpoint_interval: int) -> CheckpointConfig:
        """Sets how often a checkpoint is taken, in milliseconds."""
        if not isinstance(checkpoint_interval, int):
            raise TypeError(
                f"the checkpoint interval is a number of milliseconds, as in 1000, not {checkpoint_interval!r}"
            )
        _check(
            checkpoint_interval >= MINIMAL_CHECKPOINT_TIME,
            "the checkpoint interval is 10 ms or more",
            checkpoint_interval,
        )
        return self._set_millis(CheckpointingOptions.CHECKPOINTING_INTERVAL, checkpoint_interval)

    def get_checkpoint_interval_during_backlog(self) -> int:
        """Returns how often a checkpoint is taken while a source works off a backlog, in milliseconds."""
        interval = self._configuration.get(CheckpointingOptions.CHECKPOINTING_INTERVAL_DURING_BACKLOG)
        return self.get_checkpoint_interval() if interval is None else interval.to_millis()

    def set_checkpoint_interval_during_backlog(self, checkpoint_interval: int) -> CheckpointConfig:
        """Sets how often a checkpoint is taken while a source works off a backlog; 0 for never."""
        fits = checkpoint_interval == 0 or checkpoint_interval >= MINIMAL_CHECKPOINT_TIME
        _check(fits, "the interval during a backlog is 10 ms or more, or 0 for never", checkpoint_interval)
        return self._set_millis(CheckpointingOptions.CHECKPOINTING_INTERVAL_DURING_BACKLOG, checkpoint_interval)

    def get_checkpoint_timeout(self) -> int:
        """Returns after how many milliseconds an unfinished checkpoint is given up."""
        return self._configuration.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT).to_millis()

    def set_checkpoint_timeout(self, checkpoint_timeout: int) -> CheckpointConfig:
        """Sets after how many milliseconds an unfinished checkpoint is given up."""
        _check(
            checkpoint_timeout >= MINIMAL_CHECKPOINT_TIME, "the checkpoint timeout is 10 ms or more", checkpoint_timeout
        )
        return self._set_millis(CheckpointingOptions.CHECKPOINTING_TIMEOUT, checkpoint_timeout)

    def get_min_pause_between_checkpoints(self) -> int:
        """Returns how many milliseconds pass at least from one checkpoint to the next."""
        return self._configuration.get(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS).to_millis()

    def set_min_pause_between_checkpoints(self, min_pause_between_checkpoints: int) -> CheckpointConfig:
        """Sets how many milliseconds pass at least from one checkpoint to the next."""
        _check(min_pause_between_checkpoints >= 0, "the pause is 0 ms or more", min_pause_between_checkpoints)
        return self._set_millis(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, min_pause_between_checkpoints)

    def get_max_concurrent_checkpoints(self) -> int:
        """Returns how many checkpoints may be under way at the same time."""
        return self._configuration.get(CheckpointingOptions.MAX_CONCURRENT_CHECKPOINTS)

    def set_max_concurrent_checkpoints(self, max_concurrent_checkpoints: int) -> CheckpointConfig:
        """Sets how many checkpoints may be under way at the same time."""
        _check(max_concurrent_checkpoints >= 1, "concurrent checkpoints are 1 or more", max_concurrent_checkpoints)
        return self._set(CheckpointingOptions.MAX_CONCURRENT_CHECKPOINTS, max_concurrent_checkpoints)

    # -- how exact, and what failures mean -------------------------------------------------------

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """Returns whether records count exactly once or at least once after a failure."""
        return CheckpointingMode[self._configuration.get(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE)]

    def set_checkpointing_mode(self, checkpointing_mode: CheckpointingMode) -> CheckpointConfig:
        """Sets whether records count exactly once or at least once after a failure."""
        return self._set(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE, checkpointing_mode.name)

    get_checkpointing_consistency_mode = get_checkpointing_mode
    set_checkpointing_consistency_mode = set_checkpointing_mode

    def is_fail_on_checkpointing_errors(self) -> bool:
        """Says whether the first failed checkpoint fails the job."""
        return self.get_tolerable_checkpoint_failure_number() == 0

    def set_fail_on_checkpointing_errors(self, fail_on_checkpointing_errors: bool) -> CheckpointConfig:
        """Sets whether the first failed checkpoint fails the job, or none ever does."""
        return self.set_tolerable_checkpoint_failure_number(0 if fail_on_checkpointing_errors else 2**31 - 1)

    def get_tolerable_checkpoint_failure_number(self) -> int:
        """Returns how many checkpoints in a row may fail before the job does."""
        return self._configuration.get(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER)

    def set_tolerable_checkpoint_failure_number(self, tolerable_checkpoint_failure_number: int) -> CheckpointConfig:
        """Sets how many checkpoints in a row may fail before the job does."""
        _check(
            tolerable_checkpoint_failure_number >= 0,
            "tolerable failures are 0 or more",
            tolerable_checkpoint_failure_number,
        )
        return self._set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, tolerable_checkpoint_failure_number)

    # -- where, and for how long -----------------------------------------------------------------

    def set_checkpoint_storage(self, storage: CheckpointStorage | str) -> CheckpointConfig:
        """Sets where checkpoints are kept: a storage, or the path of a directory."""
        if isinstance(storage, str):
            storage = FileSystemCheckpointStorage(storage)
        name = "jobmanager" if isinstance(storage, JobManagerCheckpointStorage) else "filesystem"
        self._set(CheckpointingOptions.CHECKPOINT_STORAGE, name)
        path = storage.get_checkpoint_path()
        if path is not None:
            self._set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, path)
        return self

    def set_checkpoint_storage_dir(self, checkpoint_path: str) -> CheckpointConfig:
        """Sets the directory of the checkpoints."""
        return self.set_checkpoint_storage(checkpoint_path)

    def set_externalized_checkpoint_retention(
        self, retention_mode: ExternalizedCheckpointRetention
    ) -> CheckpointConfig:
        """Sets what becomes of the checkpoints when the job is cancelled."""
        return self._set(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION, retention_mode.name)

    def is_externalized_checkpoints_enabled(self) -> bool:
        """Says whether checkpoints may outlive the job."""
        none = ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS
        return self.get_externalized_checkpoint_retention() is not none

    def get_externalized_checkpoint_retention(self) -> ExternalizedCheckpointRetention:
        """Returns what becomes of the checkpoints when the job is cancelled."""
        name = self._configuration.get(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION)
        return ExternalizedCheckpointRetention[name]

    # -- accepted for PyFlink programs: an epoch ends with barriers that nothing waits for -----------

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Says what was set."""
        return self._configuration.get(CheckpointingOptions.ENABLE_UNALIGNED)

    def enable_unaligned_checkpoints(self, enabled: bool = True) -> CheckpointConfig:
        """Accepted; the barriers of an epoch never wait for records."""
        return self._set(CheckpointingOptions.ENABLE_UNALIGNED, enabled)

    def disable_unaligned_checkpoints(self) -> CheckpointConfig:
        """Accepted; the barriers of an epoch never wait for records."""
        return self.enable_unaligned_checkpoints(enabled=False)

    def set_aligned_checkpoint_timeout(self, alignment_timeout: Duration) -> CheckpointConfig:
        """Accepted; there is no alignment to time out."""
        return self._set(CheckpointingOptions.ALIGNED_CHECKPOINT_TIMEOUT, alignment_timeout)

    def get_aligned_checkpoint_timeout(self) -> Duration:
        """Returns what was set."""
        return self._configuration.get(CheckpointingOptions.ALIGNED_CHECKPOINT_TIMEOUT)

    def set_alignment_timeout(self, alignment_timeout: Duration) -> CheckpointConfig:
        """Accepted; the former name of `set_aligned_checkpoint_timeout`."""
        return self.set_aligned_checkpoint_timeout(alignment_timeout)

    def get_alignment_timeout(self) -> Duration:
        """Returns what was set; the former name of `get_aligned_checkpoint_timeout`."""
        return self.get_aligned_checkpoint_timeout()

    def set_force_unaligned_checkpoints(self, force_unaligned_checkpoints: bool = True) -> CheckpointConfig:
        """Accepted; the barriers of an epoch never wait for records."""
        return self._set(CheckpointingOptions.FORCE_UNALIGNED, force_unaligned_checkpoints)

    def is_force_unaligned_checkpoints(self) -> bool:
        """Says what was set."""
        return self._configuration.get(CheckpointingOptions.FORCE_UNALIGNED)

    def _set(self, option: ConfigOption[Any], value: Any) -> CheckpointConfig:
        self._configuration.set(option, value)
        return self

    def _set_millis(self, option: ConfigOption[Any], millis: int) -> CheckpointConfig:
        return self._set(option, Duration.of_millis(millis))

    def __repr__(self) -> str:
        return f"CheckpointConfig({self._configuration})"


def _check(fits: bool, rule: str, value: int) -> None:
    if not fits:
        raise ValueError(f"{rule}, not {value}")
