"""What every Flott program uses: types, rows, time, watermarks and configuration.

The names are those of `pyflink.common`:

>>> from flott.common import Row, Types, WatermarkStrategy
>>> Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.LONG()])
RowTypeInfo(word: String, count: Long)
"""

from __future__ import annotations

from flott.common.completable_future import CompletableFuture
from flott.common.config_options import ConfigOption, ConfigOptions
from flott.common.configuration import Configuration
from flott.common.execution_config import ExecutionConfig
from flott.common.input_dependency_constraint import InputDependencyConstraint
from flott.common.job_client import JobClient
from flott.common.job_execution_result import JobExecutionResult
from flott.common.job_id import JobID
from flott.common.job_status import JobStatus
from flott.common.memory_size import MemorySize
from flott.common.restart_strategy import RestartStrategies, RestartStrategyConfiguration
from flott.common.serialization import (
    ByteArraySchema,
    DeserializationSchema,
    Encoder,
    SerializationSchema,
    SimpleStringSchema,
)
from flott.common.serializer import TypeSerializer
from flott.common.time import Duration, Instant, Time
from flott.common.typeinfo import TypeInformation, Types
from flott.common.types import Row, RowKind
from flott.common.watermark_strategy import (
    AssignerWithPeriodicWatermarksWrapper,
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)

__all__ = [
    "AssignerWithPeriodicWatermarksWrapper",
    "ByteArraySchema",
    "CompletableFuture",
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "DeserializationSchema",
    "Duration",
    "Encoder",
    "ExecutionConfig",
    "InputDependencyConstraint",
    "Instant",
    "JobClient",
    "JobExecutionResult",
    "JobID",
    "JobStatus",
    "MemorySize",
    "RestartStrategies",
    "RestartStrategyConfiguration",
    "Row",
    "RowKind",
    "SerializationSchema",
    "SimpleStringSchema",
    "Time",
    "TimestampAssigner",
    "TypeInformation",
    "TypeSerializer",
    "Types",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
]
