"""The Python workers of an embedded Spark, as processes of this machine: some ignore that their task is over."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def kill_workers(java: int) -> int:
    """Kill the Python workers of a Java process; return how many there were.

    Workers of other jobs on the same Spark are among them: Spark runs their tasks again within the epoch.
    """
    workers = descendants(java, processes())
    for worker in workers:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    return len(workers)


def descendants(root: int, known: Iterable[tuple[int, int]]) -> list[int]:
    """Return the processes below the children of a process: workers, that is, and not the daemon that makes them.

    >>> descendants(1, [(2, 1), (3, 2), (4, 2), (5, 4), (6, 9)])
    [3, 4, 5]
    """
    children: dict[int, list[int]] = {}
    for process, parent in known:
        children.setdefault(parent, []).append(process)
    found, level = [], [process for daemon in children.get(root, ()) for process in children.get(daemon, ())]
    while level:
        found += level
        level = [process for parent in level for process in children.get(parent, ())]
    return sorted(found)


def processes() -> list[tuple[int, int]]:
    """Return the processes of this machine, each with its parent."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)  # noqa: S607
    return [(int(process), int(parent)) for process, parent in map(str.split, listed.stdout.splitlines())]
