"""``flott list``, ``flott info``, ``flott checkpoints``: look at jobs from another process."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click

from flott.cli.api import UnreachableError, unreachable
from flott.cli.known_jobs import DIRECTORY, KnownJob, find_job, job_argument, known_jobs
from flott.cli.output import AS_JSON, amount, duration, fail, show, show_json
from flott.coordination.checkpoints.storage import find_checkpoints
from flott.errors import FlottError

LIST_PATIENCE = 3.0
"""Seconds that a driver has to tell ``flott list`` how its jobs are."""
ENDLESS = 2**62
"""A watermark beyond is the end of time."""


def moment(millis: int | None) -> str:
    """Write a moment for people, in this machine's time zone."""
    return "" if millis is None or millis < 0 else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(millis / 1000))


@click.command("list")
@click.option("-a", "--all", "everything", is_flag=True, help="Those that are over too.")
@click.option("-r", "--running", is_flag=True, help="Only those that run.")
@DIRECTORY
@AS_JSON
def list_jobs(*, everything: bool, running: bool, directory: str | None, as_json: bool) -> None:
    r"""List the jobs of this user on this machine.

    LOST are jobs whose driver is gone: start the program again, and it goes on from its last checkpoint.

    \b
    flott list
    flott list --all --json
    flott list --checkpoint-dir /data/checkpoints
    """
    jobs = [
        job for job in known_jobs(directory) if everything or not job.is_over or (job.status == "LOST" and not running)
    ]
    told = {job.job_id: overview_of(job) for job in jobs}
    if as_json:
        for job in jobs:
            show_json({**described(job), "condition": told[job.job_id].get("flott", {}).get("condition")})
        return
    if not jobs:
        click.echo("No jobs." if everything else "No jobs run. flott list --all shows those that are over.")
        return
    rows = [
        (job.job_id, job.name, told[job.job_id].get("state", job.status), moment(job.started), job.rest or "")
        for job in jobs
    ]
    show(("job", "name", "status", "started", "rest"), rows, as_json=False)
    for job in jobs:
        text = worth_telling(job, told[job.job_id])
        if text is not None:
            click.echo(f"\n{job.name} ({job.job_id[:8]}): {text}")


def overview_of(job: KnownJob) -> dict[str, Any]:
    """Return what a job's driver says of it; nothing if it does not answer soon."""
    if job.rest is None or job.is_over:
        return {}
    try:
        jobs = replace(job.api, patience=LIST_PATIENCE).get("/jobs/overview")["jobs"]
    except UnreachableError:
        return {
            "flott": {"condition": {"mood": "bad", "text": f"The driver does not answer within {LIST_PATIENCE:.0f} s."}}
        }
    return next((one for one in jobs if one["jid"] == job.job_id), {})


def worth_telling(job: KnownJob, told: dict[str, Any]) -> str | None:
    """Return how a job is, if somebody should look."""
    if job.status == "FAILED" and job.error:
        return f"The job failed: {job.error}"
    condition = told.get("flott", {}).get("condition")
    return None if condition is None or condition["mood"] == "good" else str(condition["text"])


def described(job: KnownJob) -> dict[str, Any]:
    """Return what is known of a job without asking its driver."""
    return {
        "jid": job.job_id,
        "name": job.name,
        "status": job.status,
        "start-time": job.started,
        "end-time": job.ended,
        "rest": job.rest,
        "token-file": job.token_file,
        "pid": job.pid,
        "log": job.log,
        "savepoint": job.savepoint,
        "error": job.error,
        "checkpoints": job.root,
    }


@click.command()
@job_argument
@DIRECTORY
@AS_JSON
def info(job: str, *, directory: str | None, as_json: bool) -> None:
    r"""Tell about JOB: its id, the beginning of it, or its name.

    \b
    flott info orders
    flott info 5f2c --json
    """
    known = find_job(job, directory)
    details = None
    if known.rest is not None:
        try:
            details = known.api.get(f"/jobs/{known.job_id}")
        except UnreachableError as error:
            known = find_job(known.job_id, directory)
            if not known.is_over:
                unreachable(error)
    if as_json:
        show_json({**described(known), "details": details})
        return
    page = None if known.rest is None or details is None else known.api.page_of(known.job_id)
    click.echo(f"{known.name} ({known.job_id})")
    facts = [
        ("status", known.status if details is None else details["state"]),
        ("started", moment(known.started)),
        ("ended", moment(known.ended)),
        ("page", page),
        ("log", known.log),
        ("checkpoints", known.root),
        ("savepoint", known.savepoint),
        ("error", known.error),
    ]
    for name, value in facts:
        if value:
            click.echo(f"  {name:<12}{value}")
    if details is not None:
        show_details(details)


def show_details(details: dict[str, Any]) -> None:
    """Print what the driver says of a job."""
    figures = details["flott"]
    click.echo(f"  {'condition':<12}{figures['condition']['text']}")
    restarts = figures["restarts"]
    click.echo(
        f"  {'running':<12}{duration(details['duration'])}, epoch {figures['epoch']}, "
        f"{restarts} restart{'' if restarts == 1 else 's'}"
    )
    click.echo(f"  {'reads':<12}{amount(figures['read-records-per-second'])} records/s\n")
    rows = [
        (
            vertex["name"],
            vertex["status"],
            str(vertex["parallelism"]),
            amount(vertex["metrics"]["read-records"]),
            amount(vertex["metrics"]["write-records"]),
            f"{vertex['flott']['busy-ratio']:.0%}",
            watermark(vertex["flott"]["watermark"]),
        )
        for vertex in details["vertices"]
    ]
    show(("vertex", "status", "subtasks", "read", "written", "busy", "watermark"), rows, as_json=False)


def watermark(mark: int | None) -> str:
    """Write a watermark for people."""
    if mark is None:
        return "none"
    return "the end" if mark > ENDLESS else moment(mark) or str(mark)


@click.command()
@job_argument
@DIRECTORY
@AS_JSON
def checkpoints(job: str, *, directory: str | None, as_json: bool) -> None:
    r"""List the checkpoints of JOB, newest first; of a job that is over, those that were kept.

    \b
    flott checkpoints orders
    """
    known = find_job(job, directory)
    columns = ("id", "kind", "status", "triggered", "duration", "size", "path")
    if known.rest is not None:
        try:
            history = known.api.get(f"/jobs/{known.job_id}/checkpoints")["history"]
        except UnreachableError as error:
            unreachable(error)
        if as_json:
            for one in history:
                show_json(one)
            return
        rows = [
            (
                str(one["id"]),
                one["checkpoint_type"].lower(),
                one["status"],
                moment(one["trigger_timestamp"]),
                "" if one["end_to_end_duration"] < 0 else duration(one["end_to_end_duration"]),
                f"{amount(one['checkpointed_size'])}B",
                one.get("external_path") or one.get("failure_message", ""),
            )
            for one in history
        ]
        show(columns, rows, as_json=False)
        return
    if known.root is None:
        fail(f"job '{known.name}' kept no checkpoints: it had no checkpoint directory")
    try:
        found = find_checkpoints(known.root)[::-1]
    except (FlottError, OSError) as error:
        fail(f"{known.root} can't be read: {error}")
    rows = [
        (
            str(one.checkpoint_id),
            one.kind,
            "COMPLETED",
            moment(one.timestamp),
            "",
            "",
            path,
        )
        for path, one in found
    ]
    show(columns, rows, as_json=as_json)
