"""The table of docs/checkpoints.md, cell by cell, with real processes: what a start does by what became of the driver.

Owner alive, dead or paused; checkpoints on a local disk or on an S3 server; `flott run`, `flott run -d`, a supervisor.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.failing_jobs import lines
from tests.object_stores import REGION, s3_bucket, s3_server  # noqa: F401 - fixtures
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.chaos

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("starting_program.py")
COUNT = 3_000
SLOW, FAST = 10, 100_000
LEASES = {"alive": "60 s", "dead": "8 s", "paused": "8 s"}


class Starts:
    """Starts the program, in one way or another."""

    def __init__(self, directory, checkpoints, lease):
        self.directory = directory
        self.out = directory / "out"
        settings = {
            "flott.execution.target": "in-process",
            "execution.checkpointing.interval": "50 ms",
            "execution.checkpointing.dir": checkpoints,
            "flott.driver.lease": lease,
        }
        self.words = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "FLOTT_REGISTRY_DIR": str(directory / "registry" / "jobs"),
        }

    def begin(self, rate, *options):
        """Start it, with what it prints in a file."""
        command = [sys.executable, "-m", "flott.cli.main", "run", *options, *self.words, str(PROGRAM)]
        with (self.directory / "log").open("ab") as log:
            return subprocess.Popen(
                [*command, str(self.out), str(COUNT), str(rate)], env=self.environment, stdout=log, stderr=log
            )

    def __call__(self, way):
        """Start it in some way, once; return the exit code."""
        options = ["-d", "-D", "rest.port=0"] if way == "run -d" else []
        return self.begin(FAST, *options).wait(PATIENCE)

    def printed(self):
        """What was printed by all starts; a detached job prints into a log of its own."""
        logs = [self.directory / "log", *(self.directory / "registry" / "logs").glob("*.log")]
        return "".join(log.read_text() for log in logs)


@pytest.mark.parametrize("way", ["run", "run -d", "supervisor"])
@pytest.mark.parametrize("store", ["local", "s3"])
@pytest.mark.parametrize("owner", ["alive", "dead", "paused"])
def test_a_start(owner, store, way, tmp_path, request):
    checkpoints = str(tmp_path / "checkpoints")
    if store == "s3":
        checkpoints = f"{request.getfixturevalue('s3_bucket')}/checkpoints"
    starts = Starts(tmp_path, checkpoints, LEASES[owner])
    first = starts.begin(SLOW)
    wait_until("committed output", lambda: lines(starts.out))
    if owner != "alive":
        first.send_signal(signal.SIGKILL if owner == "dead" else signal.SIGSTOP)
    if owner == "dead":
        first.wait(PATIENCE)
    refused = owner == "alive" or (owner, store) == ("paused", "local")
    code = starts(way)
    if refused:
        assert code == 1
        assert "has a driver already" in starts.printed()
        assert f"process {first.pid} on" in starts.printed()
        # As the message says: kill it, and start again. A supervisor does so by itself.
        first.kill()
        first.wait(PATIENCE)
        code = starts(way)
    assert code == 0
    wait_until("the job's end", lambda: len(lines(starts.out)), lambda shown: shown >= COUNT)
    if owner == "paused" and not refused:
        first.send_signal(signal.SIGCONT)
        assert first.wait(PATIENCE) == 1
        assert "was taken over by another driver" in starts.printed()
    if store == "s3" and not refused:
        # Where the one who starts it sees it, with -d too.
        assert "taking the job over in" in (tmp_path / "log").read_text()
    assert sorted(lines(starts.out), key=int) == [str(number) for number in range(COUNT)]
