"""Files as sources and sinks.

>>> source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "logs/*.txt").build()
>>> from flott.common.serialization import Encoder
>>> sink = FileSink.for_row_format("out", Encoder.simple_string_encoder()).build()
"""

from __future__ import annotations

from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_sink import FileSink
from flott.connectors.file_source import (
    BulkFormat,
    FileEnumeratorProvider,
    FileSource,
    FileSourceBuilder,
    FileSplitAssignerProvider,
    StreamFormat,
)
from flott.connectors.output_file_config import OutputFileConfig
from flott.connectors.partition_commit import (
    PartitionCommit,
    PartitionCommitPolicy,
    PartitionContext,
    PartitionTime,
    SuccessFile,
)
from flott.connectors.rolling_policies import DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy

__all__ = [
    "BucketAssigner",
    "BulkFormat",
    "DefaultRollingPolicy",
    "FileEnumeratorProvider",
    "FileSink",
    "FileSource",
    "FileSourceBuilder",
    "FileSplitAssignerProvider",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "PartitionCommit",
    "PartitionCommitPolicy",
    "PartitionContext",
    "PartitionTime",
    "RollingPolicy",
    "StreamFormat",
    "SuccessFile",
]
