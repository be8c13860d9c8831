"""What changes a job: savepoints, stopping, cancelling."""

from __future__ import annotations

import re
import traceback
from http import HTTPStatus
from typing import TYPE_CHECKING
from uuid import uuid4

from flott.rest.http import Answer, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common import CompletableFuture
    from flott.rest.http import Request
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.steering import SavepointStatus

REMEMBERED = 1000
TRIGGER_ID = re.compile(r"[0-9a-f]{32}")
FORMATS = ("CANONICAL", "NATIVE")
"""Both are the same here: there is one form of savepoint."""


def trigger_savepoint(request: Request) -> Answer:
    """Take a savepoint; with cancel-job, the job ends with it."""
    directory = text(request, "target-directory")
    stop = flag(request, "cancel-job")

    def take(job: ServedJob) -> CompletableFuture[str]:
        if stop:
            return job.client.stop_with_savepoint(False, directory)
        return job.client.trigger_savepoint(directory)

    return triggered(request, take)


def stop(request: Request) -> Answer:
    """End the job with a savepoint."""
    directory = text(request, "targetDirectory")
    drain = flag(request, "drain")
    return triggered(request, lambda job: job.client.stop_with_savepoint(drain, directory))


def triggered(request: Request, take: Callable[[ServedJob], CompletableFuture[str]]) -> Answer:
    """Ask the job for something that takes its time, and give the number to ask again with."""
    job = request.jobs.job(request.path)
    trigger = text(request, "triggerId") or uuid4().hex
    if not TRIGGER_ID.fullmatch(trigger):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "triggerId: give 32 hexadecimal digits, or leave it out")
    kind = text(request, "formatType") or FORMATS[0]
    if kind not in FORMATS:
        raise RefusedError(HTTPStatus.BAD_REQUEST, f"formatType is '{kind}'; give {' or '.join(FORMATS)}")
    if trigger not in job.savepoints:
        check_alive(job)
        forget_old(job)
        job.savepoints[trigger] = take(job)
    return Answer({"request-id": trigger}, HTTPStatus.ACCEPTED)


def forget_old(job: ServedJob) -> None:
    """Forget what became of the oldest savepoints, so that there are never too many to remember."""
    for trigger, future in list(job.savepoints.items())[:-REMEMBERED]:
        if future.done():
            job.savepoints.pop(trigger, None)


def savepoint_status(request: Request) -> SavepointStatus:
    """Tell what became of a savepoint that was asked for."""
    job = request.jobs.job(request.path)
    future = job.savepoints.get(request.path["trigger"])
    if future is None:
        raise RefusedError(HTTPStatus.NOT_FOUND, f"no savepoint was asked for as {request.path['trigger']}")
    if not future.done():
        return {"status": {"id": "IN_PROGRESS"}}
    error = future.exception()
    if error is None:
        return {"status": {"id": "COMPLETED"}, "operation": {"location": future.result()}}
    trace = "".join(traceback.format_exception(error))
    return {
        "status": {"id": "COMPLETED"},
        "operation": {"failure-cause": {"class": type(error).__name__, "stack-trace": trace}},
    }


def cancel(request: Request) -> Answer:
    """Cancel the job."""
    job = request.jobs.job(request.path)
    mode = request.query.get("mode", "cancel")
    if mode != "cancel":
        raise RefusedError(HTTPStatus.BAD_REQUEST, f"mode is '{mode}'; it can only be cancel. To stop: POST .../stop")
    check_alive(job)
    job.master.cancel()
    return Answer({}, HTTPStatus.ACCEPTED)


def check_alive(job: ServedJob) -> None:
    """Refuse to steer a job that is over."""
    if job.master.status.is_terminal_state():
        message = f"job '{job.plan.job_name}' is {job.master.status.name} already"
        raise RefusedError(HTTPStatus.CONFLICT, message)


def text(request: Request, name: str) -> str | None:
    """Return a text of the body."""
    value = request.body.get(name)
    if value is not None and (not isinstance(value, str) or not value or not value.isprintable()):
        raise RefusedError(HTTPStatus.BAD_REQUEST, f"{name}: give a text, or leave it out")
    return value


def flag(request: Request, name: str) -> bool:
    """Return a yes or no of the body."""
    value = request.body.get(name, False)
    if not isinstance(value, bool):
        raise RefusedError(HTTPStatus.BAD_REQUEST, f"{name}: give true or false, or leave it out")
    return value
