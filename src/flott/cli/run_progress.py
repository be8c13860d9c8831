"""How far the jobs of this process are: one line that moves on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from flott.cli.output import amount, duration
from flott.common import JobStatus
from flott.common.activity import Activity, current_activities
from flott.rest.attach import served_jobs, url_of
from flott.rest.views.condition import LONG, condition
from flott.rest.views.job import job_details

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.job import JobDetails

ON_TERMINAL = 1.0
ELSEWHERE = 10.0
"""Seconds between two lines."""
AT_THE_START = 0.1
"""Seconds between two looks before there is a job."""
ERASE = "\r\x1b[K"
BELIEVABLE = 10 * 365 * 24 * 3600 * 1000
"""A lag of more than ten years only says that event time is no time of day."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[None]:
    """Show the progress of jobs that run meanwhile, on the error stream."""
    if quiet:
        yield
        return
    out, err = sys.stdout, sys.stderr
    line = BottomLine(err) if err.isatty() else None
    if line is not None:
        sys.stderr = AboveLine(err, line)
        if out.isatty():
            sys.stdout = AboveLine(out, line)
    over = threading.Event()
    reporter = Reporter(err, line)
    thread = threading.Thread(target=reporter.run, args=(over,), name="flott-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=5)
        reporter.look(last=True)
        if line is not None:
            line.show("")
            sys.stdout, sys.stderr = out, err


class Reporter:
    """Looks at the jobs of this process now and then."""

    def __init__(self, err: TextIO, line: BottomLine | None) -> None:
        self._err = err
        self._line = line
        self._seen: dict[str, str] = {}
        self._announced: set[Activity] = set()
        self._said = time.monotonic()

    def run(self, over: threading.Event) -> None:
        """Report until it is over."""
        while not over.wait(ON_TERMINAL if served_jobs() else AT_THE_START):
            self.look()

    def look(self, *, last: bool = False) -> None:
        """Report once: what has changed at once, the rest when it is time."""
        jobs = served_jobs()
        for job in jobs:
            status = job.master.status.name
            if self._seen.get(job.id) != status:
                where = None if job.id in self._seen else url_of(job, with_code=self._line is not None)
                self._say(announcement(job, where))
                self._seen[job.id] = status
        starting = [f"{one.text} … {time.monotonic() - one.started:.0f} s" for one in current_activities()]
        for one in current_activities():
            if one not in self._announced:
                self._announced.add(one)
                self._say(f"{one.text} …")
        alive = [job for job in jobs if not job.master.status.is_terminal_state()]
        if self._line is not None:
            self._line.show("   ".join([*starting, *map(report, alive)]))
        elif alive and not last and time.monotonic() - self._said >= ELSEWHERE:
            for job in alive:
                self._say(report(job))

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        if self._line is not None:
            self._line.print_above(text)
        else:
            print(text, file=self._err, flush=True)


def announcement(job: ServedJob, where: str | None) -> str:
    """Say where a job stands now, and where its page is."""
    name, status = job.plan.job_name, job.master.status.name
    begun = f"Job '{name}' ({job.id}) is {status}"
    return f"{begun}: {where}" if where else f"{begun}."


def report(job: ServedJob) -> str:
    """Say in one line how a job is doing."""
    details = job_details(job)
    figures = details["flott"]
    if details["state"] != JobStatus.RUNNING.name or takes_long(details):
        return f"{details['name']} · {figures['condition']['text']}"
    parts = [
        details["name"],
        f"epoch {figures['epoch']}",
        f"{amount(figures['read-records-per-second'])} records/s",
    ]
    mark = figures["watermark"]
    lag = None if mark is None else details["now"] - mark
    if lag is not None and 0 <= lag < BELIEVABLE:
        parts.append(f"lag {duration(lag)}")
    if figures["backlog"]:
        parts.append("input is waiting")
    latest = job.master.checkpoints.statistics.latest_completed
    if latest is not None:
        parts.append(f"checkpoint {latest.checkpoint_id}")
    if figures["restarts"]:
        parts.append(f"{figures['restarts']} restart{'' if figures['restarts'] == 1 else 's'}")
    return " · ".join([*parts, *condition(job).worries])


def takes_long(details: JobDetails) -> bool:
    """Return whether an epoch runs for so long that the figures of the one before say little."""
    current = details["flott"]["current-epoch"]
    return current is not None and details["now"] - current["start-time"] >= LONG


class BottomLine:
    """The last line of a terminal, which stays below whatever is printed."""

    def __init__(self, terminal: TextIO) -> None:
        self.lock = threading.RLock()
        self._terminal = terminal
        self._text = ""

    def show(self, text: str) -> None:
        """Show this text from now on."""
        with self.lock:
            self._text = text
            self.draw()

    def draw(self) -> None:
        """Write the line."""
        room = shutil.get_terminal_size().columns - 1
        self._terminal.write(ERASE + self._text[:room])
        self._terminal.flush()

    def erase(self) -> None:
        """Make room for something else."""
        if self._text:
            self._terminal.write(ERASE)
            self._terminal.flush()

    def print_above(self, text: str) -> None:
        """Print something that stays."""
        with self.lock:
            self.erase()
            self._terminal.write(f"{text}\n")
            self.draw()


class AboveLine:
    """A stream to the same terminal: what is written goes above the line."""

    def __init__(self, stream: TextIO, line: BottomLine) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        """Write some text; the line is back once it has ended."""
        with self._line.lock:
            self._line.erase()
            written = self._stream.write(text)
            self._stream.flush()
            if text.endswith("\n"):
                self._line.draw()
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
