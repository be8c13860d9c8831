"""Views of one vertex: its subtasks, where event time stands in them, since when they run, what they wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.rest.views.times import subtask_times
from flott.rest.views.work import RecentView, io_metrics

if TYPE_CHECKING:
    from flott.coordination.subtask_progress import SubtaskProgress
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.driver import MetricValue
    from flott.rest.shapes.vertex import BackPressure, Subtask, SubtaskBackPressure, Vertex, VertexTimes
    from flott.runtime.plan import VertexSpec

LOW, HIGH = 0.1, 0.5


def vertex_view(job: ServedJob, vertex: VertexSpec) -> Vertex:
    """Tell all subtasks of a vertex."""
    recent = RecentView.of(job)
    return {
        "id": vertex.id,
        "name": vertex.name,
        "parallelism": vertex.parallelism,
        "maxParallelism": vertex.max_parallelism,
        "now": job.progress.now(),
        "subtasks": [subtask_view(job, vertex, one, recent) for one in subtasks_of(job, vertex)],
    }


def subtasks_of(job: ServedJob, vertex: VertexSpec) -> list[SubtaskProgress]:
    """Return the subtasks of a vertex, in order."""
    return [job.progress.subtasks[vertex.index, index] for index in range(vertex.parallelism)]


def subtask_view(job: ServedJob, vertex: VertexSpec, one: SubtaskProgress, recent: RecentView) -> Subtask:
    """Tell one subtask."""
    begin, end, duration = subtask_times([one], job.progress.now())
    shares, read, written = recent.of_subtask(vertex, one.subtask)
    place = one.place
    return {
        "subtask": one.subtask,
        "status": one.state.name,
        "attempt": one.attempt,
        "endpoint": None if place is None else place.host,
        "start-time": begin,
        "start_time": begin,
        "end-time": end,
        "duration": duration,
        "taskmanager-id": None if place is None else place.host,
        "other-concurrent-attempts": [],
        "metrics": io_metrics(job, vertex, [one]),
        "status-duration": status_duration(one, job.progress.now()),
        "flott": {
            "watermark": one.watermark,
            "busy-ratio": shares.busy,
            "backpressured-ratio": shares.back_pressured,
            "idle-ratio": shares.idle,
            "read-records-per-second": read,
            "write-records-per-second": written,
            "state-bytes": one.state_size,
            "late-records": one.late,
            "spark": None
            if place is None
            else {
                "stage": place.stage,
                "task": place.task,
                "attempt": place.attempt,
                "partition": place.partition,
            },
            "store": one.store_path,
        },
    }


def status_duration(one: SubtaskProgress, now: int) -> dict[str, int]:
    """Say how long a subtask was in each state."""
    moments = sorted(dict(one.since).items(), key=lambda entry: entry[1])
    ends = [moment for _, moment in moments[1:]] + [moments[-1][1] if one.state.is_over else now]
    return {state.name: end - begin for (state, begin), end in zip(moments, ends, strict=True)}


def watermarks_view(job: ServedJob, vertex: VertexSpec) -> list[MetricValue]:
    """Tell where event time stands in each subtask."""
    return [
        {"id": f"{one.subtask}.currentInputWatermark", "value": str(one.watermark)}
        for one in subtasks_of(job, vertex)
        if one.watermark is not None
    ]


def times_view(job: ServedJob, vertex: VertexSpec) -> VertexTimes:
    """Tell when each subtask came into each state."""
    now = job.progress.now()
    found = []
    for one in subtasks_of(job, vertex):
        begin, end, duration = subtask_times([one], now)
        since = dict(one.since)
        found.append((one, begin, end, duration, {state.name: since.get(state, 0) for state in type(one.state)}))
    return {
        "id": vertex.id,
        "name": vertex.name,
        "now": now,
        "subtasks": [
            {
                "subtask": one.subtask,
                "endpoint": None if one.place is None else one.place.host,
                "start-time": begin,
                "end-time": end,
                "duration": duration,
                "timestamps": timestamps,
            }
            for one, begin, end, duration, timestamps in found
        ],
    }


def back_pressure_view(job: ServedJob, vertex: VertexSpec) -> BackPressure:
    """Tell how the time of each subtask was divided lately."""
    recent = RecentView.of(job)
    subtasks: list[SubtaskBackPressure] = []
    for index in range(vertex.parallelism):
        shares, _, _ = recent.of_subtask(vertex, index)
        subtasks.append(
            {
                "subtask": index,
                "backpressureLevel": level_of(shares.back_pressured),
                "ratio": shares.back_pressured,
                "idleRatio": shares.idle,
                "busyRatio": shares.busy,
            }
        )
    return {
        "status": "ok",
        "backpressureLevel": level_of(max(one["ratio"] for one in subtasks)),
        "end-timestamp": job.progress.now(),
        "subtasks": subtasks,
    }


def level_of(ratio: float) -> str:
    """Name a ratio as Flink does.

    >>> level_of(0.1), level_of(0.3), level_of(0.7)
    ('ok', 'low', 'high')
    """
    return "ok" if ratio <= LOW else "low" if ratio <= HIGH else "high"
