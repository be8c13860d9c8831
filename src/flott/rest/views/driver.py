"""Views of the driver and of all its jobs."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from flott import __version__
from flott.common import JobStatus
from flott.rest.views.condition import condition
from flott.rest.views.times import job_times, state_counts

if TYPE_CHECKING:
    from collections.abc import Collection

    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.driver import DashboardConfig, JobIds, JobOverview, JobsOverview, Overview

FLINK_VERSION = "2.3"
"""The Flink whose API this is."""
REFRESH_INTERVAL = 3000


def overview(jobs: Collection[ServedJob]) -> Overview:
    """Count machines, subtasks and jobs."""
    counts = Counter(job.master.status for job in jobs)
    over = sum(counts[status] for status in JobStatus if status.is_terminal_state())
    alive = [
        subtask
        for job in jobs
        for subtask in tuple(job.progress.subtasks.values())
        if not job.master.status.is_terminal_state()
    ]
    hosts = {subtask.place.host for subtask in alive if subtask.place is not None}
    return {
        "taskmanagers": max(1, len(hosts)),
        "slots-total": len(alive),
        "slots-available": 0,
        "jobs-running": len(jobs) - over,
        "jobs-finished": counts[JobStatus.FINISHED],
        "jobs-cancelled": counts[JobStatus.CANCELED],
        "jobs-failed": counts[JobStatus.FAILED],
        "flink-version": FLINK_VERSION,
        "flott-version": __version__,
    }


def dashboard_config() -> DashboardConfig:
    """Say what a page needs to know before it asks for anything else."""
    moment = time.localtime()
    return {
        "refresh-interval": REFRESH_INTERVAL,
        "timezone-name": moment.tm_zone,
        "timezone-offset": moment.tm_gmtoff * 1000,
        "flink-version": FLINK_VERSION,
        "flott-version": __version__,
        "features": {"web-submit": False, "web-cancel": True, "web-rescale": False, "web-history": False},
    }


def job_ids(jobs: Collection[ServedJob]) -> JobIds:
    """List all jobs with their status."""
    return {"jobs": [{"id": job.id, "status": job.master.status.name} for job in jobs]}


def jobs_overview(jobs: Collection[ServedJob]) -> JobsOverview:
    """List all jobs with what is most worth knowing."""
    return {"jobs": [job_overview(job) for job in jobs]}


def job_overview(job: ServedJob) -> JobOverview:
    """Say what is most worth knowing of a job."""
    begin, end, duration = job_times(job.progress)
    subtasks = tuple(job.progress.subtasks.values())
    return {
        "jid": job.id,
        "name": job.plan.job_name,
        "state": job.master.status.name,
        "start-time": begin,
        "end-time": end,
        "duration": duration,
        "last-modification": max(job.progress.since.values()),
        "job-type": "STREAMING",
        "tasks": {"total": len(subtasks)} | {name.lower(): n for name, n in state_counts(subtasks).items()},
        "flott": {"condition": condition(job).view, "restarts": job.progress.restarts},
    }
