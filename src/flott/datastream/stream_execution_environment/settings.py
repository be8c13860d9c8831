"""The settings of an environment: how parallel, which mode, chaining, checkpoints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from flott.common.execution_config import ExecutionConfig
from flott.common.options import (
    CheckpointingOptions,
    CoreOptions,
    ExecutionOptions,
    PipelineOptions,
    PythonOptions,
    StateBackendOptions,
)
from flott.common.time import Duration
from flott.datastream.checkpoint_config import CheckpointConfig
from flott.datastream.execution_mode import RuntimeExecutionMode
from flott.errors import GraphError
from flott.graph.parallelism import HIGHEST

if TYPE_CHECKING:
    from typing_extensions import Self

    from flott.common.configuration import Configuration
    from flott.datastream.checkpointing_mode import CheckpointingMode
    from flott.datastream.slot_sharing_group import SlotSharingGroup

__all__ = ["EnvironmentSettings"]

FLUSH_WHEN_FULL = -1
"""A buffer timeout that never comes."""


class EnvironmentSettings:
    """What holds for all operators that do not say otherwise.

    All of it lives in a Configuration, so a method here and its option are the same thing.
    """

    _configuration: Configuration
    _slot_sharing_groups: dict[str, SlotSharingGroup]
    _default_local_parallelism: ClassVar[int | None] = None

    def get_configuration(self) -> Configuration:
        """Returns the configuration that all settings live in."""
        return self._configuration

    def get_config(self) -> ExecutionConfig:
        """Returns the settings of the program, with a method for each."""
        return ExecutionConfig(self._configuration)

    def get_checkpoint_config(self) -> CheckpointConfig:
        """Returns the settings of checkpoints, with a method for each."""
        return CheckpointConfig(self._configuration)

    def configure(self, configuration: Configuration) -> Self:
        """Takes over every setting of a configuration; what it does not set stays as it is."""
        self._configuration.add_all(configuration)
        return self

    # -- how parallel --------------------------------------------------------------------------------

    def set_parallelism(self, parallelism: int) -> Self:
        """Sets how many subtasks operators have that do not say so themselves."""
        if parallelism < 1 and parallelism != ExecutionConfig.PARALLELISM_DEFAULT:
            raise GraphError(f"set_parallelism({parallelism}): a parallelism is 1 or more, or -1 for the default")
        self._configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism)
        return self

    def get_parallelism(self) -> int:
        """Returns how many subtasks operators have; by default as many as there are cores here."""
        parallelism = self._configuration.get(CoreOptions.DEFAULT_PARALLELISM)
        return parallelism if parallelism > 0 else self.get_default_local_parallelism()

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """Sets the number of key groups, beyond which no operator can ever be scaled."""
        if not 1 <= max_parallelism <= HIGHEST:
            raise GraphError(f"set_max_parallelism({max_parallelism}): a max parallelism is between 1 and {HIGHEST}")
        self._configuration.set(PipelineOptions.MAX_PARALLELISM, max_parallelism)
        return self

    def get_max_parallelism(self) -> int:
        """Returns the number of key groups; -1 if it follows from the parallelism."""
        return self._configuration.get(PipelineOptions.MAX_PARALLELISM)

    def get_default_local_parallelism(self) -> int:
        """Returns the parallelism of a program that sets none: the number of cores here, unless it was set."""
        return EnvironmentSettings._default_local_parallelism or _cores()

    def set_default_local_parallelism(self, parallelism: int) -> None:
        """Sets the parallelism of programs that set none, in all environments of this process."""
        if parallelism < 1:
            raise GraphError(f"set_default_local_parallelism({parallelism}): a parallelism is 1 or more")
        EnvironmentSettings._default_local_parallelism = parallelism

    # -- how it runs -----------------------------------------------------------------------------------

    def set_runtime_mode(self, execution_mode: RuntimeExecutionMode) -> Self:
        """Sets whether the job runs as a stream, as a batch, or as its sources suggest."""
        if not isinstance(execution_mode, RuntimeExecutionMode):
            raise GraphError(
                f"set_runtime_mode({execution_mode!r}): give RuntimeExecutionMode.STREAMING, BATCH or AUTOMATIC"
            )
        self._configuration.set(ExecutionOptions.RUNTIME_MODE, execution_mode.name)
        return self

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Sets how long records may wait before they are sent on; -1 for until there are enough."""
        if timeout_millis < FLUSH_WHEN_FULL:
            raise GraphError(
                f"set_buffer_timeout({timeout_millis}): give 0 ms or more, or -1 to send only when there is enough"
            )
        self._configuration.set(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, timeout_millis != FLUSH_WHEN_FULL)
        if timeout_millis != FLUSH_WHEN_FULL:
            self._configuration.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.of_millis(timeout_millis))
        return self

    def get_buffer_timeout(self) -> int:
        """Returns how long records may wait, in milliseconds; -1 for until there are enough."""
        if not self._configuration.get(ExecutionOptions.BUFFER_TIMEOUT_ENABLED):
            return FLUSH_WHEN_FULL
        return self._configuration.get(ExecutionOptions.BUFFER_TIMEOUT).to_millis()

    def disable_operator_chaining(self) -> Self:
        """Gives every operator a task of its own: slower, but each can be watched alone."""
        self._configuration.set(PipelineOptions.OPERATOR_CHAINING, False)
        return self

    def is_chaining_enabled(self) -> bool:
        """Says whether operators that need no exchange between them share a task."""
        options = PipelineOptions.OPERATOR_CHAINING, PythonOptions.PYTHON_OPERATOR_CHAINING_ENABLED
        return all(self._configuration.get(option) for option in options)

    def is_chaining_of_operators_with_different_max_parallelism_enabled(self) -> bool:
        """Says whether operators of different max parallelism share a task; they do."""
        return True

    def register_slot_sharing_group(self, slot_sharing_group: SlotSharingGroup) -> Self:
        """Makes the resources of a group known, for operators that name it."""
        self._slot_sharing_groups[slot_sharing_group.get_name()] = slot_sharing_group
        return self

    # -- checkpoints -------------------------------------------------------------------------------------

    def enable_checkpointing(self, interval: int, mode: CheckpointingMode | None = None) -> Self:
        """Takes a checkpoint every so many milliseconds, from which the job goes on after a failure."""
        config = self.get_checkpoint_config().set_checkpoint_interval(interval)
        if mode is not None:
            config.set_checkpointing_mode(mode)
        return self

    def get_checkpoint_interval(self) -> int:
        """Returns how often a checkpoint is taken, in milliseconds; -1 if none are."""
        return self.get_checkpoint_config().get_checkpoint_interval()

    def get_checkpointing_mode(self) -> CheckpointingMode:
        """Returns whether records count exactly once or at least once after a failure."""
        return self.get_checkpoint_config().get_checkpointing_mode()

    def get_checkpointing_consistency_mode(self) -> CheckpointingMode:
        """Returns whether records count exactly once or at least once after a failure."""
        return self.get_checkpointing_mode()

    def is_unaligned_checkpoints_enabled(self) -> bool:
        """Says what was set."""
        return self.get_checkpoint_config().is_unaligned_checkpoints_enabled()

    def is_force_unaligned_checkpoints(self) -> bool:
        """Says what was set."""
        return self.get_checkpoint_config().is_force_unaligned_checkpoints()

    def enable_changelog_state_backend(self, enabled: bool) -> Self:
        """Accepted for PyFlink programs; Flott writes what changed in every epoch anyway."""
        self._configuration.set_boolean(CHANGELOG_ENABLED, enabled)
        return self

    def is_changelog_state_backend_enabled(self) -> bool | None:
        """Says what was set; None if nothing was."""
        if not self._configuration.contains_key(CHANGELOG_ENABLED):
            return None
        return self._configuration.get_boolean(CHANGELOG_ENABLED, default_value=False)

    def set_default_savepoint_directory(self, directory: str) -> Self:
        """Sets where savepoints go when whoever asks for one does not say."""
        self._configuration.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, directory)
        return self

    def get_default_savepoint_directory(self) -> str | None:
        """Returns where savepoints go when whoever asks for one does not say."""
        return self._configuration.get(CheckpointingOptions.SAVEPOINT_DIRECTORY)


CHANGELOG_ENABLED = StateBackendOptions.CHANGELOG_ENABLED.key


def _cores() -> int:
    """Return how many cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
