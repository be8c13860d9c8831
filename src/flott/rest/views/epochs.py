"""The timeline of a job's epochs, and what holds it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.rest.views.condition import condition

if TYPE_CHECKING:
    from flott.coordination.epoch_stats import EpochStats
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.epochs import Epoch, Epochs, Phases, RunningEpoch, VertexEpoch
    from flott.runtime.plan import VertexSpec


def epochs_view(job: ServedJob, limit: int) -> Epochs:
    """Tell the last epochs, newest first."""
    history, settings = tuple(job.progress.history), job.master.settings
    found = condition(job)
    return {
        "target": round(settings.epoch_target * 1000),
        "buffer-timeout": settings.buffer_timeout,
        "current": running_epoch(job),
        "bottleneck": None if found.bottleneck is None else job.plan.vertices[found.bottleneck].id,
        "hint": found.text,
        "epochs": [epoch_view(job, stats) for stats in history[::-1][:limit]],
    }


def running_epoch(job: ServedJob) -> RunningEpoch | None:
    """Tell of the epoch that is being run."""
    current = job.progress.current
    if current is None:
        return None
    return {"epoch": current.epoch, "attempt": current.attempt, "start-time": current.started}


def epoch_view(job: ServedJob, stats: EpochStats) -> Epoch:
    """Tell one epoch."""
    millis = {name: seconds * 1000 for name, seconds in stats.phases.items()}
    phases: Phases = {
        "plan": millis["plan"],
        "schedule": millis["schedule"],
        "read": millis["read"],
        "compute": millis["compute"],
        "state": millis["state"],
        "commit": millis["commit"],
    }
    return {
        "epoch": stats.epoch,
        "attempt": stats.attempt,
        "start-time": stats.started,
        "duration": sum(millis.values()),
        "read-records": stats.records_in,
        "write-records": stats.records_out,
        "backlog": stats.backlog,
        "checkpoint": stats.checkpoint,
        "phases": phases,
        "vertices": [vertex_epoch(vertex, stats) for vertex in job.plan.vertices],
    }


def vertex_epoch(vertex: VertexSpec, stats: EpochStats) -> VertexEpoch:
    """Tell what one vertex did in an epoch; times are of its slowest subtask."""
    mine = [one for one in stats.subtasks if one.vertex == vertex.index]
    slowest = max(mine, key=lambda one: one.total)
    return {
        "id": vertex.id,
        "read-records": sum(one.records_in for one in mine),
        "write-records": sum(one.records_out for one in mine),
        "watermark": stats.watermarks.get(vertex.index),
        "read": slowest.read * 1000,
        "compute": slowest.compute * 1000,
        "state": slowest.state * 1000,
        "busiest": slowest.subtask,
    }
