"""Jobs of the SQL shell: an INSERT is a process of its own, which lives on when the shell ends; SHOW JOBS, STOP JOB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flott.cli.api import UnreachableError
from flott.cli.detached import start_detached
from flott.cli.doctor import REST_PORTS
from flott.cli.known_jobs import KnownJob
from flott.cli.steer import Deadline, ends_soon, wait_for_savepoint, wait_until_over
from flott.errors import FlottError
from flott.rest.registry import registered_jobs, registry_directory
from flott.table.sql.parse import parse_statement
from flott.table.sql.statements import Insert, InsertSet

if TYPE_CHECKING:
    from flott.cli.detached import Detached
    from flott.rest.registry import RegisteredJob
    from flott.table import TableEnvironment

SHOW_JOBS = re.compile(r"\s*SHOW\s+JOBS\s*", re.IGNORECASE)
STOP_JOB = re.compile(r"\s*STOP\s+JOB\s+'(?P<job>[^']+)'\s*(?P<savepoint>WITH\s+SAVEPOINT)?\s*", re.IGNORECASE)


class DetachedInserts:
    """Starts INSERTs in processes of their own, with the tables and settings that the session has made.

    Args:
        options: The options of `flott sql` that such a process gets, too.
    """

    def __init__(self, options: list[str]) -> None:
        self._options = options
        self._made: list[str] = []

    def remember(self, text: str) -> None:
        """A statement changed the session: a table, a view, a function, a setting."""
        self._made.append(text.strip())

    def start(self, text: str, t_env: TableEnvironment) -> Detached | None:
        """Start an INSERT, or a set of them; None if the statement is none.

        Mistakes are found here, before a process is started.
        """
        statement = parse_statement(text)
        if isinstance(statement, Insert):
            inserts: tuple[Insert, ...] = (statement,)
        elif isinstance(statement, InsertSet):
            inserts = statement.inserts
        else:
            return None
        planner = t_env.planner
        planner.explain([planner.insert(one) for one in inserts])
        script = ";\n".join([*self._made, text.strip(), ""])
        served = any(word.startswith(("rest.port=", "rest.bind-port=")) for word in self._options)
        page = [] if served else ["-D", f"rest.bind-port={REST_PORTS}"]
        return start_detached(["sql", *page, *self._options], "sql", script)


def listed_jobs() -> list[list[str]]:
    """Return the rows of SHOW JOBS."""
    return [[job.job_id, job.name, job.status, job.rest or ""] for job in registered_jobs(registry_directory())]


def stop_job(job_id: str, *, savepoint: bool) -> str:
    """Cancel a job, or end it with a savepoint; wait for its end, and return what to print."""
    known = KnownJob.registered(running_job(job_id))
    if savepoint:
        path = wait_for_savepoint(known, None, "stop", {"drain": False}, Deadline(None))
        over = wait_until_over(known, None, Deadline(None), "stopping")
        return f"Job {known.job_id} is {over.status}. Savepoint: {path}"
    try:
        known.api.ask("PATCH", f"/jobs/{known.job_id}?mode=cancel")
    except UnreachableError as error:
        if not ends_soon(known, None):
            raise FlottError(str(error)) from error
    return f"Job {known.job_id} is {wait_until_over(known, None, Deadline(None), 'cancelling').status}."


def running_job(job_id: str) -> RegisteredJob:
    """Return the job that runs under an id, or the beginning of it."""
    found = [one for one in registered_jobs(registry_directory()) if one.job_id.startswith(job_id) and not one.is_over]
    if len(found) != 1:
        raise FlottError(f"{'no job' if not found else 'more than one job'} with the id '{job_id}' runs: SHOW JOBS")
    return found[0]
