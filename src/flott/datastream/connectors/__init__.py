"""Sources and sinks that connect a job with the outside; the module paths are PyFlink's."""

from __future__ import annotations

from flott.datastream.connectors.base import DeliveryGuarantee, Sink, Source
from flott.datastream.connectors.datagen import (
    DataGeneratorSource,
    GeneratorFunction,
    RateLimiterStrategy,
    SeededGenerator,
)
from flott.datastream.connectors.file_system import (
    BucketAssigner,
    FileEnumeratorProvider,
    FileSink,
    FileSource,
    FileSourceBuilder,
    FileSplitAssignerProvider,
    OutputFileConfig,
    RollingPolicy,
    StreamFormat,
)
from flott.datastream.connectors.number_seq import NumberSequenceSource

__all__ = [
    "BucketAssigner",
    "DataGeneratorSource",
    "DeliveryGuarantee",
    "FileEnumeratorProvider",
    "FileSink",
    "FileSource",
    "FileSourceBuilder",
    "FileSplitAssignerProvider",
    "GeneratorFunction",
    "NumberSequenceSource",
    "OutputFileConfig",
    "RateLimiterStrategy",
    "RollingPolicy",
    "SeededGenerator",
    "Sink",
    "Source",
    "StreamFormat",
]
