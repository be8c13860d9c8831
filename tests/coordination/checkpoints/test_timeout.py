"""The timeout of a checkpoint counts from the start of its epoch, within the epoch too."""

from __future__ import annotations

import pytest
from tests.failing_jobs import environment, small_epochs
from tests.waiting import PATIENCE

from flott.datastream import MapFunction
from flott.errors import JobExecutionError
from flott.testing.cluster import submit


class Time:
    """Time that passes only where a test says so."""

    millis = 0

    def __call__(self):
        return Time.millis / 1000


class Takes(MapFunction):
    """Takes some time for each record."""

    def __init__(self, millis):
        self.millis = millis

    def map(self, value):
        Time.millis += self.millis
        return value


@pytest.fixture(autouse=True)
def time(monkeypatch):
    small_epochs(monkeypatch)
    Time.millis = 0


def run(millis):
    settings = {"execution.checkpointing.timeout": "60 ms", "execution.checkpointing.interval": "1 h"}
    env = environment(parallelism=1, **settings, **{"restart-strategy.type": "none"})
    # One epoch, with the last checkpoint.
    env.from_sequence(1, 40).map(Takes(millis)).filter(lambda _: False).print()
    client = submit(env.program("slow"), env.get_configuration(), stopwatch=Time())
    return client.master.checkpoints.statistics, client.get_job_execution_result()


def test_an_epoch_that_outlasts_the_timeout_ends_without_its_checkpoint():
    statistics, result = run(millis=2)
    with pytest.raises(JobExecutionError, match="its epoch took longer than 60 ms"):
        result.result(PATIENCE)
    assert (statistics.completed, statistics.failed) == (0, 1)


def test_an_epoch_within_the_timeout_ends_with_its_checkpoint():
    statistics, result = run(millis=1)
    result.result(PATIENCE)
    assert (statistics.completed, statistics.failed) == (1, 0)
