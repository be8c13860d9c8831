"""Views of one job: its vertices, its graph, its settings and what went wrong."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from flott.common import JobStatus
from flott.common.configuration import without_secrets
from flott.common.options import CoreOptions, PipelineOptions, RestartStrategyOptions
from flott.rest.views.condition import condition
from flott.rest.views.epochs import running_epoch
from flott.rest.views.times import job_times, state_counts, subtask_times, together
from flott.rest.views.work import RecentView, io_metrics

if TYPE_CHECKING:
    from flott.coordination.progress import FailureNote
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.job import ExceptionEntry, JobConfig, JobDetails, JobExceptions, Plan, VertexDetails
    from flott.runtime.plan import VertexSpec

DEFAULT_RESTART = "exponential-delay with checkpoints, none without"


def job_details(job: ServedJob) -> JobDetails:
    """Say all that fits on one page about a job."""
    progress, plan = job.progress, job.plan
    begin, end, duration = job_times(progress)
    recent = RecentView.of(job)
    vertices = [vertex_details(job, vertex, recent) for vertex in plan.vertices]
    history = tuple(progress.history)
    marks = [vertex["flott"]["watermark"] for vertex in vertices]
    known = [mark for mark in marks if mark is not None]
    sources = {edge.target for edge in plan.edges}
    return {
        "jid": job.id,
        "name": plan.job_name,
        "isStoppable": True,
        "state": progress.status.name,
        "job-type": "STREAMING",
        "start-time": begin,
        "end-time": end,
        "duration": duration,
        "maxParallelism": max(vertex.max_parallelism for vertex in plan.vertices),
        "now": progress.now(),
        "timestamps": {status.name: progress.since.get(status, 0) for status in JobStatus},
        "vertices": vertices,
        "status-counts": dict(Counter(vertex["status"] for vertex in vertices)),
        "plan": plan_view(job),
        "flott": {
            "epoch": history[-1].epoch if history else 0,
            "restarts": progress.restarts,
            "watermark": min(known) if len(known) == len(marks) else None,
            "read-records-per-second": sum(
                vertex["flott"]["read-records-per-second"]
                for spec, vertex in zip(plan.vertices, vertices, strict=True)
                if spec.index not in sources
            ),
            "backlog": history[-1].backlog if history else False,
            "has-worked": progress.has_worked,
            "condition": condition(job).view,
            "current-epoch": running_epoch(job),
        },
    }


def vertex_details(job: ServedJob, vertex: VertexSpec, recent: RecentView) -> VertexDetails:
    """Say what is most worth knowing of a vertex."""
    subtasks = [job.progress.subtasks[vertex.index, index] for index in range(vertex.parallelism)]
    begin, end, duration = subtask_times(subtasks, job.progress.now())
    marks = [one.watermark for one in subtasks if one.watermark is not None]
    shares, read, written = recent.of_vertex(vertex)
    return {
        "id": vertex.id,
        "slotSharingGroupId": vertex.id,
        "name": vertex.name,
        "maxParallelism": vertex.max_parallelism,
        "parallelism": vertex.parallelism,
        "status": together(subtasks).name,
        "start-time": begin,
        "end-time": end,
        "duration": duration,
        "tasks": state_counts(subtasks),
        "metrics": io_metrics(job, vertex, subtasks),
        "flott": {
            "level": vertex.level,
            "watermark": min(marks) if len(marks) == len(subtasks) else None,
            "busy-ratio": shares.busy,
            "backpressured-ratio": shares.back_pressured,
            "idle-ratio": shares.idle,
            "read-records-per-second": read,
            "write-records-per-second": written,
            "skew": recent.skew(vertex),
            "state-bytes": sum(one.state_size for one in subtasks),
            "late-records": sum(one.late for one in subtasks),
        },
    }


def plan_view(job: ServedJob) -> Plan:
    """Draw the job's graph as data."""
    plan = job.plan
    return {
        "jid": job.id,
        "name": plan.job_name,
        "type": "STREAMING",
        "nodes": [
            {
                "id": vertex.id,
                "parallelism": vertex.parallelism,
                "operator": "",
                "operator_strategy": "",
                "description": vertex.name,
                "inputs": [
                    {
                        "num": number,
                        "id": plan.vertices[edge.source].id,
                        "ship_strategy": edge.partitioner.name,
                        "exchange": "pipelined_bounded",
                    }
                    for number, edge in enumerate(plan.inputs_of(vertex))
                ],
                "optimizer_properties": {},
                "flott": {
                    "level": vertex.level,
                    "operators": [{"id": one.operator_id, "uid": one.uid, "name": one.name} for one in vertex.chain],
                },
            }
            for vertex in plan.vertices
        ],
    }


def job_config(job: ServedJob) -> JobConfig:
    """Tell the job's settings; what looks like a secret stays hidden."""
    configuration = job.configuration
    strategy = configuration.get_optional(RestartStrategyOptions.RESTART_STRATEGY)
    parallelism = configuration.get(CoreOptions.DEFAULT_PARALLELISM)
    return {
        "jid": job.id,
        "name": job.plan.job_name,
        "execution-config": {
            "restart-strategy": strategy or DEFAULT_RESTART,
            "job-parallelism": (
                parallelism if parallelism > 0 else max(vertex.parallelism for vertex in job.plan.vertices)
            ),
            "object-reuse-mode": configuration.get(PipelineOptions.OBJECT_REUSE),
            "user-config": dict(job.plan.parameters),
        },
        "configuration": [
            {"key": key, "value": value} for key, value in sorted(without_secrets(configuration).items())
        ],
    }


def job_exceptions(job: ServedJob, most: int) -> JobExceptions:
    """Tell what went wrong, newest first."""
    notes = tuple(job.progress.notes)
    entries = [exception_entry(job, note) for note in reversed(notes)]
    return {"exceptionHistory": {"entries": entries[:most], "truncated": len(entries) > most}}


def exception_entry(job: ServedJob, note: FailureNote) -> ExceptionEntry:
    """Tell one thing that went wrong."""
    task = None
    if note.vertex is not None and note.subtask is not None:
        vertex = job.plan.vertices[note.vertex]
        task = f"{vertex.name} ({note.subtask + 1}/{vertex.parallelism})"
    return {
        "exceptionName": note.name,
        "stacktrace": note.trace,
        "timestamp": note.time,
        "taskName": task,
        "endpoint": note.host,
        "taskManagerId": note.host,
        "failureLabels": {},
        "concurrentExceptions": [],
        "rootCause": note.cause,
    }
