"""kill -9 of the driver in the middle of a query: the files hold the same rows as after a run without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.chaos.self_checking import written
from tests.chaos.test_crashes import wait_for_orphans

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]

ROOT = Path(__file__).parent.parent.parent
PROGRAM = Path(__file__).with_name("crash_query.py")
POINTS = ("epoch.accepted", "metadata.after", "commit.before", "commit.after")
"""In the driver: an epoch counts but no checkpoint holds it; one does, but its files are not shown; some are."""


def run(target, directory, query, *points):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PYSPARK_PYTHON": sys.executable}
    with (directory / "log").open("a") as log:
        process = subprocess.run(
            [sys.executable, str(PROGRAM), target, str(directory), query, *points],
            env=environment, stdout=log, stderr=log, timeout=600, check=False,
        )  # fmt: skip
    return process.returncode


def final_rows(directory):
    """The rows that all changes together leave, whatever order the files are read in."""
    rows = Counter()
    for line in written(directory / "out"):
        kind, *row = json.loads(line)
        rows[json.dumps(row)] += 1 if kind in {"+I", "+U"} else -1
    assert all(count >= 0 for count in rows.values()), "a change is missing, or came twice"
    return +rows


@pytest.mark.parametrize("query", ["q4", "q5", "q20"])
def test_drivers(tmp_path, query):
    clean, killed = tmp_path / "clean", tmp_path / "killed"
    clean.mkdir()
    killed.mkdir()
    assert run("in-process", clean, query) == 0, (clean / "log").read_text()[-5_000:]
    wanted = final_rows(clean)
    assert len(wanted) > 3
    deaths = 0
    while (code := run("spark", killed, query, *POINTS)) == -signal.SIGKILL:
        deaths += 1
        wait_for_orphans(killed)
    assert code == 0, (killed / "log").read_text()[-5_000:]
    assert deaths == len(POINTS)
    assert final_rows(killed) == wanted
