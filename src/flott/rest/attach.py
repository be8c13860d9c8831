"""Ties the REST server to the life of jobs: it starts with the first, serves all, and ends with the last."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING

from flott.rest.access import Access, page_link, user_token
from flott.rest.jobs import Jobs
from flott.rest.registry import RegisteredJob, Registration, forget_old, registry_directory
from flott.rest.served_job import ServedJob
from flott.rest.server import listen
from flott.rest.settings import RestSettings

if TYPE_CHECKING:
    from pathlib import Path

    from flott.common import Configuration, JobStatus
    from flott.coordination.job_master import JobMaster
    from flott.rest.server import Listener

log = logging.getLogger("flott.rest")

GRACE = 3.0
"""Seconds that the server stays after the last job, so that whoever waits for the end hears of it."""

LOG_VARIABLE = "FLOTT_LOG_FILE"
"""Set by whoever sends the output of this process to a file."""

_open: dict[tuple[RestSettings, Path], RestServer] = {}
"""By settings and registry of jobs, whose token they take."""
_lock = threading.Lock()


class RestServer:
    """A server and its jobs."""

    def __init__(self, settings: RestSettings, registry: Path) -> None:
        self.settings = settings
        self.registry = registry
        token, self.token_file = user_token(registry)
        self.access = Access(token, *([] if settings.token is None else [settings.token]))
        self.jobs = Jobs(settings, self.access)
        self._listener: Listener = listen(settings, self.jobs)
        self._users = 0
        self._end: threading.Timer | None = None

    @property
    def url(self) -> str:
        """Where it can be reached."""
        name = self.settings.address or self._listener.server_name
        if self.settings.address is None and name in ("0.0.0.0", "::"):  # noqa: S104 - everywhere, so here too
            name = "127.0.0.1"
        return f"http://{f'[{name}]' if ':' in name else name}:{self._listener.server_port}"

    def enter(self) -> None:
        """Somebody uses it; called with the lock."""
        self._users += 1
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def leave(self, *, at_once: bool = False) -> None:
        """Somebody uses it no more; it ends when nobody does."""
        with _lock:
            self._users -= 1
            if self._users == 0:
                self._end = threading.Timer(0.0 if at_once else GRACE, self._close)
                self._end.daemon = True
                self._end.start()

    def _close(self) -> None:
        with _lock:
            if self._users:
                return
            _open.pop((self.settings, self.registry), None)
        self._listener.shutdown()
        self._listener.server_close()

    def admit(self, master: JobMaster, configuration: Configuration) -> None:
        """Serve a job from its start to its end, and let other processes find it."""
        job = ServedJob(master, configuration)
        self.jobs.add(job)
        registration = register(job, self)
        if master.record is not None:
            master.record.announce(self.url)

        def changed(status: JobStatus) -> None:
            if registration is not None and status.is_terminal_state():
                notes = job.progress.notes
                registration.close(
                    status=status.name,
                    ended=job.progress.now(),
                    savepoint=master.stopped_with,
                    error=notes[-1].cause if notes and status.name == "FAILED" else None,
                )
            elif registration is not None:
                registration.update(status=status.name)
            if status.is_terminal_state():
                self.leave()

        job.progress.watchers.append(changed)
        log.info("job '%s' (%s) is at %s", job.plan.job_name, job.id, self.url)


def open_server(configuration: Configuration) -> RestServer | None:
    """Return the server that a configuration asks for, listening; whoever gets it must let it admit a job, or leave."""
    settings = RestSettings.of(configuration)
    if settings is None:
        return None
    with _lock:
        key = (settings, registry_directory(configuration))
        server = _open.get(key)
        if server is None:
            server = _open[key] = RestServer(*key)
        server.enter()
        return server


def served_jobs() -> list[ServedJob]:
    """Return the jobs of this process that have a server."""
    with _lock:
        return [job for server in _open.values() for job in server.jobs.all()]


def wait_for_pages() -> None:
    """Give pages that are open the time to hear of the end of their jobs, before this process ends."""
    end = time.monotonic() + GRACE
    for job in served_jobs():
        if job.master.status.is_terminal_state():
            job.audience.wait(end - time.monotonic())


def url_of(job: ServedJob, *, with_code: bool = False) -> str | None:
    """Return where a job of this process can be reached; with a code, a link that opens its page once."""
    with _lock:
        server = next((server for server in _open.values() if job.id in server.jobs.by_id), None)
    if server is None:
        return None
    return page_link(server.url, server.access.new_code(), job.id) if with_code else server.url


def register(job: ServedJob, server: RestServer) -> Registration | None:
    """Write the job down in the registry of this user; a job runs without that too."""
    master = job.master
    note = RegisteredJob(
        job_id=job.id,
        name=job.plan.job_name,
        status=master.status.name,
        rest=server.url,
        pid=os.getpid(),
        started=job.progress.now(),
        checkpoints=master.checkpoints.settings.directory,
        token_file=None if server.token_file is None else str(server.token_file),
        log=os.environ.get(LOG_VARIABLE),
    )
    try:
        forget_old(server.registry)
        return Registration(server.registry, note)
    except OSError as error:
        log.warning("flott list will not know this job: %s", error)
        return None
