"""Ends the Java process that a start of Spark leaves behind when it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PROCESSES = Path("/proc")


@contextmanager
def ended_on_failure() -> Iterator[None]:
    """End the processes that were started inside, if the block raises (Ctrl-C included).

    PySpark starts Java so that it ignores Ctrl-C, and forgets it when it is interrupted itself.
    """
    before = child_processes()
    try:
        yield
    except BaseException:
        for process in child_processes() - before:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(process, 0)
        raise


def child_processes() -> set[int]:
    """Return the ids of this process's children."""
    if not PROCESSES.is_dir():
        listed = subprocess.run(  # noqa: S603
            ["/usr/bin/pgrep", "-P", str(os.getpid())], capture_output=True, text=True, check=False
        )
        return {int(line) for line in listed.stdout.split()}
    own = os.getpid()
    found = set()
    for entry in PROCESSES.iterdir():
        if entry.name.isdigit() and parent_of(entry) == own:
            found.add(int(entry.name))
    return found


def parent_of(entry: Path) -> int | None:
    """Return the parent of a process; None if it has just ended."""
    try:
        # The second field is the command in brackets, which may hold anything.
        _, _, rest = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
        return int(rest.split()[1])
    except OSError:
        return None
