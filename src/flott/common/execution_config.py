"""ExecutionConfig: the settings of a program, with a method for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.configuration import Configuration
from flott.common.options import (
    CheckpointingOptions,
    CoreOptions,
    ExecutionOptions,
    PipelineOptions,
)
from flott.common.time import Duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.common.config_options import ConfigOption

__all__ = ["ExecutionConfig"]


class ExecutionConfig:
    """The settings of a program, with a method for each; `env.get_config()` returns it.

    All of them live in a Configuration, so a method here and its option are the same thing.

    >>> config = ExecutionConfig()
    >>> config.get_auto_watermark_interval()
    200
    >>> config.set_auto_watermark_interval(50).to_configuration().to_dict()
    {'pipeline.auto-watermark-interval': '50 ms'}
    """

    PARALLELISM_DEFAULT = -1
    """Stands for the default parallelism."""

    PARALLELISM_UNKNOWN = -2
    """Stands for no parallelism at all; setting it changes nothing."""

    __slots__ = ("_configuration",)

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    def to_configuration(self) -> Configuration:
        """Returns the configuration that the settings live in."""
        return self._configuration

    def configure(self, configuration: Configuration) -> ExecutionConfig:
        """Takes over every setting of a configuration."""
        self._configuration.add_all(configuration)
        return self

    # -- shape -------------------------------------------------------------------------------

    def get_parallelism(self) -> int:
        """Returns how many subtasks operators have; -1 for the default."""
        return self._configuration.get(CoreOptions.DEFAULT_PARALLELISM)

    def set_parallelism(self, parallelism: int) -> ExecutionConfig:
        """Sets how many subtasks operators have that do not say so themselves."""
        if parallelism == self.PARALLELISM_UNKNOWN:
            return self
        if parallelism < 1 and parallelism != self.PARALLELISM_DEFAULT:
            raise ValueError(f"a parallelism is 1 or more, or -1 for the default, not {parallelism}")
        return self._set(CoreOptions.DEFAULT_PARALLELISM, parallelism)

    def get_max_parallelism(self) -> int:
        """Returns the number of key groups, the upper limit for rescaling; -1 for the default."""
        return self._configuration.get(PipelineOptions.MAX_PARALLELISM)

    def set_max_parallelism(self, max_parallelism: int) -> ExecutionConfig:
        """Sets the number of key groups, the upper limit for rescaling."""
        if max_parallelism < 1:
            raise ValueError(f"a max parallelism is 1 or more, not {max_parallelism}")
        return self._set(PipelineOptions.MAX_PARALLELISM, max_parallelism)

    def enable_auto_generated_uids(self) -> ExecutionConfig:
        """Lets operators without a uid get one made from their place in the program."""
        return self._set(PipelineOptions.AUTO_GENERATE_UIDS, True)

    def disable_auto_generated_uids(self) -> ExecutionConfig:
        """Refuses programs in which an operator has no uid: good for jobs that are to evolve."""
        return self._set(PipelineOptions.AUTO_GENERATE_UIDS, False)

    def has_auto_generated_uids_enabled(self) -> bool:
        """Says whether operators without a uid get one."""
        return self._configuration.get(PipelineOptions.AUTO_GENERATE_UIDS)

    # -- time --------------------------------------------------------------------------------

    def get_auto_watermark_interval(self) -> int:
        """Returns the interval that was set, in milliseconds; 0 if watermark generators are asked at records only."""
        return self._configuration.get(PipelineOptions.AUTO_WATERMARK_INTERVAL).to_millis()

    def set_auto_watermark_interval(self, interval: int) -> ExecutionConfig:
        """Sets whether watermark generators are asked behind every batch of records; 0 for at records only.

        Any other number of milliseconds means the same as the default.
        """
        if interval < 0:
            raise ValueError(f"the auto watermark interval is 0 ms or more, not {interval}")
        return self._set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.of_millis(interval))

    def get_latency_tracking_interval(self) -> int:
        """Returns how often latency is measured, in milliseconds."""
        return self._configuration.get(ExecutionOptions.LATENCY_INTERVAL).to_millis()

    def set_latency_tracking_interval(self, interval: int) -> ExecutionConfig:
        """Sets how often latency is measured, in milliseconds; 0 or less for never."""
        return self._set(ExecutionOptions.LATENCY_INTERVAL, Duration.of_millis(interval))

    def get_task_cancellation_interval(self) -> int:
        """Returns the time between two attempts to cancel a task, in milliseconds."""
        return self._configuration.get(ExecutionOptions.TASK_CANCELLATION_INTERVAL)

    def set_task_cancellation_interval(self, interval: int) -> ExecutionConfig:
        """Sets the time between two attempts to cancel a task, in milliseconds."""
        return self._set(ExecutionOptions.TASK_CANCELLATION_INTERVAL, interval)

    def get_task_cancellation_timeout(self) -> int:
        """Returns after how many milliseconds a task that can't be cancelled is given up."""
        return self._configuration.get(ExecutionOptions.TASK_CANCELLATION_TIMEOUT)

    def set_task_cancellation_timeout(self, timeout: int) -> ExecutionConfig:
        """Sets after how many milliseconds a task is given up; 0 for never."""
        if timeout < 0:
            raise ValueError(f"the task cancellation timeout is 0 ms or more, not {timeout}")
        return self._set(ExecutionOptions.TASK_CANCELLATION_TIMEOUT, timeout)

    # -- parameters and snapshots ------------------------------------------------------------

    def get_global_job_parameters(self) -> dict[str, str]:
        """Returns your own parameters."""
        return self._configuration.get(PipelineOptions.GLOBAL_JOB_PARAMETERS) or {}

    def set_global_job_parameters(self, global_job_parameters_dict: Mapping[str, Any]) -> ExecutionConfig:
        """Sets your own parameters, which every function can read; they become text.

        >>> ExecutionConfig().set_global_job_parameters({"limit": 5}).get_global_job_parameters()
        {'limit': '5'}
        """
        texts = {key: str(value) for key, value in global_job_parameters_dict.items()}
        return self._set(PipelineOptions.GLOBAL_JOB_PARAMETERS, texts)

    def is_use_snapshot_compression(self) -> bool:
        """Returns what was set; it has no effect."""
        return self._configuration.get(CheckpointingOptions.SNAPSHOT_COMPRESSION)

    def set_use_snapshot_compression(self, use_snapshot_compression: bool) -> ExecutionConfig:
        """Accepted; files of state are compressed wherever that makes them much smaller."""
        return self._set(CheckpointingOptions.SNAPSHOT_COMPRESSION, use_snapshot_compression)

    # -- accepted for PyFlink programs: the JVM's concerns, which Python does not have ---------

    def enable_closure_cleaner(self) -> ExecutionConfig:
        """Accepted; cloudpickle takes along only what a function uses."""
        return self._set(PipelineOptions.CLOSURE_CLEANER_LEVEL, "RECURSIVE")

    def disable_closure_cleaner(self) -> ExecutionConfig:
        """Accepted; cloudpickle takes along only what a function uses."""
        return self._set(PipelineOptions.CLOSURE_CLEANER_LEVEL, "NONE")

    def is_closure_cleaner_enabled(self) -> bool:
        """Says what was set."""
        return self._configuration.get(PipelineOptions.CLOSURE_CLEANER_LEVEL) != "NONE"

    def enable_object_reuse(self) -> ExecutionConfig:
        """Lets operators hand on the very objects that functions return, without copies."""
        return self._set(PipelineOptions.OBJECT_REUSE, True)

    def disable_object_reuse(self) -> ExecutionConfig:
        """Lets each record stay what it was when it was emitted: the default."""
        return self._set(PipelineOptions.OBJECT_REUSE, False)

    def is_object_reuse_enabled(self) -> bool:
        """Says what was set."""
        return self._configuration.get(PipelineOptions.OBJECT_REUSE)

    def enable_generic_types(self) -> ExecutionConfig:
        """Accepted; any picklable object may be a record."""
        return self._set(PipelineOptions.GENERIC_TYPES, True)

    def disable_generic_types(self) -> ExecutionConfig:
        """Accepted; any picklable object may be a record."""
        return self._set(PipelineOptions.GENERIC_TYPES, False)

    def has_generic_types_disabled(self) -> bool:
        """Says what was set."""
        return not self._configuration.get(PipelineOptions.GENERIC_TYPES)

    def enable_force_kryo(self) -> ExecutionConfig:
        """Accepted; Flott does not use Kryo."""
        return self._set(PipelineOptions.FORCE_KRYO, True)

    def disable_force_kryo(self) -> ExecutionConfig:
        """Accepted; Flott does not use Kryo."""
        return self._set(PipelineOptions.FORCE_KRYO, False)

    def is_force_kryo_enabled(self) -> bool:
        """Says what was set."""
        return self._configuration.get(PipelineOptions.FORCE_KRYO)

    def enable_force_avro(self) -> ExecutionConfig:
        """Accepted; Flott does not use Avro for records."""
        return self._set(PipelineOptions.FORCE_AVRO, True)

    def disable_force_avro(self) -> ExecutionConfig:
        """Accepted; Flott does not use Avro for records."""
        return self._set(PipelineOptions.FORCE_AVRO, False)

    def is_force_avro_enabled(self) -> bool:
        """Says what was set."""
        return self._configuration.get(PipelineOptions.FORCE_AVRO)

    def get_default_kryo_serializer_classes(self) -> dict[str, str]:
        """Returns an empty dict: Flott does not use Kryo."""
        return {}

    def get_registered_kryo_types(self) -> list[str]:
        """Returns an empty list: Flott does not use Kryo."""
        return []

    def get_registered_pojo_types(self) -> list[str]:
        """Returns an empty list: Python has no POJOs."""
        return []

    def _set(self, option: ConfigOption[Any], value: Any) -> ExecutionConfig:
        self._configuration.set(option, value)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExecutionConfig) and self._configuration == other._configuration

    def __hash__(self) -> int:
        return hash(self._configuration)

    def __repr__(self) -> str:
        return f"ExecutionConfig({self._configuration})"
