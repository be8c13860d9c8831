"""Finds jobs: those of this user on this machine, and those that a checkpoint directory knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from flott.cli.api import Api
from flott.cli.output import NO_SUCH_JOB, UNREACHABLE, fail
from flott.connectors.paths import absolute
from flott.coordination.find_job import jobs_in
from flott.rest.registry import LOST, registered_jobs, registry_directory

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from flott.coordination.find_job import ListedJob
    from flott.rest.registry import RegisteredJob

DIRECTORY = click.option(
    "-c",
    "--checkpoint-dir",
    "directory",
    metavar="DIR",
    help="Look in this checkpoint directory too, for jobs of other machines and users.",
)


@dataclass(frozen=True, slots=True)
class KnownJob:
    """A job that a command may be about."""

    job_id: str
    name: str
    status: str
    rest: str | None
    token_file: str | None = None
    started: int | None = None
    ended: int | None = None
    savepoint: str | None = None
    error: str | None = None
    pid: int | None = None
    log: str | None = None
    root: str | None = None
    """Where its checkpoints are."""

    @staticmethod
    def registered(job: RegisteredJob) -> KnownJob:
        """Return a job of the registry."""
        root = None if job.checkpoints is None else f"{job.checkpoints.rstrip('/')}/{job.job_id}"
        return KnownJob(
            job.job_id, job.name, job.status, job.rest, job.token_file, job.started, job.ended, job.savepoint,
            job.error, job.pid, job.log, root,
        )  # fmt: skip

    @staticmethod
    def noted(note: ListedJob) -> KnownJob:
        """Return a job of a checkpoint directory."""
        return KnownJob(note.job_id, note.name, note.status, note.rest, root=note.root)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or its driver is gone."""
        return self.status in {LOST, "FINISHED", "FAILED", "CANCELED", "SUSPENDED"}

    @property
    def api(self) -> Api:
        """What answers for it."""
        if self.rest is None:
            why = (
                "its driver is gone; start the program again, and it goes on from its last checkpoint"
                if self.status == LOST
                else f"it is {self.status}"
                if self.is_over
                else "it has no REST server: start it with flott run, or set rest.port"
            )
            fail(f"job '{self.name}' ({self.job_id}) can't be reached: {why}", UNREACHABLE)
        return Api(self.rest, self.token_file)


def known_jobs(directory: str | None = None) -> list[KnownJob]:
    """Return all jobs that can be found, newest first."""
    found = {job.job_id: KnownJob.registered(job) for job in registered_jobs(registry_directory())}
    if directory is not None:
        for note in jobs_in(absolute(directory)):
            found.setdefault(note.job_id, KnownJob.noted(note))
    return list(found.values())


def find_job(text: str, directory: str | None = None) -> KnownJob:
    """Return the job that is meant: by id, by the beginning of it, or by name; running ones go before those over."""
    jobs = known_jobs(directory)
    for matching in (
        [job for job in jobs if job.job_id == text],
        [job for job in jobs if job.name == text and not job.is_over],
        [job for job in jobs if job.job_id.startswith(text) and not job.is_over],
        [job for job in jobs if job.name == text][:1],
        [job for job in jobs if job.job_id.startswith(text)],
    ):
        if len(matching) > 1:
            listed = ", ".join(f"{job.job_id} ({job.name})" for job in matching)
            fail(f"'{text}' may be several jobs; name one of them: {listed}", NO_SUCH_JOB)
        if matching:
            return matching[0]
    return fail(f"there is no job '{text}'; flott list --all shows those there are", NO_SUCH_JOB)


def complete_job(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what a half-typed word may mean, for the shell: names of running jobs, and ids that begin like it.

    A name that several running jobs have is not offered: their ids are.
    """
    from click.shell_completion import CompletionItem as Item

    jobs = known_jobs()
    names = Counter(job.name for job in jobs if not job.is_over)
    named = [
        Item(job.name, help=job.status)
        for job in jobs
        if not job.is_over and names[job.name] == 1 and job.name.startswith(incomplete)
    ]
    meant = [
        job
        for job in jobs
        if job.job_id.startswith(incomplete)
        if incomplete or (not job.is_over and names[job.name] > 1)
    ]
    return [*named, *(Item(job.job_id, help=f"{job.name}, {job.status}") for job in meant)]


def job_argument(command: Any) -> Any:
    """Add the argument JOB to a command."""
    return click.argument("job", shell_complete=complete_job)(command)
