"""The checkpoint that a bounded job ends with: without it, what sinks wrote since the one before would be lost."""

from __future__ import annotations

import pytest
from tests.failing_jobs import environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE

from flott.common import JobStatus
from flott.coordination.checkpoints.coordinator import CheckpointCoordinator
from flott.coordination.checkpoints.requests import SavepointRequest
from flott.coordination.checkpoints.storage import DirectoryCheckpointStorage
from flott.errors import JobExecutionError

ONLY_THE_LAST = {
    "execution.checkpointing.interval": "1 h",
    "execution.checkpointing.tolerable-failed-checkpoints": "1000",
}
NUMBERS = sorted(str(number) for number in range(1, 1_001))


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)


@pytest.fixture
def broken(monkeypatch):
    """Let the next writes of metadata fail; returns the list of those still to fail."""
    failures = []
    write = DirectoryCheckpointStorage.write

    def fail(storage, metadata):
        if failures:
            raise failures.pop()
        return write(storage, metadata)

    monkeypatch.setattr(DirectoryCheckpointStorage, "write", fail)
    return failures


def job(tmp_path, **options):
    env = environment(tmp_path / "checkpoints", **ONLY_THE_LAST, **options)
    env.from_sequence(1, 1_000).sink_to(text_sink(tmp_path / "out"))
    return env


def test_a_last_checkpoint_that_fails_fails_the_job_whatever_is_tolerated(tmp_path, broken):
    broken.append(OSError("read-only file system"))
    env = job(tmp_path, **{"restart-strategy.type": "none"})
    with pytest.raises(JobExecutionError, match=r"checkpoint 1, the job's last, failed: .*read-only file system"):
        env.execute("last")
    assert lines(tmp_path / "out") == []


def test_a_job_restarts_until_its_last_checkpoint_is_complete(tmp_path, broken):
    broken.extend(OSError("read-only file system") for _ in range(3))
    client = job(tmp_path).execute_async("last")
    client.get_job_execution_result().result(PATIENCE)
    assert len(client.master.failures) == 3
    assert lines(tmp_path / "out") == NUMBERS


def asked_for_at_the_end(monkeypatch, request):
    """Let somebody ask for a savepoint just before the last checkpoint, which is the only one, begins."""
    begin = CheckpointCoordinator.begin

    def asked(coordinator, *arguments):
        if not request.promise.done():
            coordinator.requests.ask(request)
        return begin(coordinator, *arguments)

    monkeypatch.setattr(CheckpointCoordinator, "begin", asked)
    return request


@pytest.mark.parametrize("stop", [False, True])
def test_a_savepoint_with_the_last_epoch_does_not_take_the_place_of_the_last_checkpoint(tmp_path, monkeypatch, stop):
    request = asked_for_at_the_end(monkeypatch, SavepointRequest(str(tmp_path / "savepoints"), stop=stop))
    client = job(tmp_path).execute_async("last")
    client.get_job_execution_result().result(PATIENCE)
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert request.promise.result(0).startswith(str(tmp_path / "savepoints"))
    assert lines(tmp_path / "out") == NUMBERS


def test_a_savepoint_to_stop_with_that_fails_leaves_the_last_checkpoint_to_be_taken(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("no room")

    monkeypatch.setattr("flott.coordination.checkpoints.coordinator.write_savepoint_metadata", fail)
    request = asked_for_at_the_end(monkeypatch, SavepointRequest(str(tmp_path / "savepoints"), stop=True))
    client = job(tmp_path).execute_async("last")
    client.get_job_execution_result().result(PATIENCE)
    assert "no room" in str(request.promise.exception())
    assert lines(tmp_path / "out") == NUMBERS
