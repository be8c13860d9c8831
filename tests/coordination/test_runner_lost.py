"""What runs the epochs is gone for good, as Spark is whose Java was killed: the driver ends, and the next resumes."""

from __future__ import annotations

import pytest
from tests.failing_jobs import environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE

from flott.common import JobStatus
from flott.coordination.job_master import JobMaster
from flott.errors import RunnerLostError
from flott.testing.cluster import InProcessRunner

NUMBERS = sorted(str(number) for number in range(1, 20_001))


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)


@pytest.fixture
def lost(monkeypatch):
    """Let the runner be lost as soon as a checkpoint is complete."""
    run, masters = InProcessRunner.run, []
    init = JobMaster.__init__

    def remembered(master, *arguments, **settings):
        masters.append(master)
        init(master, *arguments, **settings)

    def run_or_fail(runner, order):
        if masters[0].checkpoints.latest is not None:
            raise RunnerLostError("Java has ended")
        return run(runner, order)

    with monkeypatch.context() as patch:
        patch.setattr("flott.coordination.sizing.LARGEST_STEP", 1.0)
        patch.setattr(JobMaster, "__init__", remembered)
        patch.setattr(InProcessRunner, "run", run_or_fail)
        yield patch


def job(tmp_path, **options):
    env = environment(tmp_path / "checkpoints", **options)
    env.from_sequence(1, 20_000).sink_to(text_sink(tmp_path / "out"))
    return env


@pytest.mark.parametrize("retention", ["NO_EXTERNALIZED_CHECKPOINTS", "DELETE_ON_CANCELLATION"])
def test_the_job_ends_at_once_and_its_checkpoints_stay(tmp_path, lost, retention):
    option = {"execution.checkpointing.externalized-checkpoint-retention": retention}
    first = job(tmp_path, **option).execute_async("lost")
    with pytest.raises(RunnerLostError, match="Java has ended"):
        first.get_job_execution_result().result(PATIENCE)
    assert first.get_job_status().result() is JobStatus.FAILED
    # No restart strategy was asked: ten restarts were allowed.
    assert first.master.progress.restarts == 0
    assert first.master.checkpoints.statistics.completed > 0
    lost.undo()
    second = job(tmp_path, **option).execute_async("lost")
    second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() == first.get_job_id()
    assert second.master.checkpoints.statistics.restored == 1
    assert lines(tmp_path / "out") == NUMBERS
