"""What a command took of the machine: wall time, CPU time, and what others had meanwhile.

`make test` runs on laptops and on shared machines, so wall time alone says little. `measured` also says how long the
command would have taken on a quiet machine of the reference speed:

    quiet = (wall - what others had / cores) / slowness

- What others had is CPU steal (other guests of the same host) and the CPU time of processes that the command did not
  start.
- Slowness is the CPU time of a fixed loop, sampled while the command runs, against what it takes on the reference
  machine. It shows what no counter does: a slower processor, or neighbours that share its caches. A faster machine
  counts as 1.

Both corrections only forgive. Where the system has no /proc/stat, nothing counts as taken by others.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STAT = Path("/proc/stat")
PR_SET_CHILD_SUBREAPER = 36
PAUSE = 10.0
"""Seconds between two samples of the machine's speed."""
LOOP = 100_000
"""Turns of the loop that is sampled: a few milliseconds."""
PATIENCE = 5.0
"""Seconds to wait for processes that a command left behind, such as a Java that ends after its program."""


@dataclass(frozen=True)
class Use:
    """What one command took, in seconds."""

    code: int
    wall: float
    cpu: float
    others: float
    """CPU seconds of others: steal, and processes that are not the command's."""
    slowness: float
    cores: int

    @property
    def quiet(self) -> float:
        """How long it would have taken on a quiet machine of the reference speed.

        >>> Use(code=0, wall=100.0, cpu=120.0, others=40.0, slowness=1.25, cores=2).quiet
        64.0
        """
        return max(self.wall - self.others / self.cores, 0.0) / max(self.slowness, 1.0)


def measured(command: list[str], reference: float) -> Use:
    """Run a command, and return what it took; `reference` is what `loop_seconds` returns on the reference machine."""
    adopt_orphans()
    started, machine, own = time.monotonic(), machine_seconds(), own_seconds()
    with sampled_speed() as samples:
        code = run_and_reap(command)
    wall = time.monotonic() - started
    reap_orphans()
    cpu = own_seconds() - own
    busy, steal = (now - before for now, before in zip(machine_seconds(), machine, strict=True))
    others = steal + max(busy - cpu, 0.0)
    return Use(code, wall, cpu, others, fmean(samples) / reference, os.cpu_count() or 1)


def machine_seconds() -> tuple[float, float]:
    """Return the CPU seconds of all processes since the machine started, and its CPU steal."""
    if not STAT.exists():
        return 0.0, 0.0
    user, nice, system, _idle, _iowait, irq, softirq, steal, *_ = (
        int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in STAT.read_text().split("\n", 1)[0].split()[1:]
    )
    return user + nice + system + irq + softirq, steal


def own_seconds() -> float:
    """Return the CPU seconds of this process and of all that ended below it."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def adopt_orphans() -> None:
    """Let processes whose parent ended become children of this one, so that their CPU time is known (on Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run_and_reap(command: list[str]) -> int:
    """Run a command, and return its exit code; meanwhile collect adopted processes as soon as they end.

    A process that nobody collects still has its number, so that whoever waits for its end would wait for ever.
    """
    process = subprocess.Popen(command)  # noqa: S603 - the caller's command
    try:
        while True:
            pid, status = os.wait()
            if pid == process.pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode
    except BaseException:
        process.kill()
        raise


def reap_orphans() -> None:
    """Collect adopted processes that have ended, or end soon, after the command."""
    end = time.monotonic() + PATIENCE
    with suppress(ChildProcessError):  # raised when no child is left
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.05)


@contextmanager
def sampled_speed() -> Iterator[list[float]]:
    """Sample the speed of the machine in the background; the list holds the CPU time of each loop."""
    samples = [loop_seconds()]
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(PAUSE):
            samples.append(loop_seconds())

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()


def loop_seconds() -> float:
    """Return the CPU time of a fixed loop."""
    started, total = time.thread_time(), 0
    for number in range(LOOP):
        total += number % 7
    return time.thread_time() - started
