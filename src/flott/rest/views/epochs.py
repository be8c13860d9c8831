"""The timeline of a job's epochs, and what holds it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.metrics.diagnosis import LastEpoch, diagnose

if TYPE_CHECKING:
    from flott.coordination.epoch_stats import EpochStats
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.epochs import Epoch, Epochs, Phases, VertexEpoch
    from flott.runtime.plan import VertexSpec


def epochs_view(job: ServedJob, limit: int) -> Epochs:
    """Tell the last epochs, newest first."""
    history, current, settings = tuple(job.progress.history), job.progress.current, job.master.settings
    last = None if not history else last_epoch(history[-1])
    found = diagnose(job.plan, job.metrics.recent, last, settings.epoch_target)
    return {
        "target": round(settings.epoch_target * 1000),
        "buffer-timeout": settings.buffer_timeout,
        "current": None
        if current is None
        else {"epoch": current.epoch, "attempt": current.attempt, "start-time": current.started},
        "bottleneck": None if found.bottleneck is None else job.plan.vertices[found.bottleneck].id,
        "hint": found.hint,
        "epochs": [epoch_view(job, stats) for stats in history[::-1][:limit]],
    }


def last_epoch(stats: EpochStats) -> LastEpoch:
    """Sum up an epoch for the diagnosis."""
    work = stats.phases["read"] + stats.phases["compute"] + stats.phases["state"]
    return LastEpoch(stats.seconds, work, stats.phases["state"], stats.backlog)


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
