"""What there is to know of a vertex and its subtasks."""

from __future__ import annotations

from typing import TypedDict

from flott.rest.shapes.job import IoMetrics


class SparkPlace(TypedDict):
    """Where in Spark a subtask's last epoch ran."""

    stage: int
    task: int
    attempt: int
    partition: int


SubtaskFigures = TypedDict(
    "SubtaskFigures",
    {
        "watermark": int | None,
        "busy-ratio": float,
        "backpressured-ratio": float,
        "idle-ratio": float,
        "read-records-per-second": float,
        "write-records-per-second": float,
        "state-bytes": int,
        "late-records": int,
        "spark": SparkPlace | None,
        "store": str,
    },
)

Subtask = TypedDict(
    "Subtask",
    {
        "subtask": int,
        "status": str,
        "attempt": int,
        "endpoint": str | None,
        "start-time": int,
        "start_time": int,
        "end-time": int,
        "duration": int,
        "taskmanager-id": str | None,
        "other-concurrent-attempts": list[dict[str, str]],
        "metrics": IoMetrics,
        "status-duration": dict[str, int],
        "flott": SubtaskFigures,
    },
)


class Vertex(TypedDict):
    """A vertex with its subtasks."""

    id: str
    name: str
    parallelism: int
    maxParallelism: int
    now: int
    subtasks: list[Subtask]


SubtaskTimes = TypedDict(
    "SubtaskTimes",
    {
        "subtask": int,
        "endpoint": str | None,
        "start-time": int,
        "end-time": int,
        "duration": int,
        "timestamps": dict[str, int],
    },
)


class VertexTimes(TypedDict):
    """When each subtask of a vertex came into each state."""

    id: str
    name: str
    now: int
    subtasks: list[SubtaskTimes]


class SubtaskBackPressure(TypedDict):
    """How a subtask's time is divided."""

    subtask: int
    backpressureLevel: str
    ratio: float
    idleRatio: float
    busyRatio: float


BackPressure = TypedDict(
    "BackPressure",
    {"status": str, "backpressureLevel": str, "end-timestamp": int, "subtasks": list[SubtaskBackPressure]},
)
