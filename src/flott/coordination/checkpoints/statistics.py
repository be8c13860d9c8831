"""What is known about the checkpoints of a job: counts, the latest of each kind, a history and a summary."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HISTORY = 10
"""``web.checkpoints.history``."""
SUMMARISED = 10_000
"""Percentiles are over the latest of this many."""


class CheckpointStatus(Enum):
    """Where a checkpoint stands."""

    IN_PROGRESS = "In Progress"
    COMPLETED = "Completed"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class SubtaskStats:
    """What a checkpoint cost one subtask. An epoch's end needs no alignment, so there is nothing to wait for."""

    subtask: int
    acknowledged: int
    """When, in milliseconds since 1970."""
    sync_ms: float
    """The part in which the subtask does nothing else: functions write down what they hold."""
    async_ms: float
    """Writing state files."""
    checkpointed_size: int
    full_size: int


@dataclass(slots=True)
class CheckpointStats:
    """One checkpoint."""

    checkpoint_id: int
    kind: str
    triggered: int
    """When, in milliseconds since 1970."""
    subtasks_total: int
    status: CheckpointStatus = CheckpointStatus.IN_PROGRESS
    tasks: dict[str, list[SubtaskStats]] = field(default_factory=dict)
    """By the id of the vertex."""
    latest_acknowledgement: int | None = None
    checkpointed_size: int = 0
    full_size: int = 0
    path: str | None = None
    failure: str | None = None
    ended: int | None = None
    """When it was complete or given up, in milliseconds since 1970."""

    @property
    def subtasks_acknowledged(self) -> int:
        """How many subtasks have answered."""
        return sum(len(subtasks) for subtasks in self.tasks.values())

    @property
    def duration_ms(self) -> int | None:
        """From the trigger to the last answer of a subtask."""
        return None if self.latest_acknowledgement is None else self.latest_acknowledgement - self.triggered


@dataclass(frozen=True, slots=True)
class RestoreStats:
    """A return to a checkpoint or savepoint."""

    checkpoint_id: int
    kind: str
    restored: int
    """When, in milliseconds since 1970."""
    path: str | None


@dataclass(frozen=True, slots=True)
class Summary:
    """One measure over all completed checkpoints.

    >>> Summary.over([1, 2, 3, 4])
    Summary(minimum=1, maximum=4, average=2.5, p50=2, p90=4, p95=4, p99=4, p999=4)
    """

    minimum: float
    maximum: float
    average: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float

    @staticmethod
    def over(values: Sequence[float]) -> Summary | None:
        """Summarise some values; None when there are none."""
        if not values:
            return None
        ordered = sorted(values)
        ranks = [ordered[max(0, -(-len(ordered) * rank // 1000) - 1)] for rank in (500, 900, 950, 990, 999)]
        return Summary(ordered[0], ordered[-1], fmean(ordered), *ranks)


class CheckpointStatistics:
    """Gathers the statistics of one job, since this driver runs it."""

    def __init__(self) -> None:
        self.triggered = 0
        self.completed = 0
        self.failed = 0
        self.restored = 0
        self.latest_completed: CheckpointStats | None = None
        self.latest_failed: CheckpointStats | None = None
        self.latest_savepoint: CheckpointStats | None = None
        self.latest_restore: RestoreStats | None = None
        self.history: deque[CheckpointStats] = deque(maxlen=HISTORY)
        self._finished: deque[tuple[int, int, int]] = deque(maxlen=SUMMARISED)

    @property
    def in_progress(self) -> int:
        """How many are under way."""
        return self.triggered - self.completed - self.failed

    def on_trigger(self, stats: CheckpointStats) -> None:
        """A checkpoint has begun."""
        self.triggered += 1
        self.history.append(stats)

    def on_complete(self, stats: CheckpointStats, path: str, now: int, *, is_savepoint: bool) -> None:
        """A checkpoint is complete."""
        stats.status, stats.path, stats.ended = CheckpointStatus.COMPLETED, path, now
        self.completed += 1
        if is_savepoint:
            self.latest_savepoint = stats
        else:
            self.latest_completed = stats
        self._finished.append((stats.duration_ms or 0, stats.checkpointed_size, stats.full_size))

    def on_failure(self, stats: CheckpointStats, reason: str, now: int) -> None:
        """A checkpoint was given up."""
        stats.status, stats.failure, stats.ended = CheckpointStatus.FAILED, reason, now
        self.failed += 1
        self.latest_failed = stats

    def on_restore(self, restore: RestoreStats) -> None:
        """The job went back to a checkpoint."""
        self.restored += 1
        self.latest_restore = restore

    def summary(self) -> dict[str, Summary | None]:
        """Summarise the completed checkpoints: milliseconds, bytes written for them, bytes they stand on."""
        column: Callable[[int], list[int]] = lambda index: [row[index] for row in self._finished]  # noqa: E731
        names = ("duration_ms", "checkpointed_size", "full_size")
        return {name: Summary.over(column(index)) for index, name in enumerate(names)}
