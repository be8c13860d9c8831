"""What there is to know of a job."""

from __future__ import annotations

from typing import TypedDict

from flott.rest.shapes.epochs import RunningEpoch

IoMetrics = TypedDict(
    "IoMetrics",
    {
        "read-bytes": int,
        "read-bytes-complete": bool,
        "write-bytes": int,
        "write-bytes-complete": bool,
        "read-records": int,
        "read-records-complete": bool,
        "write-records": int,
        "write-records-complete": bool,
        "accumulated-backpressured-time": int,
        "accumulated-idle-time": int,
        "accumulated-busy-time": float,
    },
)

VertexFigures = TypedDict(
    "VertexFigures",
    {
        "level": int,
        "watermark": int | None,
        "busy-ratio": float,
        "backpressured-ratio": float,
        "idle-ratio": float,
        "read-records-per-second": float,
        "write-records-per-second": float,
        "skew": float,
        "state-bytes": int,
        "late-records": int,
    },
)

VertexDetails = TypedDict(
    "VertexDetails",
    {
        "id": str,
        "slotSharingGroupId": str,
        "name": str,
        "maxParallelism": int,
        "parallelism": int,
        "status": str,
        "start-time": int,
        "end-time": int,
        "duration": int,
        "tasks": dict[str, int],
        "metrics": IoMetrics,
        "flott": VertexFigures,
    },
)


class PlanInput(TypedDict):
    """An exchange into a node of the plan."""

    num: int
    id: str
    ship_strategy: str
    exchange: str


class PlanOperator(TypedDict):
    """An operator in the chain of a node."""

    id: str
    uid: str | None
    name: str


class PlanFigures(TypedDict):
    """What Flott adds to a node."""

    level: int
    operators: list[PlanOperator]


class PlanNode(TypedDict):
    """A vertex in the plan."""

    id: str
    parallelism: int
    operator: str
    operator_strategy: str
    description: str
    inputs: list[PlanInput]
    optimizer_properties: dict[str, str]
    flott: PlanFigures


class Plan(TypedDict):
    """The graph of a job."""

    jid: str
    name: str
    type: str
    nodes: list[PlanNode]


class JobPlan(TypedDict):
    """The answer that holds the graph of a job."""

    plan: Plan


class JobCondition(TypedDict):
    """How a job is, in words."""

    mood: str
    text: str


JobFigures = TypedDict(
    "JobFigures",
    {
        "epoch": int,
        "restarts": int,
        "watermark": int | None,
        "read-records-per-second": float,
        "backlog": bool,
        "has-worked": bool,
        "condition": JobCondition,
        "current-epoch": RunningEpoch | None,
    },
)

JobDetails = TypedDict(
    "JobDetails",
    {
        "jid": str,
        "name": str,
        "isStoppable": bool,
        "state": str,
        "job-type": str,
        "start-time": int,
        "end-time": int,
        "duration": int,
        "maxParallelism": int,
        "now": int,
        "timestamps": dict[str, int],
        "vertices": list[VertexDetails],
        "status-counts": dict[str, int],
        "plan": Plan,
        "flott": JobFigures,
    },
)

ExecutionConfig = TypedDict(
    "ExecutionConfig",
    {
        "restart-strategy": str,
        "job-parallelism": int,
        "object-reuse-mode": bool,
        "user-config": dict[str, str],
    },
)


class Setting(TypedDict):
    """A setting of the job."""

    key: str
    value: str


JobConfig = TypedDict(
    "JobConfig",
    {"jid": str, "name": str, "execution-config": ExecutionConfig, "configuration": list[Setting]},
)


class ExceptionEntry(TypedDict):
    """Something that went wrong."""

    exceptionName: str
    stacktrace: str
    timestamp: int
    taskName: str | None
    endpoint: str | None
    taskManagerId: str | None
    failureLabels: dict[str, str]
    concurrentExceptions: list[dict[str, str]]
    rootCause: str


class ExceptionHistory(TypedDict):
    """What went wrong, newest first."""

    entries: list[ExceptionEntry]
    truncated: bool


class JobExceptions(TypedDict):
    """The answer that holds what went wrong."""

    exceptionHistory: ExceptionHistory
