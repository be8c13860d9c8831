"""The timeline of a job's epochs."""

from __future__ import annotations

from typing import TypedDict

VertexEpoch = TypedDict(
    "VertexEpoch",
    {
        "id": str,
        "read-records": int,
        "write-records": int,
        "watermark": int | None,
        "read": float,
        "compute": float,
        "state": float,
        "busiest": int,
    },
)


class Phases(TypedDict):
    """How long each part of an epoch took, in milliseconds."""

    plan: float
    schedule: float
    read: float
    compute: float
    state: float
    commit: float


Epoch = TypedDict(
    "Epoch",
    {
        "epoch": int,
        "attempt": int,
        "start-time": int,
        "duration": float,
        "read-records": int,
        "write-records": int,
        "backlog": bool,
        "checkpoint": int | None,
        "phases": Phases,
        "vertices": list[VertexEpoch],
    },
)

RunningEpoch = TypedDict("RunningEpoch", {"epoch": int, "attempt": int, "start-time": int})

Epochs = TypedDict(
    "Epochs",
    {
        "target": int,
        "buffer-timeout": int,
        "current": RunningEpoch | None,
        "bottleneck": str | None,
        "hint": str,
        "epochs": list[Epoch],
    },
)
