"""A job on a standalone cluster, which loses an executor and a machine and is rescaled; `make cluster-test`."""

from __future__ import annotations

import contextlib

import psutil
import pytest
from tests.chaos.standalone import standalone_cluster
from tests.operating import Flott, goes_on

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]


@pytest.fixture
def flott(tmp_path):
    commands = Flott(tmp_path)
    yield commands
    commands.kill_all()


def processes(directory, name):
    """Return the Java processes of the cluster in a directory that run a class of that name."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = " ".join(process.cmdline())
            # Executors do not say where they belong, but work there.
            if f"{name} " in f"{words} " and str(directory) in f"{words} {process.cwd()}":
                found.append(process)
    return found


def test_a_job_that_loses_an_executor_and_a_machine_and_is_rescaled_is_exact(flott, tmp_path):
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        settings = {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "flott.state.dir": str(tmp_path / "stores"),
        }
        job = flott.start("-p", "2", "--master", master, **settings)
        goes_on(job)
        executor, *_ = processes(tmp_path / "cluster", "CoarseGrainedExecutorBackend")
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
