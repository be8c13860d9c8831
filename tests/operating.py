"""What tests need that drive a job in another process through the command line and through REST."""

from __future__ import annotations

import json
import operator
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import psutil
from tests.chaos.self_checking import check, written
from tests.waiting import PATIENCE, at_least, wait_until

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "tests" / "self_checking_program.py"


class Flott:
    """Runs commands, each in a process of its own, with a registry of jobs for this test alone."""

    def __init__(self, directory, program=PROGRAM):
        self.directory = directory
        self.program = program
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PYSPARK_PYTHON": sys.executable,
            "FLOTT_REGISTRY_DIR": str(directory / "registry" / "jobs"),
        }

    def __call__(self, *arguments):
        """Run a command that must end well; gives the lines of JSON that it says."""
        command = [sys.executable, "-m", "flott.cli.main", arguments[0], "--json", *arguments[1:]]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self, *options, **settings):
        """Start the program's job in the background."""
        told = {
            "rest.port": "0",
            "execution.checkpointing.interval": "300 ms",
            "execution.checkpointing.dir": str(self.directory / "checkpoints"),
            "execution.checkpointing.savepoint-dir": str(self.directory / "savepoints"),
            **settings,
        }
        words = [word for key, value in told.items() for word in ("-D", f"{key}={value}")]
        [job] = self("run", "-d", *words, *options, str(self.program), str(self.directory / "out"))
        return job

    def stop(self, *options):
        """End the job with a savepoint, and return that when its process is gone."""
        [job] = self("list")
        [stopped] = self("stop", job["jid"], *options)
        assert stopped["status"] == "FINISHED"
        wait_until("the end of the driver", lambda: alive(job["pid"]), operator.not_)
        return stopped["savepoint"]

    def check(self):
        """Check that every record counted exactly once in what the job, drained, has left."""
        lines = written(self.directory / "out")
        check(lines, sum(1 for line in lines if line.startswith("record")), rescaled=True)

    def kill_all(self):
        """End the drivers that a failed test left."""
        for job in self("list", "--running"):
            os.kill(job["pid"], signal.SIGKILL)


def ask(job, path, body=None):
    """Ask the REST server of a job about it."""
    headers = {"Authorization": f"Bearer {Path(job['token-file']).read_text()}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{job['rest']}/jobs/{job['jid']}{path}", data, headers)  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        return json.loads(answer.read())


def goes_on(job, checkpoints=2):
    """Wait until a job has completed some more checkpoints."""

    def completed():
        return ask(job, "/checkpoints")["counts"]["completed"]

    before = completed()
    wait_until("more checkpoints", completed, at_least(before + checkpoints))


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
