"""Partitions that have files and are not complete yet: known to the file system, so that no restart forgets them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.connectors.partition_commit import PartitionContext
from flott.runtime.batch import MAX_WATERMARK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.connectors.partition_commit import PartitionCommit
    from flott.connectors.staged_files import StagedFiles, StagingArea

FOLDER = ".partitions"


@dataclass(frozen=True, slots=True)
class WriterProgress:
    """How far one writer has come at the end of an epoch."""

    job_id: str
    operator_id: str
    subtask: int
    parallelism: int
    now: int
    watermark: int | None
    """None: it has not seen one since it was started."""


@dataclass(slots=True)
class PendingPartitions:
    """What the driver knows of the partitions of one sink; it is written down before a file shows.

    A crash between any two steps can only lead to a partition that is committed once more.
    """

    area: StagingArea
    rule: PartitionCommit
    name: str
    created: dict[str, int] = field(default_factory=dict)
    """When the first file of each pending partition was begun."""
    job_id: str = ""
    watermarks: dict[int, int] = field(default_factory=dict)
    parallelism: int = 0
    now: int = 0

    @staticmethod
    def load(area: StagingArea, rule: PartitionCommit, operator_id: str) -> PendingPartitions:
        """Return what was written down last."""
        made = PendingPartitions(area, rule, f"{FOLDER}/{operator_id}.json")
        text = area.read(made.name)
        if text is not None:
            known = json.loads(text)
            made.created, made.job_id, made.parallelism = known["created"], known["job"], known["parallelism"]
            made.watermarks = {int(subtask): time for subtask, time in known["watermarks"].items()}
        return made

    def note(self, committables: Iterable[StagedFiles]) -> None:
        """Take in which partitions get files, and how far the writers are; write it down."""
        for one in committables:
            self._progressed(one.progress)
            for file in one.files:
                partition = file.target.rpartition("/")[0]
                if partition:
                    self.created.setdefault(f"{partition}/", self.now)
        self._save()

    def _progressed(self, progress: WriterProgress | None) -> None:
        if progress is None:
            return
        if (progress.job_id, progress.parallelism) != (self.job_id, self.parallelism):
            # Another job has taken over, perhaps from an earlier savepoint: event time may stand elsewhere now.
            self.job_id, self.parallelism, self.watermarks = progress.job_id, progress.parallelism, {}
        self.now = max(self.now, progress.now)
        if progress.watermark is not None:
            self.watermarks[progress.subtask] = progress.watermark

    def commit_complete(self) -> None:
        """Do what the policies say with each partition that is complete, and forget it."""
        watermark = min(self.watermarks.values()) if len(self.watermarks) == self.parallelism else None
        over = watermark == MAX_WATERMARK
        due = [
            partition
            for partition, created in sorted(self.created.items())
            if over or self.rule.is_due(partition, created, self.now, watermark)
        ]
        for partition in due:
            for policy in self.rule.policies:
                policy.commit(PartitionContext(self.area, partition))
        if due:
            self.created = {name: created for name, created in self.created.items() if name not in set(due)}
            self._save()

    def _save(self) -> None:
        known = {
            "created": self.created, "job": self.job_id, "parallelism": self.parallelism, "watermarks": self.watermarks
        }  # fmt: skip
        self.area.replace(self.name, json.dumps(known).encode())
