"""A checkpoint directory that is full or read-only: no checkpoint, but the job goes on, and nothing is lost later."""

from __future__ import annotations

import errno
import subprocess

import pytest
from tests.chaos.self_checking import build, check, written
from tests.waiting import PATIENCE, at_least, wait_for_checkpoints, wait_until

from flott.common import Configuration, JobStatus
from flott.datastream import StreamExecutionEnvironment
from flott.errors import JobExecutionError

pytestmark = [pytest.mark.chaos, pytest.mark.job]


def system(*command):
    return subprocess.run(command, capture_output=True, check=False)


@pytest.fixture
def small_disk(tmp_path):
    """A real file system with little room; needs the right to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = system("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place))
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    yield place
    system("umount", "-l", str(place))


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 50)


def start(place, out, tolerable):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    for key, value in {
        "execution.checkpointing.interval": "20 ms",
        "execution.checkpointing.dir": str(place / "checkpoints"),
        "execution.checkpointing.savepoint-dir": str(out.parent / "savepoints"),
        "execution.checkpointing.tolerable-failed-checkpoints": tolerable,
        "restart-strategy.type": "none",
    }.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    build(env, out, None, rate=20_000)
    return env.execute_async("small disk")


def fill(place):
    with (place / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017 - it must happen, and does


def make_read_only(place):
    # Not while a file is being written: the system says that it is busy.
    wait_until(
        "a read-only disk", lambda: system("mount", "-o", "remount,ro", str(place)), lambda ran: ran.returncode == 0
    )


def make_room(place):
    assert system("mount", "-o", "remount,rw", str(place)).returncode == 0
    (place / "ballast").unlink(missing_ok=True)


@pytest.mark.parametrize("trouble", [fill, make_read_only])
def test_the_job_goes_on_without_checkpoints_and_takes_them_again_later(small_disk, tmp_path, caplog, trouble):
    client = start(small_disk, tmp_path / "out", "1000000")
    statistics = client.master.checkpoints.statistics
    wait_for_checkpoints(client, 3)
    trouble(small_disk)
    before = statistics.failed
    wait_until("three failed checkpoints", lambda: statistics.failed, at_least(before + 3))
    reached = client.master.history[-1].epoch
    wait_until("more epochs", lambda: client.master.history[-1].epoch, at_least(reached + 4))
    assert client.get_job_status().result() is JobStatus.RUNNING
    make_room(small_disk)
    completed = statistics.completed
    wait_for_checkpoints(client, completed + 3)
    client.stop_with_savepoint(True).result(PATIENCE)
    lines = written(tmp_path / "out")
    check(lines, sum(1 for line in lines if line.startswith("record")))
    assert any("could not be written" in record.getMessage() for record in caplog.records)


def test_beyond_the_tolerable_failures_the_job_fails_with_the_reason(small_disk, tmp_path):
    client = start(small_disk, tmp_path / "out", "2")
    wait_for_checkpoints(client, 2)
    make_read_only(small_disk)
    with pytest.raises(JobExecutionError, match=r"3 in a row, 2 are tolerated") as failure:
        client.get_job_execution_result().result(PATIENCE)
    assert "Read-only file system" in str(failure.value)
    make_room(small_disk)
