"""Views of a job's checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.coordination.checkpoints.metadata import SAVEPOINT
from flott.coordination.checkpoints.settings import DELETE, NEVER_KEEP
from flott.coordination.checkpoints.statistics import CheckpointStatus, Summary

if TYPE_CHECKING:
    from flott.coordination.checkpoints.statistics import CheckpointStats, SubtaskStats
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes import checkpoints as shapes
    from flott.runtime.plan import VertexSpec

NEVER = 2**63 - 1
"""Flink's interval of a job that takes no checkpoints."""
NOTHING = Summary(0, 0, 0, 0, 0, 0, 0, 0)
NAMES = {CheckpointStatus.COMPLETED: "completed", CheckpointStatus.FAILED: "failed"}


def checkpoints_view(job: ServedJob) -> shapes.Checkpoints:
    """Tell what is known of all checkpoints."""
    known = job.master.checkpoints.statistics
    restore = known.latest_restore

    def of(stats: CheckpointStats | None) -> shapes.Checkpoint | None:
        return None if stats is None else checkpoint_view(stats)

    return {
        "counts": {
            "restored": known.restored,
            "total": known.triggered,
            "in_progress": known.in_progress,
            "completed": known.completed,
            "failed": known.failed,
        },
        "summary": summary_view(job),
        "latest": {
            "completed": of(known.latest_completed),
            "savepoint": of(known.latest_savepoint),
            "failed": of(known.latest_failed),
            "restored": None
            if restore is None
            else {
                "id": restore.checkpoint_id,
                "restore_timestamp": restore.restored,
                "is_savepoint": restore.kind == SAVEPOINT,
                "external_path": restore.path,
            },
        },
        "history": [checkpoint_view(stats) for stats in reversed(tuple(known.history))],
    }


def summary_view(job: ServedJob) -> shapes.Summary | None:
    """Sum up the completed checkpoints."""
    known = job.master.checkpoints.statistics.summary()
    duration, written, full = known["duration_ms"], known["checkpointed_size"], known["full_size"]
    if duration is None or written is None or full is None:
        return None
    return {
        "checkpointed_size": measure(written),
        "state_size": measure(full),
        "end_to_end_duration": measure(duration),
        "alignment_buffered": measure(NOTHING),
        "processed_data": measure(NOTHING),
        "persisted_data": measure(NOTHING),
    }


def measure(summary: Summary) -> shapes.Measure:
    """Tell one measure over all completed checkpoints."""
    return {
        "min": summary.minimum,
        "max": summary.maximum,
        "avg": summary.average,
        "p50": summary.p50,
        "p90": summary.p90,
        "p95": summary.p95,
        "p99": summary.p99,
        "p999": summary.p999,
    }


def checkpoint_view(stats: CheckpointStats, tasks: dict[str, shapes.TaskCheckpoint] | None = None) -> shapes.Checkpoint:
    """Tell one checkpoint."""
    is_savepoint = stats.kind == SAVEPOINT
    found: shapes.Checkpoint = {
        "className": NAMES.get(stats.status, "in_progress"),
        "id": stats.checkpoint_id,
        "status": stats.status.name,
        "is_savepoint": is_savepoint,
        "savepointFormat": "CANONICAL" if is_savepoint else None,
        "checkpoint_type": "SAVEPOINT" if is_savepoint else "CHECKPOINT",
        "trigger_timestamp": stats.triggered,
        "latest_ack_timestamp": -1 if stats.latest_acknowledgement is None else stats.latest_acknowledgement,
        "checkpointed_size": stats.checkpointed_size,
        "state_size": stats.full_size,
        "end_to_end_duration": -1 if stats.duration_ms is None else stats.duration_ms,
        "alignment_buffered": 0,
        "processed_data": 0,
        "persisted_data": 0,
        "num_subtasks": stats.subtasks_total,
        "num_acknowledged_subtasks": stats.subtasks_acknowledged,
        "tasks": tasks or {},
    }
    if stats.status is CheckpointStatus.COMPLETED:
        found["external_path"] = stats.path or ""
        found["discarded"] = False
    elif stats.status is CheckpointStatus.FAILED:
        found["failure_timestamp"] = stats.ended or stats.triggered
        found["failure_message"] = stats.failure or ""
    return found


def find_checkpoint(job: ServedJob, number: int) -> CheckpointStats | None:
    """Return a checkpoint that is still remembered."""
    known = job.master.checkpoints.statistics
    others = (known.latest_completed, known.latest_savepoint, known.latest_failed)
    candidates = [*tuple(known.history), *(one for one in others if one is not None)]
    return next((one for one in candidates if one.checkpoint_id == number), None)


def details_view(job: ServedJob, stats: CheckpointStats) -> shapes.Checkpoint:
    """Tell one checkpoint, by vertex."""
    tasks = {vertex.id: task_view(stats, vertex) for vertex in job.plan.vertices}
    return checkpoint_view(stats, tasks)


def task_view(stats: CheckpointStats, vertex: VertexSpec) -> shapes.TaskCheckpoint:
    """Tell the part of one vertex in a checkpoint."""
    answered = stats.tasks.get(vertex.id, [])
    latest = max((one.acknowledged for one in answered), default=-1)
    return {
        "id": stats.checkpoint_id,
        "status": stats.status.name,
        "latest_ack_timestamp": latest,
        "checkpointed_size": sum(one.checkpointed_size for one in answered),
        "state_size": sum(one.full_size for one in answered),
        "end_to_end_duration": latest - stats.triggered if answered else -1,
        "alignment_buffered": 0,
        "processed_data": 0,
        "persisted_data": 0,
        "num_subtasks": vertex.parallelism,
        "num_acknowledged_subtasks": len(answered),
    }


def subtasks_view(stats: CheckpointStats, vertex: VertexSpec) -> shapes.TaskCheckpointDetails:
    """Tell the part of one vertex in a checkpoint, by subtask."""
    answered = sorted(stats.tasks.get(vertex.id, []), key=lambda one: one.subtask)
    return {**task_view(stats, vertex), "subtasks": [subtask_checkpoint(stats, one) for one in answered]}


def subtask_checkpoint(stats: CheckpointStats, one: SubtaskStats) -> shapes.SubtaskCheckpoint:
    """Tell the part of one subtask in a checkpoint."""
    return {
        "index": one.subtask,
        "status": "completed",
        "ack_timestamp": one.acknowledged,
        "end_to_end_duration": one.acknowledged - stats.triggered,
        "checkpointed_size": one.checkpointed_size,
        "state_size": one.full_size,
        "checkpoint": {"sync": round(one.sync_ms), "async": round(one.async_ms)},
        "alignment": {"buffered": 0, "processed": 0, "persisted": 0, "duration": 0},
        "start_delay": 0,
        "unaligned_checkpoint": False,
        "aborted": False,
    }


def config_view(job: ServedJob) -> shapes.CheckpointConfig:
    """Tell when checkpoints are taken and what becomes of them."""
    settings = job.master.checkpoints.settings
    return {
        "mode": "exactly_once" if settings.exactly_once else "at_least_once",
        "interval": NEVER if settings.interval is None else settings.interval,
        "timeout": settings.timeout,
        "min_pause": settings.min_pause,
        "max_concurrent": settings.max_concurrent,
        "externalization": {
            "enabled": settings.retention != NEVER_KEEP,
            "delete_on_cancellation": settings.retention in (DELETE, NEVER_KEEP),
        },
        "state_backend": "lmdb",
        "checkpoint_storage": "filesystem" if settings.directory is not None else "jobmanager",
        "unaligned_checkpoints": False,
        "tolerable_failed_checkpoints": settings.tolerable_failures,
        "aligned_checkpoint_timeout": 0,
        "checkpoints_after_tasks_finish": True,
        "state_changelog_enabled": False,
        "directory": settings.directory,
        "savepoint_directory": settings.savepoint_directory,
    }
