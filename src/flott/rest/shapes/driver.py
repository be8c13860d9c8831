"""What the driver says of itself and of its jobs."""

from __future__ import annotations

from typing import TypedDict

from flott.rest.shapes.job import JobCondition  # noqa: TC001 - read when the OpenAPI document is made

Overview = TypedDict(
    "Overview",
    {
        "taskmanagers": int,
        "slots-total": int,
        "slots-available": int,
        "jobs-running": int,
        "jobs-finished": int,
        "jobs-cancelled": int,
        "jobs-failed": int,
        "flink-version": str,
        "flott-version": str,
    },
)

Features = TypedDict("Features", {"web-submit": bool, "web-cancel": bool, "web-rescale": bool, "web-history": bool})

DashboardConfig = TypedDict(
    "DashboardConfig",
    {
        "refresh-interval": int,
        "timezone-name": str,
        "timezone-offset": int,
        "flink-version": str,
        "flott-version": str,
        "features": Features,
    },
)


class JobIdWithStatus(TypedDict):
    """A job in the short list."""

    id: str
    status: str


class JobIds(TypedDict):
    """The short list of jobs."""

    jobs: list[JobIdWithStatus]


class OverviewFigures(TypedDict):
    """What Flott adds to a job of the list."""

    condition: JobCondition
    restarts: int


JobOverview = TypedDict(
    "JobOverview",
    {
        "jid": str,
        "name": str,
        "state": str,
        "start-time": int,
        "end-time": int,
        "duration": int,
        "last-modification": int,
        "job-type": str,
        "tasks": dict[str, int],
        "flott": OverviewFigures,
    },
)


class JobsOverview(TypedDict):
    """The list of jobs."""

    jobs: list[JobOverview]


class PageCode(TypedDict):
    """What is in a link to the page; it works once."""

    code: str


class PageToken(TypedDict):
    """What the page shows from then on."""

    token: str


class Errors(TypedDict):
    """What went wrong with a request."""

    errors: list[str]


class _Aggregates(TypedDict, total=False):
    min: float
    max: float
    avg: float
    sum: float


class AggregatedMetric(_Aggregates):
    """A metric over all subtasks of a vertex."""

    id: str


class MetricId(TypedDict):
    """A metric that can be asked for."""

    id: str


class MetricValue(MetricId, total=False):
    """A metric, with its value if that was asked for."""

    value: str
