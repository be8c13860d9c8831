"""``flott run -d``: starts a job in a process of its own and comes back when it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flott.cli.api import Api, UnreachableError
from flott.cli.output import fail, show_json
from flott.errors import FlottError
from flott.rest.attach import LOG_VARIABLE
from flott.rest.registry import registered_jobs, registry_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.rest.registry import RegisteredJob

LOOK_AGAIN = 0.1
"""Seconds."""
FIRST_EPOCH = 30.0
"""Seconds that the first epoch has before the command says that it has not completed yet."""
SHOWN = 4000
"""So many of the last characters of a log are shown."""


class NoJobError(FlottError):
    """A detached process ended without a job."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Detached:
    """A job in a process of its own."""

    job: RegisteredJob
    pid: int
    log: Path
    trouble: str | None
    """How the job is, if no epoch has completed yet."""

    @property
    def about(self) -> dict[str, Any]:
        """The same for JSON."""
        job = self.job
        return {
            "jid": job.job_id,
            "name": job.name,
            "rest": job.rest,
            "token-file": job.token_file,
            "pid": self.pid,
            "log": str(self.log),
            "not-yet": self.trouble,
        }

    @property
    def text(self) -> str:
        """The same for people."""
        named = f"Job '{self.job.name}' ({self.job.job_id})"
        if self.trouble is None:
            return f"{named} runs: {page(self.job)}\nIts output goes to {self.log}"
        started = f"{named} has started, but no epoch has completed yet: {page(self.job)}"
        return f"{started}\n{self.trouble}\nIts output goes to {self.log}"


class Relay:
    """Passes on what a log grows by, in whole lines.

    Args:
        log: The log.
        say: Gets the lines; with None, nobody does.
    """

    def __init__(self, log: Path, say: Callable[[str], None] | None) -> None:
        self._log = log
        self._say = say
        self._said = 0

    def look(self, *, last: bool = False) -> None:
        """Pass on what is new; ``last``: a line that has not ended never will."""
        if self._say is None:
            return
        with self._log.open("rb") as file:
            file.seek(self._said)
            new = file.read()
        if not last:
            new = new[: new.rfind(b"\n") + 1]
        if new:
            self._said += len(new)
            self._say(new.decode(errors="replace").removesuffix("\n"))

    def failure(self) -> str:
        """Say that there is no job, and why, unless that has been passed on."""
        if self._say is None:
            return f"the program ended without a job that runs; its output, from {self._log}:\n{tail(self._log)}"
        self.look(last=True)
        return f"the program ended without a job that runs; the output above is in {self._log}"


def run_detached(command: list[str], name: str, *, quiet: bool, as_json: bool) -> None:
    """Run this command in a process of its own; tell the job's id once it is registered, and its output until then."""
    say = None if quiet else partial(click.echo, err=True)
    try:
        started = start_detached(["run", *command], name, say=say)
    except NoJobError as error:
        fail(str(error), error.code)
    if as_json:
        show_json(started.about)
    else:
        click.echo(started.text)


def log_directory() -> Path:
    """Return where the logs of detached jobs are, for their owner only."""
    logs = registry_directory().parent / "logs"
    logs.mkdir(parents=True, exist_ok=True, mode=0o700)
    return logs


def start_detached(
    command: list[str], name: str, script: str | None = None, say: Callable[[str], None] | None = None
) -> Detached:
    """Run a command of ours in a process of its own, and wait until its job works.

    What it prints until its job is registered goes to ``say`` too: what it waits for, or why it ends.
    What it reads as its standard input, the script, may hold passwords: it is in a file without a name, which is gone
    with the processes that have it open, however they end.
    """
    # A name that no other start has, not even one of this process in this second; readable for its owner only.
    descriptor, log_name = tempfile.mkstemp(".log", f"{name}-{time.strftime('%Y%m%d-%H%M%S')}-", log_directory())
    log = Path(log_name)
    environment = {**os.environ, LOG_VARIABLE: str(log), "PYTHONUNBUFFERED": "1"}
    with os.fdopen(descriptor, "wb") as output, tempfile.TemporaryFile(dir=log_directory()) as unnamed:
        unnamed.write((script or "").encode())
        unnamed.seek(0)
        process = subprocess.Popen(  # noqa: S603 - this very program again
            [sys.executable, "-m", "flott.cli.main", *command],
            stdin=subprocess.DEVNULL if script is None else unnamed,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    relay = Relay(log, say)
    try:
        job = wait_for_job(process, relay)
    except KeyboardInterrupt:
        process.terminate()
        raise
    if job is None:
        raise NoJobError(relay.failure(), process.returncode or 1)
    try:
        trouble = wait_for_epoch(process, job)
    except KeyboardInterrupt:
        trouble = "Ctrl-C ended the waiting, not the job"
    # It lives on; nobody here waits for its end.
    process.returncode = 0
    return Detached(job, process.pid, log, trouble)


def page(job: RegisteredJob) -> str | None:
    """Return where a job can be reached; on a terminal a link that opens its page."""
    if job.rest is None or not sys.stdout.isatty():
        return job.rest
    try:
        return Api(job.rest, job.token_file).page_of(job.job_id)
    except UnreachableError:  # it has just ended
        return job.rest


def wait_for_job(process: subprocess.Popen[bytes], relay: Relay) -> RegisteredJob | None:
    """Wait until a process has registered a job; None if it ended before."""
    while True:
        relay.look()
        code = process.poll()
        found = [job for job in registered_jobs(registry_directory()) if job.pid == process.pid]
        if found and (not found[-1].is_over or code in (None, 0)):
            return found[-1]
        if code is not None:
            return None
        time.sleep(LOOK_AGAIN)


def wait_for_epoch(process: subprocess.Popen[bytes], job: RegisteredJob) -> str | None:
    """Wait until a job works; return how it is if it fails before, or takes long."""
    if job.rest is None or job.is_over:
        return None
    api, end, text = Api(job.rest, job.token_file), time.monotonic() + FIRST_EPOCH, None
    while process.poll() is None and time.monotonic() < end:
        try:
            details = api.get(f"/jobs/{job.job_id}")
        except UnreachableError:  # it has just ended
            return None
        figures, text = details["flott"], str(details["flott"]["condition"]["text"])
        if figures["has-worked"] or details["state"] == "FINISHED":
            return None
        if figures["restarts"] or details["end-time"] >= 0:
            return text
        time.sleep(LOOK_AGAIN)
    return text


def tail(log: Path) -> str:
    """Return the end of a log."""
    return log.read_text(encoding="utf-8", errors="replace")[-SHOWN:].strip()


def command_of(job: Path, arguments: tuple[str, ...], *, pyflink: bool, settings: dict[str, Any]) -> list[str]:
    """Return the words that say the same as these options.

    >>> from pathlib import Path
    >>> given = dict(
    ...     parallelism=2,
    ...     master=None,
    ...     local=True,
    ...     savepoint=None,
    ...     allow=True,
    ...     claim_mode=None,
    ...     new=True,
    ...     properties=["a=b"],
    ... )
    >>> command_of(Path("job.py"), ("x",), pyflink=False, settings=given)
    ['-p', '2', '-n', '--local', '--new', '-D', 'a=b', 'job.py', 'x']
    """
    words = words_of(settings)
    if pyflink:
        words.append("--pyflink")
    return [*words, str(job), *arguments]


def words_of(settings: dict[str, Any]) -> list[str]:
    """Return the words that say the same as these options, which several commands have."""
    named = {"parallelism": "-p", "master": "--master", "savepoint": "-s", "claim_mode": "--claim-mode"}
    words = []
    for name, option in named.items():
        if settings[name] is not None:
            words += [option, str(settings[name])]
    if settings["allow"]:
        words.append("-n")
    if settings.get("local"):
        words.append("--local")
    if settings.get("new"):
        words.append("--new")
    for one in settings["properties"]:
        words += ["-D", one]
    return words
