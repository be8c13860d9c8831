"""Files as a sink."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flott.common.serialization import BulkWriterFactory, Encoder
from flott.connectors.base import Committer, Sink, SupportsCommitter
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_writer import FileSinkSettings, FileWriter
from flott.connectors.part_file import BulkFormat, RowFormat
from flott.connectors.partition_commit import PartitionCommit
from flott.connectors.paths import absolute
from flott.connectors.pending_partitions import PendingPartitions
from flott.connectors.rolling_policies import OnCheckpointRollingPolicy, RollingPolicy
from flott.connectors.staged_files import STAGING, StagingArea
from flott.errors import CommitError, GraphError
from flott.runtime.crash_points import reach

if TYPE_CHECKING:
    from typing_extensions import Self

    from flott.connectors.base import SinkScope
    from flott.connectors.output_file_config import OutputFileConfig
    from flott.connectors.staged_files import StagedFiles
    from flott.runtime.operators.commit_requests import CommitRequest
    from flott.runtime.operators.sinks import WriterInitContext


class FileCommitter(Committer):
    """Moves staged files to their places, and commits the partitions that are complete with that."""

    def __init__(self, area: StagingArea, partition_commit: PartitionCommit | None = None) -> None:
        self._area = area
        self._rule = partition_commit

    def commit(self, requests: list[CommitRequest]) -> None:
        done: list[StagedFiles] = [request.get_committable() for request in requests]
        reporting = next((one.progress for one in done if one.progress is not None), None)
        if self._rule is None or reporting is None:
            self._publish(requests)
            return
        pending = PendingPartitions.load(self._area, self._rule, reporting.operator_id)
        pending.note(done)
        reach("partitions.noted")
        self._publish(requests)
        reach("partitions.published")
        pending.commit_complete()

    def _publish(self, requests: list[CommitRequest]) -> None:
        for request in requests:
            shown = [self._area.publish(file) for file in request.get_committable().files]
            if not all(shown) and not request.recovered:
                message = (
                    f"{shown.count(False)} files that were staged below {STAGING} are gone, and so are their records: "
                    f"somebody removed them before they were committed"
                )
                request.signal_failed_with_unknown_reason(CommitError(message))
        for directory in {request.get_committable().directory for request in requests}:
            self._area.remove_empty(directory)


class FileSink(Sink, SupportsCommitter):
    """Writes records to part files, in directories (buckets) below a base path; each record shows exactly once.

    A file is written out of sight (below ``.staging`` in the base path) and moved to its bucket when the next
    checkpoint is complete, without checkpoints when its epoch is; so whoever reads the buckets sees complete files
    only. What attempts leave that were killed is removed when the job starts again or ends. The base path is on any
    file system that fsspec knows.

    Every epoch starts new part files, because its tasks may run anywhere; the rolling policy can only end them
    earlier.

    >>> from flott.common.serialization import Encoder
    >>> sink = (
    ...     FileSink.for_row_format("out/words", Encoder.simple_string_encoder())
    ...     .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
    ...     .with_rolling_policy(RollingPolicy.default_rolling_policy(part_size=64 << 20))
    ...     .build()
    ... )
    """

    def __init__(self, settings: FileSinkSettings) -> None:
        self.settings = settings

    @property
    def follows_watermarks(self) -> bool:
        """Whether also a writer without records has to know how far event time is."""
        return self.settings.partition_commit is not None

    def create_writer(self, context: WriterInitContext) -> FileWriter:
        return FileWriter(self.settings, context)

    def create_committer(self) -> FileCommitter:
        return FileCommitter(StagingArea(self.settings.base_path), self.settings.partition_commit)

    def abort_stale(self, scope: SinkScope, kept: list[StagedFiles]) -> None:
        area = StagingArea(self.settings.base_path)
        area.tidy(scope, {file.staged for one in kept for file in one.files})

    def make_durable(self, committables: list[StagedFiles], *, committed: bool) -> None:
        StagingArea(self.settings.base_path).make_durable(committables, committed=committed)

    class BaseBuilder:
        """Gathers the settings of a file sink."""

        def __init__(self, settings: FileSinkSettings) -> None:
            self._settings = settings

        def with_bucket_check_interval(self, interval: int) -> Self:
            """Ask the rolling policy at this interval, in milliseconds, whether a part file has had its time."""
            if interval <= 0:
                raise GraphError(f"with_bucket_check_interval({interval}): an interval is at least one millisecond")
            return self._with(bucket_check_interval=interval)

        def with_bucket_assigner(self, bucket_assigner: BucketAssigner) -> Self:
            """Choose how the directory of a record is found; the default is one per hour of the day."""
            return self._with(bucket_assigner=bucket_assigner)

        def with_output_file_config(self, output_file_config: OutputFileConfig) -> Self:
            """Choose what the names of part files start and end with."""
            return self._with(output_file_config=output_file_config)

        def with_rolling_policy(self, rolling_policy: RollingPolicy) -> Self:
            """Choose when a part file ends before its epoch does."""
            return self._with(rolling_policy=rolling_policy)

        def with_partition_commit(self, partition_commit: PartitionCommit) -> Self:
            """Say when a bucket is complete, and what is done then, such as a success file."""
            if not isinstance(partition_commit, PartitionCommit):
                raise GraphError(
                    f"with_partition_commit({partition_commit!r:.80}): give PartitionCommit.on_watermark(…) or "
                    f"PartitionCommit.on_processing_time(…)"
                )
            return self._with(partition_commit=partition_commit)

        def build(self) -> FileSink:
            """Return the sink."""
            return FileSink(self._settings)

        def _with(self, **changes: Any) -> Self:
            self._settings = replace(self._settings, **changes)
            return self

    class RowFormatBuilder(BaseBuilder):
        """Gathers the settings of a sink that encodes records one by one."""

    class BulkFormatBuilder(BaseBuilder):
        """Gathers the settings of a sink whose files are complete only with their end, such as Parquet."""

        def with_rolling_policy(self, rolling_policy: RollingPolicy) -> Self:
            """Choose the policy that bulk formats allow: a file ends with its epoch."""
            if not isinstance(rolling_policy, OnCheckpointRollingPolicy):
                raise GraphError(
                    "a bulk format needs RollingPolicy.on_checkpoint_rolling_policy(): its files can't be ended at any "
                    "record"
                )
            return super().with_rolling_policy(rolling_policy)

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder[Any]) -> RowFormatBuilder:
        """Start to build a sink that encodes records one by one, such as lines of text."""
        if not isinstance(encoder, Encoder):
            raise GraphError(
                f"FileSink.for_row_format('{base_path}', {encoder!r}): pass an Encoder, for lines of text "
                f"Encoder.simple_string_encoder()"
            )
        return FileSink.RowFormatBuilder(
            FileSinkSettings(
                absolute(base_path),
                RowFormat(encoder),
                BucketAssigner.date_time_bucket_assigner(),
                RollingPolicy.default_rolling_policy(),
            )
        )

    @staticmethod
    def for_bulk_format(base_path: str, writer_factory: BulkWriterFactory[Any]) -> BulkFormatBuilder:
        """Start to build a sink of files that a BulkWriter writes."""
        if not isinstance(writer_factory, BulkWriterFactory):
            raise GraphError(f"FileSink.for_bulk_format('{base_path}', {writer_factory!r}): pass a BulkWriterFactory")
        return FileSink.BulkFormatBuilder(
            FileSinkSettings(
                absolute(base_path),
                BulkFormat(writer_factory),
                BucketAssigner.date_time_bucket_assigner(),
                RollingPolicy.on_checkpoint_rolling_policy(),
            )
        )
