"""``flott cancel``, ``flott stop``, ``flott savepoint``: steer jobs from another process."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from flott.cli.api import UnreachableError, unreachable
from flott.cli.known_jobs import DIRECTORY, find_job, job_argument
from flott.cli.output import AS_JSON, fail, show_json
from flott.connectors.paths import absolute
from flott.coordination.checkpoints.storage import remove
from flott.errors import FlottError

if TYPE_CHECKING:
    from flott.cli.known_jobs import KnownJob

LOOK_AGAIN = 0.2
"""Seconds."""
LOOKS_AFTER_NO_ANSWER = 25
TIMEOUT = click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Wait at most so long; the job goes on with it."
)


class Deadline:
    """Ends the command when somebody has waited for too long."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def wait(self, what: str) -> None:
        """Wait a moment before looking again."""
        if self._end is not None and time.monotonic() >= self._end:
            fail(f"{what} was asked for, and is not done yet")
        time.sleep(LOOK_AGAIN)


@click.command()
@job_argument
@TIMEOUT
@DIRECTORY
@AS_JSON
def cancel(job: str, *, timeout: float | None, directory: str | None, as_json: bool) -> None:
    r"""Cancel JOB at once, without a savepoint.

    What the running epoch did so far does not count. flott stop ends a job so that it can go on later.

    \b
    flott cancel orders
    """
    known, deadline = find_job(job, directory), Deadline(timeout)
    try:
        known.api.ask("PATCH", f"/jobs/{known.job_id}?mode=cancel")
    except UnreachableError as error:
        if not ends_soon(known, directory):
            unreachable(error)
    over = wait_until_over(known, directory, deadline, "cancelling")
    told(over, as_json=as_json, text=f"Job '{known.name}' ({known.job_id}) is {over.status}.")
    if over.status != "CANCELED":
        fail(f"job '{known.name}' was not cancelled: it is {over.status}")


@click.command()
@job_argument
@click.option("-d", "--drain", is_flag=True, help="Let all windows and timers fire before; not to go on from later.")
@click.option(
    "-p", "--savepoint-path", "--savepointPath", "target", metavar="DIR",
    help="Where the savepoint goes; by default where the job's settings say.",
)  # fmt: skip
@TIMEOUT
@DIRECTORY
@AS_JSON
def stop(
    job: str, *, drain: bool, target: str | None, timeout: float | None, directory: str | None, as_json: bool
) -> None:
    r"""End JOB with a savepoint; it can go on from there with flott run -s.

    \b
    flott stop orders --savepoint-path /data/savepoints
    flott run -s /data/savepoints/savepoint-… job.py
    """
    known = find_job(job, directory)
    body: dict[str, Any] = {"drain": drain}
    if target is not None:
        body["targetDirectory"] = absolute(target)
    path = wait_for_savepoint(known, directory, "stop", body, Deadline(timeout))
    over = wait_until_over(known, directory, Deadline(timeout), "stopping")
    text = f"Job '{known.name}' ({known.job_id}) is {over.status}. Savepoint: {path}"
    told(over, as_json=as_json, text=text, savepoint=path)


@click.command()
@click.argument("job", metavar="JOB", required=False)
@click.argument("target", metavar="[DIR]", required=False)
@click.option("-d", "--dispose", metavar="PATH", help="Remove this savepoint instead.")
@TIMEOUT
@DIRECTORY
@AS_JSON
def savepoint(
    job: str | None,
    target: str | None,
    *,
    dispose: str | None,
    timeout: float | None,
    directory: str | None,
    as_json: bool,
) -> None:
    r"""Take a savepoint of JOB, which goes on; into DIR, or where the job's settings say.

    \b
    flott savepoint orders /data/savepoints
    flott savepoint --dispose /data/savepoints/savepoint-…
    """
    if dispose is not None:
        try:
            remove(absolute(dispose))
        except (FlottError, OSError) as error:
            fail(f"{dispose} can't be removed: {error}")
        if as_json:
            show_json({"disposed": absolute(dispose)})
        else:
            click.echo(f"Removed {dispose}.")
        return
    if job is None:
        message = "name the JOB, or a savepoint to --dispose"
        raise click.UsageError(message)
    known = find_job(job, directory)
    body = {} if target is None else {"target-directory": absolute(target)}
    path = wait_for_savepoint(known, directory, "savepoints", body, Deadline(timeout))
    told(known, as_json=as_json, text=f"Savepoint: {path}", savepoint=path)


def wait_for_savepoint(
    known: KnownJob, directory: str | None, what: str, body: dict[str, Any], deadline: Deadline
) -> str:
    """Ask for a savepoint and return where it is."""
    api = known.api
    try:
        trigger = api.ask("POST", f"/jobs/{known.job_id}/{what}", body)["request-id"]
    except UnreachableError as error:
        unreachable(error)
    while True:
        try:
            answer = api.get(f"/jobs/{known.job_id}/savepoints/{trigger}")
        except UnreachableError as error:
            return left_behind(known, directory, error)
        if answer["status"]["id"] == "COMPLETED":
            operation = answer["operation"]
            if "location" in operation:
                return str(operation["location"])
            cause = operation["failure-cause"]
            why = cause["stack-trace"].strip().rpartition(f"{cause['class']}: ")[2]
            fail(f"no savepoint: {why}")
        deadline.wait("the savepoint")


def left_behind(known: KnownJob, directory: str | None, error: UnreachableError) -> str:
    """Return the savepoint that a job ended with while nobody looked."""
    over = find_job(known.job_id, directory)
    if over.savepoint is not None:
        return over.savepoint
    if over.is_over:
        fail(f"no savepoint: job '{known.name}' is {over.status}" + (f": {over.error}" if over.error else ""))
    return unreachable(error)


def wait_until_over(known: KnownJob, directory: str | None, deadline: Deadline, what: str) -> KnownJob:
    """Wait until a job has ended, and return what is known of it then."""
    api = known.api
    while True:
        try:
            state = api.get(f"/jobs/{known.job_id}")["state"]
        except UnreachableError:
            state = None
        now = find_job(known.job_id, directory) if known.pid is not None else known
        if now.is_over:
            return now
        if known.pid is None and state in (None, "CANCELED", "FINISHED", "FAILED"):
            # Of a job on another machine only its driver tells; when it is gone, so is the job.
            return replace(known, status=state or "FINISHED", rest=None)
        deadline.wait(what)


def ends_soon(known: KnownJob, directory: str | None) -> bool:
    """Return whether a job ends now: its driver may be gone before it has answered the request to end."""
    if known.pid is None:
        return False
    for _ in range(LOOKS_AFTER_NO_ANSWER):
        if find_job(known.job_id, directory).is_over:
            return True
        time.sleep(LOOK_AGAIN)
    return False


def told(known: KnownJob, *, as_json: bool, text: str, **more: Any) -> None:
    """Tell what was done."""
    if as_json:
        show_json({"jid": known.job_id, "name": known.name, "status": known.status, **more})
    else:
        click.echo(text)
