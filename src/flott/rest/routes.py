"""Every path of the REST API, with what it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flott.metrics.flink_json import AGGREGATES, aggregated_json, metrics_json
from flott.metrics.prometheus import CONTENT_TYPE, render
from flott.rest.http import Answer, RefusedError
from flott.rest.shapes import checkpoints as checkpoint_shapes
from flott.rest.shapes import driver as driver_shapes
from flott.rest.shapes import epochs as epoch_shapes
from flott.rest.shapes import job as job_shapes
from flott.rest.shapes import steering as steering_shapes
from flott.rest.shapes import vertex as vertex_shapes
from flott.rest.steering import cancel, savepoint_status, stop, trigger_savepoint
from flott.rest.views import checkpoints, driver, epochs, job, vertex

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.coordination.checkpoints.statistics import CheckpointStats
    from flott.rest.http import Request
    from flott.rest.served_job import ServedJob

JOB = "/jobs/{jid}"
VERTEX = "/jobs/{jid}/vertices/{vid}"
CHECKPOINT = "/jobs/{jid}/checkpoints/details/{number}"
ID = "[0-9a-f]{32}"
PARTS = {"jid": ID, "vid": ID, "trigger": ID, "number": "[0-9]{1,18}"}
"""What the open parts of a path look like."""
MOST = 1000


@dataclass(frozen=True, slots=True)
class Route:
    """One path and method."""

    method: str
    path: str
    summary: str
    handle: Callable[[Request], Any]
    answer: Any
    """The shape of what comes back; None for text."""
    query: tuple[tuple[str, str], ...] = ()
    """The parameters and what they mean."""
    body: Any = None
    status: HTTPStatus = HTTPStatus.OK
    public: bool = False
    """Whether it needs no token."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """What the path looks like."""
        return re.compile(re.sub(r"\{(\w+)\}", lambda part: f"(?P<{part[1]}>{PARTS[part[1]]})", self.path))


def found_checkpoint(request: Request) -> tuple[ServedJob, CheckpointStats]:
    """Return the job and the checkpoint that a path names."""
    found = request.jobs.job(request.path)
    stats = checkpoints.find_checkpoint(found, int(request.path["number"]))
    if stats is None:
        message = f"checkpoint {request.path['number']} is not remembered; GET /jobs/{found.id}/checkpoints lists all"
        raise RefusedError(HTTPStatus.NOT_FOUND, message)
    return found, stats


def tell_job(request: Request) -> job_shapes.JobDetails:
    """Return how a job is; who asks after its end has heard of that."""
    found = request.jobs.job(request.path)
    details = job.job_details(found)
    found.audience.ask(over=details["end-time"] >= 0)
    return details


def asked_metrics(request: Request) -> list[str]:
    """Return the metrics whose values are wanted."""
    return [name for name in request.query.get("get", "").split(",") if name]


def over_subtasks(request: Request) -> list[dict[str, Any]]:
    """Return metrics of a vertex, each over all its subtasks."""
    aggregates = [name for name in request.query.get("agg", "").split(",") if name] or AGGREGATES
    unknown = set(aggregates) - set(AGGREGATES)
    if unknown:
        message = f"agg names '{min(unknown):.200}'; there are {', '.join(AGGREGATES)}"
        raise RefusedError(HTTPStatus.BAD_REQUEST, message)
    found, _ = request.jobs.vertex(request.path)
    return aggregated_json(found.metrics, request.path["vid"], asked_metrics(request), aggregates)


def log_in(request: Request) -> dict[str, str]:
    """Return a token for the page that was opened with a link."""
    token = request.jobs.access.redeem(str(request.body.get("code", "")))
    if token is None:
        message = "this link was used already, or is of an earlier run: `flott info JOB` prints a new one"
        raise RefusedError(HTTPStatus.UNAUTHORIZED, message)
    return {"token": token}


def prometheus(request: Request) -> Answer:
    """Return all metrics of all jobs as text."""
    text = render([job.metrics for job in request.jobs.all()])
    return Answer(text.encode(), content_type=CONTENT_TYPE)


ROUTES = (
    Route("GET", "/overview", "Count machines, subtasks and jobs.",
          lambda r: driver.overview(r.jobs.all()), driver_shapes.Overview),
    Route("GET", "/config", "Say what a page needs to know before it asks for anything else.",
          lambda _: driver.dashboard_config(), driver_shapes.DashboardConfig),
    Route("POST", "/page/links", "Make a link to the page that works once.",
          lambda r: {"code": r.jobs.access.new_code()}, driver_shapes.PageCode),
    Route("POST", "/page/login", "Exchange the code of a link for a token.",
          log_in, driver_shapes.PageToken, body=driver_shapes.PageCode, public=True),
    Route("GET", "/metrics", "Tell all metrics, as text for Prometheus.", prometheus, None),
    Route("GET", "/jobs", "List all jobs with their status.",
          lambda r: driver.job_ids(r.jobs.all()), driver_shapes.JobIds),
    Route("GET", "/jobs/overview", "List all jobs with what is most worth knowing.",
          lambda r: driver.jobs_overview(r.jobs.all()), driver_shapes.JobsOverview),
    Route("GET", JOB, "Tell a job and its vertices.",
          tell_job, job_shapes.JobDetails),
    Route("PATCH", JOB, "Cancel the job.", cancel, steering_shapes.Nothing,
          query=(("mode", "Only: cancel."),), status=HTTPStatus.ACCEPTED),
    Route("GET", f"{JOB}/plan", "Draw the job's graph as data.",
          lambda r: {"plan": job.plan_view(r.jobs.job(r.path))}, job_shapes.JobPlan),
    Route("GET", f"{JOB}/config", "Tell the job's settings.",
          lambda r: job.job_config(r.jobs.job(r.path)), job_shapes.JobConfig),
    Route("GET", f"{JOB}/exceptions", "Tell what went wrong, newest first.",
          lambda r: job.job_exceptions(r.jobs.job(r.path), r.number("maxExceptions", 16, MOST)),
          job_shapes.JobExceptions, query=(("maxExceptions", "How many at most."),)),
    Route("GET", f"{JOB}/epochs", "Tell the last epochs, and what holds the job up.",
          lambda r: epochs.epochs_view(r.jobs.job(r.path), r.number("limit", 100, MOST)),
          epoch_shapes.Epochs, query=(("limit", "How many at most."),)),
    Route("GET", f"{JOB}/metrics", "List the job's metrics, or tell some.",
          lambda r: metrics_json(r.jobs.job(r.path).metrics, None, asked_metrics(r)),
          list[driver_shapes.MetricValue], query=(("get", "Their ids, with commas between them."),)),
    Route("GET", f"{JOB}/checkpoints", "Tell what is known of all checkpoints.",
          lambda r: checkpoints.checkpoints_view(r.jobs.job(r.path)), checkpoint_shapes.Checkpoints),
    Route("GET", f"{JOB}/checkpoints/config", "Tell when checkpoints are taken and what becomes of them.",
          lambda r: checkpoints.config_view(r.jobs.job(r.path)), checkpoint_shapes.CheckpointConfig),
    Route("GET", CHECKPOINT, "Tell one checkpoint, by vertex.",
          lambda r: checkpoints.details_view(*found_checkpoint(r)), checkpoint_shapes.Checkpoint),
    Route("GET", f"{CHECKPOINT}/subtasks/{{vid}}", "Tell the part of one vertex in a checkpoint, by subtask.",
          lambda r: checkpoints.subtasks_view(found_checkpoint(r)[1], r.jobs.vertex(r.path)[1]),
          checkpoint_shapes.TaskCheckpointDetails),
    Route("POST", f"{JOB}/savepoints", "Take a savepoint.", trigger_savepoint, steering_shapes.Triggered,
          body=steering_shapes.SavepointBody, status=HTTPStatus.ACCEPTED),
    Route("GET", f"{JOB}/savepoints/{{trigger}}", "Tell what became of a savepoint that was asked for.",
          savepoint_status, steering_shapes.SavepointStatus),
    Route("POST", f"{JOB}/stop", "End the job with a savepoint.", stop, steering_shapes.Triggered,
          body=steering_shapes.StopBody, status=HTTPStatus.ACCEPTED),
    Route("GET", VERTEX, "Tell all subtasks of a vertex.",
          lambda r: vertex.vertex_view(*r.jobs.vertex(r.path)), vertex_shapes.Vertex),
    Route("GET", f"{VERTEX}/watermarks", "Tell where event time stands in each subtask.",
          lambda r: vertex.watermarks_view(*r.jobs.vertex(r.path)), list[driver_shapes.MetricValue]),
    Route("GET", f"{VERTEX}/subtasktimes", "Tell when each subtask came into each state.",
          lambda r: vertex.times_view(*r.jobs.vertex(r.path)), vertex_shapes.VertexTimes),
    Route("GET", f"{VERTEX}/backpressure", "Tell how the time of each subtask was divided lately.",
          lambda r: vertex.back_pressure_view(*r.jobs.vertex(r.path)), vertex_shapes.BackPressure),
    Route("GET", f"{VERTEX}/metrics", "List the metrics of a vertex, or tell some.",
          lambda r: metrics_json(r.jobs.vertex(r.path)[0].metrics, r.path["vid"], asked_metrics(r)),
          list[driver_shapes.MetricValue], query=(("get", "Their ids, with commas between them."),)),
    Route("GET", f"{VERTEX}/subtasks/metrics", "List the metrics of a vertex, or tell some over all its subtasks.",
          over_subtasks, list[driver_shapes.AggregatedMetric],
          query=(("get", "Their ids, with commas between them."), ("agg", "Of min, max, avg and sum; else all."))),
)  # fmt: skip

MATCHERS = [(route.pattern, route) for route in ROUTES]


def find_route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Return the route for a request, and the open parts of its path.

    >>> find_route("GET", "/jobs/overview")[0].path
    '/jobs/overview'
    """
    others = []
    for pattern, route in MATCHERS:
        match = pattern.fullmatch(path)
        if match is not None and route.method == method:
            return route, match.groupdict()
        if match is not None:
            others.append(route.method)
    if others:
        raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} can only be asked with {' or '.join(others)}")
    raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no {path:.200} here; GET /openapi.json lists all there is")
