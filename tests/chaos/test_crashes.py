"""kill -9 on Spark, for real: of a Python worker, of an executor, of the driver; each at every named crash point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest
from tests.chaos.self_checking import check, written
from tests.chaos.standalone import standalone_cluster
from tests.connectors.postgres.conftest import start
from tests.waiting import PATIENCE

from flott.runtime import crash_points

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]

ROOT = Path(__file__).parent.parent.parent
PROGRAM = Path(__file__).with_name("crash_job.py")


@pytest.fixture
def dsn():
    server = start("max_prepared_transactions = 500\nfsync = off\n")
    uri = server.get_uri()
    with psycopg.connect(uri) as connection:
        connection.execute("CREATE TABLE lines (line text)")
    yield uri
    server.cleanup()


def run(master, directory, who, dsn):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PYSPARK_PYTHON": sys.executable}
    with (directory / "log").open("a") as log:
        process = subprocess.run(
            [sys.executable, str(PROGRAM), master, str(directory), who, dsn],
            env=environment, stdout=log, stderr=log, timeout=PATIENCE, check=False,
        )  # fmt: skip
    return process.returncode


def verify(directory, dsn):
    died = {path.name for path in (directory / "deaths").iterdir()}
    assert died == set(crash_points.POINTS)
    lines = written(directory / "out")
    records = sum(1 for line in lines if line.startswith("record"))
    assert records > 10_000
    check(lines, records)
    with psycopg.connect(dsn) as connection:
        rows = [line for (line,) in connection.execute("SELECT line FROM lines")]
        assert connection.execute("SELECT gid FROM pg_prepared_xacts").fetchall() == []
    assert sorted(rows) == sorted(lines)
    assert not (directory / "out" / ".staging").exists()
    assert list((directory / "checkpoints").rglob("*")) == []


def test_workers(tmp_path, dsn):
    assert run("local[2]", tmp_path, "worker", dsn) == 0, (tmp_path / "log").read_text()[-5_000:]
    verify(tmp_path, dsn)


def test_executors(tmp_path, dsn):
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        assert run(master, tmp_path, "executor", dsn) == 0, (tmp_path / "log").read_text()[-5_000:]
    verify(tmp_path, dsn)


def test_drivers(tmp_path, dsn):
    killed = 0
    while (code := run("local[2]", tmp_path, "driver", dsn)) == -signal.SIGKILL:
        killed += 1
        wait_for_orphans(tmp_path)
    assert code == 0, (tmp_path / "log").read_text()[-5_000:]
    # A worker may pass the next point before the driver that it killed is gone.
    assert len(crash_points.POINTS) // 2 <= killed <= len(crash_points.POINTS)
    verify(tmp_path, dsn)


def wait_for_orphans(directory):
    """Wait until the Java and Python processes of a dead driver have noticed, so that the machine is free again."""
    left = [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(directory) in " ".join(process.info["cmdline"] or ())
    ]
    psutil.wait_procs(left, timeout=PATIENCE)
