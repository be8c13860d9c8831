"""kill -9 of the Java in which an embedded Spark runs: the driver ends with 75, and the next start resumes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.failing_jobs import lines
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.chaos

COUNT = 6_000
JOB = Path(__file__).with_name("java_job.py")


def start(directory):
    command = [sys.executable, "-m", "flott.cli.main", "run", "-q", str(JOB), str(directory), str(COUNT)]
    return subprocess.Popen(command, stderr=(directory / "log").open("wb"))


def java_of(driver):
    """Return the process id of a driver's Java, if it has one."""
    for place in Path("/proc").iterdir():
        try:
            parent = (place / "stat").read_text().rpartition(")")[2].split()[1]
            name = (place / "comm").read_text().strip()
        except (OSError, IndexError):
            continue
        if parent == str(driver.pid) and name == "java":
            return int(place.name)
    return None


def test_the_driver_ends_with_75_and_the_next_start_resumes(tmp_path):
    driver = start(tmp_path)
    wait_until("committed output", lambda: len(lines(tmp_path / "out")) > 300)
    os.kill(java_of(driver), signal.SIGKILL)
    assert driver.wait(PATIENCE) == 75
    said = (tmp_path / "log").read_text()
    assert "Java, in which Spark runs, has ended (signal 9)" in said
    assert "Start the program again: it resumes from its last checkpoint" in said
    assert list((tmp_path / "checkpoints").rglob("_metadata"))
    assert start(tmp_path).wait(PATIENCE) == 0
    assert lines(tmp_path / "out") == sorted(str(number) for number in range(COUNT))
