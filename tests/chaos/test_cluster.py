"""A job on a standalone cluster, which loses an executor and a machine and is rescaled; `make cluster-test`."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.chaos.standalone import processes, standalone_cluster
from tests.operating import ROOT, Flott, goes_on
from tests.waiting import at_least, wait_until

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]


EXECUTOR = "CoarseGrainedExecutorBackend"
SMALL = {"spark.executor.memory": "512m", "spark.executor.cores": "1"}


@pytest.fixture
def flott(tmp_path):
    commands = Flott(tmp_path)
    yield commands
    commands.kill_all()


def test_a_job_that_loses_an_executor_and_a_machine_and_is_rescaled_is_exact(flott, tmp_path):
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        settings = {**SMALL, "flott.state.dir": str(tmp_path / "stores"), "flott.state.locality": "true"}
        job = flott.start("-p", "2", "--master", master, **settings)
        goes_on(job)
        executor, *_ = processes(tmp_path / "cluster", EXECUTOR)
        executor.kill()
        goes_on(job)
        worker = processes(tmp_path / "cluster", "worker.Worker")[0]
        for child in (*worker.children(recursive=True), worker):
            child.kill()
        goes_on(job)
        savepoint = flott.stop()
        again = flott.start("-p", "3", "-s", savepoint, "--master", master, **settings)
        goes_on(again)
        flott.stop("--drain")
    flott.check()


def staying(out, epochs):
    """Wait for some more epochs; return the share of subtasks that ran where they ran in the epoch before."""

    def told():
        lines = out.read_text().splitlines(keepends=True) if out.exists() else []
        return [json.loads(line)["places"] for line in lines if line.endswith("\n")]

    before = len(told())
    wait_until(f"{epochs} more epochs", lambda: len(told()), at_least(before + epochs + 1))
    places = told()[before:]
    stayed = [earlier[task] == later[task] for earlier, later in pairwise(places) for task in earlier.keys() & later]
    return sum(stayed) / len(stayed)


def test_subtasks_stay_where_their_stores_are_and_what_they_print_reaches_the_driver(flott, tmp_path):
    flott.program = ROOT / "tests" / "chaos" / "places_program.py"
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        # Not an absolute path: so each executor has stores of its own, as if it had a disk of its own.
        settings = {**SMALL, "flott.state.dir": "stores", "flott.state.locality": "true"}
        job = flott.start("-p", "2", "--master", master, **settings)
        wait_until("two executors", lambda: processes(tmp_path / "cluster", EXECUTOR), lambda found: len(found) == 2)
        staying(tmp_path / "out", epochs=20)
        # By chance it would be half of them.
        assert staying(tmp_path / "out", epochs=50) > 0.8
        executor, other = processes(tmp_path / "cluster", EXECUTOR)
        executor.kill()
        wait_until("two executors", lambda: processes(tmp_path / "cluster", EXECUTOR), lambda found: len(found) == 2)
        staying(tmp_path / "out", epochs=20)
        assert staying(tmp_path / "out", epochs=50) > 0.8
        assert other.is_running()
        flott("cancel", job["jid"])
    printed = re.findall(r"^count.* \(([12])/2\)> first of (\d+)$", Path(job["log"]).read_text(), re.MULTILINE)
    assert {int(key) for _, key in printed} == set(range(100))
    assert {subtask for subtask, _ in printed} == {"1", "2"}
