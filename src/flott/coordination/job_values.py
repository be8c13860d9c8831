"""What a job tells of itself as a whole, with Flink's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common import JobStatus

if TYPE_CHECKING:
    from flott.coordination.checkpoints.statistics import CheckpointStatistics
    from flott.coordination.progress import JobProgress

NONE = -1
"""Flink's word for "there is none yet"."""
NO_PATH = "n/a"


def job_values(progress: JobProgress, statistics: CheckpointStatistics, now: int) -> dict[str, Any]:
    """Return the metrics of a job, by name; ``now`` is in milliseconds since 1970."""
    since = progress.since.get(progress.status, now)
    running = now - since if progress.status is JobStatus.RUNNING else 0
    waiting = now - since if progress.status is JobStatus.RESTARTING else 0
    latest, restored = statistics.latest_completed, statistics.latest_restore
    epoch = progress.history[-1] if progress.history else None
    return {
        "numRestarts": progress.restarts,
        "uptime": running if progress.status is JobStatus.RUNNING else NONE,
        "runningTime": running,
        "restartingTime": waiting,
        "totalNumberOfCheckpoints": statistics.triggered,
        "numberOfInProgressCheckpoints": statistics.in_progress,
        "numberOfCompletedCheckpoints": statistics.completed,
        "numberOfFailedCheckpoints": statistics.failed,
        "lastCompletedCheckpointId": NONE if latest is None else latest.checkpoint_id,
        "lastCheckpointDuration": NONE if latest is None or latest.duration_ms is None else latest.duration_ms,
        "lastCheckpointSize": NONE if latest is None else latest.checkpointed_size,
        "lastCheckpointFullSize": NONE if latest is None else latest.full_size,
        "lastCheckpointExternalPath": NO_PATH if latest is None or latest.path is None else latest.path,
        "lastCheckpointRestoreTimestamp": NONE if restored is None else restored.restored,
        "currentEpoch": 0 if epoch is None else epoch.epoch,
        "lastEpochDuration": 0.0 if epoch is None else 1000 * epoch.seconds,
    }
