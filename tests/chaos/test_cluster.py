"""A job on a standalone cluster, which loses an executor and a machine and is rescaled; `make cluster-test`."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from tests.chaos.self_checking import check, written
from tests.chaos.standalone import standalone_cluster
from tests.operating import Flott, ask, wait_until

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]

RECORDS = 20_000


@pytest.fixture
def flott(tmp_path):
    commands = Flott(tmp_path)
    yield commands
    commands.kill_all()


def processes(directory, name):
    """Return the Java processes of the cluster in a directory that run a class of that name."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = " ".join(process.info["cmdline"] or ())
        if name in words and str(directory) in words:
            found.append(process)
    return found


def completed(job):
    return ask(job, "/checkpoints")["counts"]["completed"]


def test_a_job_that_loses_an_executor_and_a_machine_and_is_rescaled_is_exact(flott, tmp_path):
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        settings = {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "flott.state.dir": tmp_path / "stores",
        }
        job = flott.start("-p", "2", "--master", master, records=RECORDS, rate=200, **settings)
        wait_until(lambda: completed(job) >= 2)
        executor, *_ = processes(tmp_path / "cluster", "CoarseGrainedExecutorBackend")
        executor.kill()
        before = completed(job)
        wait_until(lambda: completed(job) >= before + 2)
        worker = processes(tmp_path / "cluster", "worker.Worker")[0]
        for child in (*worker.children(recursive=True), worker):
            child.kill()
        before = completed(job)
        wait_until(lambda: completed(job) >= before + 2)
        [stopped] = flott("stop", "operated")
        again = flott.start(
            "-p", "3", "-s", stopped["savepoint"], "--master", master, records=RECORDS, rate=0, **settings
        )  # fmt: skip
        over = flott.wait_until_over(again)
        assert (over["status"], over["error"]) == ("FINISHED", None), Path(again["log"]).read_text()[-5_000:]
    check(written(tmp_path / "out"), RECORDS, rescaled=True)
