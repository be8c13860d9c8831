"""Finding and killing processes below another one; needs no Spark."""

from __future__ import annotations

import os
import subprocess
import sys

from flott.spark.worker_processes import descendants, kill_workers, processes

# A daemon that makes a worker, which tells its process id and then waits for ever.
WORKER = "import os, signal; print(os.getpid(), flush=True); signal.pause()"
DAEMON = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {WORKER!r}]).returncode)"


def test_workers_are_killed_and_the_daemon_that_makes_them_is_not():
    with subprocess.Popen([sys.executable, "-c", DAEMON], stdout=subprocess.PIPE, text=True) as daemon:
        worker = int(daemon.stdout.readline())
        below = descendants(os.getpid(), processes())
        assert worker in below
        assert daemon.pid not in below
        assert kill_workers(os.getpid()) >= 1
        # The daemon lived to say how its worker ended.
        assert daemon.wait() == 256 - 9
