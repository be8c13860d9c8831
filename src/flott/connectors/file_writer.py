"""What a file sink does in a task: records into part files, one open file per bucket."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.connectors.base import CommittingSinkWriter
from flott.connectors.bucket_assigners import BucketContext
from flott.connectors.output_file_config import OutputFileConfig
from flott.connectors.part_file import PartFile
from flott.connectors.pending_partitions import WriterProgress
from flott.connectors.staged_files import StagedFile, StagedFiles, StagingArea, writer_folder

if TYPE_CHECKING:
    from flott.connectors.bucket_assigners import BucketAssigner
    from flott.connectors.part_file import PartFormat
    from flott.connectors.partition_commit import PartitionCommit
    from flott.connectors.rolling_policies import RollingPolicy
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext


@dataclass(frozen=True, slots=True)
class FileSinkSettings:
    """All that a file sink's writers need to know."""

    base_path: str
    format: PartFormat
    bucket_assigner: BucketAssigner
    rolling_policy: RollingPolicy
    output_file_config: OutputFileConfig = field(default_factory=OutputFileConfig)
    bucket_check_interval: int = 60_000
    partition_commit: PartitionCommit | None = None


class FileWriter(CommittingSinkWriter):
    """Writes the records of one subtask."""

    def __init__(self, settings: FileSinkSettings, context: WriterInitContext) -> None:
        self._settings = settings
        self._clock = context.clock
        self._area = StagingArea(settings.base_path)
        self._directory = writer_folder(context)
        self._id = uuid4().hex
        self._open: dict[str, PartFile] = {}
        self._completed: list[StagedFile] = []
        self._count = 0
        self._bucket_context = BucketContext()
        self._next_check = self._clock.now() + settings.bucket_check_interval
        self._context = context
        self._watermark: int | None = None

    def write(self, element: Any, context: WriteContext) -> None:
        """Write a record to the part file of its bucket."""
        settings = self._settings
        now = self._clock.now()
        if now >= self._next_check:
            self._check_parts(now)
        self._bucket_context.move_to(now, context.timestamp())
        bucket = settings.bucket_assigner.get_bucket_id(element, self._bucket_context)
        part = self._open.get(bucket)
        if part is None or settings.rolling_policy.should_roll_on_event(part.info, element):
            part = self._roll(bucket, now)
        part.write(element, now)

    def prepare_commit(self) -> list[StagedFiles]:
        """Complete all files, which stay hidden; return what the driver needs to show them."""
        for bucket in list(self._open):
            self._complete(bucket)
        completed, self._completed = tuple(self._completed), []
        progress = None if self._settings.partition_commit is None else self._progress()
        return [StagedFiles(self._directory, completed, progress)] if completed or progress is not None else []

    def write_watermark(self, watermark: int) -> None:
        """Keep in mind how far event time is."""
        self._watermark = watermark

    def _progress(self) -> WriterProgress:
        context = self._context
        return WriterProgress(
            context.job_id,
            context.operator_id,
            context.subtask,
            context.get_number_of_parallel_subtasks(),
            self._clock.now(),
            self._watermark,
        )

    def close(self) -> None:
        """Remove what was written and not handed over."""
        for part in self._open.values():
            part.close()
        names = [part.name.staged for part in self._open.values()]
        self._area.remove([*names, *(file.staged for file in self._completed)])
        self._open.clear()
        self._completed.clear()

    def _roll(self, bucket: str, now: int) -> PartFile:
        if bucket in self._open:
            self._complete(bucket)
        config = self._settings.output_file_config
        unique = f"{self._id}-{self._count}"
        self._count += 1
        target = f"{config.part_prefix}-{unique}{config.part_suffix}"
        name = StagedFile(f"{self._directory}/{unique}", f"{checked_bucket(bucket)}{target}")
        file = self._area.create(name.staged)
        part = self._open[bucket] = PartFile(name, bucket, file, self._settings.format, now)
        return part

    def _check_parts(self, now: int) -> None:
        """Complete the parts that the rolling policy gives no more time."""
        self._next_check = now + self._settings.bucket_check_interval
        for bucket, part in list(self._open.items()):
            if self._settings.rolling_policy.should_roll_on_processing_time(part.info, now):
                self._complete(bucket)

    def _complete(self, bucket: str) -> None:
        self._completed.append(self._open.pop(bucket).complete())


def checked_bucket(bucket: str) -> str:
    """Return a bucket as the beginning of a path, or refuse one that would lead out of the base path."""
    if not isinstance(bucket, str):
        raise TypeError(f"get_bucket_id returned {bucket!r}; a bucket is a string, the name of a directory")
    parts = [part for part in bucket.split("/") if part not in {"", "."}]
    if bucket.startswith("/") or ".." in parts:
        raise ValueError(f"get_bucket_id returned {bucket!r}; a bucket is a directory below the sink's base path")
    return "".join(f"{part}/" for part in parts)
