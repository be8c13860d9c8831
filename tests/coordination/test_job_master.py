"""The driver's loop over a runner that goes wrong on purpose."""

from __future__ import annotations

import logging
from itertools import count

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration, JobStatus
from flott.common.machine_clock import MachineClock
from flott.coordination.launch import launch
from flott.datastream import StreamExecutionEnvironment
from flott.errors import EpochFailedError, JobExecutionError
from flott.testing.cluster import InProcessRunner


class Unlucky(InProcessRunner):
    """Runs every epoch; then says that some attempts could not be completed, or gives altered reports."""

    def __init__(self, plan, clock, trouble):
        super().__init__(plan, clock)
        self.trouble = trouble
        self.runs = 0

    def run(self, order):
        reports = super().run(order)
        self.runs += 1
        what = self.trouble.get(self.runs)
        if what == "lost":
            raise EpochFailedError("an executor was lost")
        if what == "recomputed":
            reader = next(report for report in reports if report.consumed)
            reader.consumed[next(iter(reader.consumed))] = "another attempt"
        return reports


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 500)


def run(trouble, *, numbers=10_000):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    received = []
    stream = env.from_sequence(1, numbers).map(lambda n: (n % 10, 1)).key_by(lambda pair: pair[0]).sum(1)
    stream.filter(lambda pair: pair[1] == numbers // 10).print()
    program = env.program("unlucky")
    for step in program.transformations:
        if step.is_sink:
            step.operator.receive = lambda subtask, parallelism, values: received.extend(values)
    runners = []

    def make(_, plan, checkpoints):
        runners.append(Unlucky(plan, MachineClock(), trouble))
        return runners[0]

    client = launch(program, Configuration(), MachineClock(), make)
    return client, received, runners[0]


@pytest.mark.parametrize("what", ["lost", "recomputed"])
def test_an_epoch_that_failed_runs_again_from_the_version_before(what, caplog):
    with caplog.at_level(logging.WARNING, logger="flott"):
        client, received, runner = run({1: what, 3: what, 4: what})
        client.get_job_execution_result().result(PATIENCE)
    assert sorted(received) == [(key, 1_000) for key in range(10)]
    assert runner.runs == client.master.history[-1].epoch + 3
    assert client.get_job_status().result() is JobStatus.FINISHED
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3
    assert all("it runs again from version" in line for line in lines)


def test_an_epoch_that_fails_for_good_fails_the_job():
    client, received, runner = run({2: "lost", 3: "lost", 4: "lost"})
    with pytest.raises(JobExecutionError, match="epoch 2 failed 3 times, last: an executor was lost"):
        client.get_job_execution_result().result(PATIENCE)
    assert runner.runs == 4
    assert received == []
    assert client.get_job_status().result() is JobStatus.FAILED


def test_intervals_and_durations_are_those_of_the_stopwatch_that_is_handed_in(tmp_path):
    """An hour passes whenever somebody looks: a checkpoint is due with every epoch, and the job takes days."""
    hours = count()
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.interval", "30 min")
    configuration.set_string("execution.checkpointing.timeout", "1000 d")
    configuration.set_string("execution.checkpointing.dir", str(tmp_path))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.from_sequence(1, 5_000).map(lambda n: n).print()
    clock = MachineClock()

    def runner(_, plan, storage):
        return InProcessRunner(plan, clock, storage)

    client = launch(env.program(), configuration, clock, runner, stopwatch=lambda: 3_600.0 * next(hours))
    result = client.get_job_execution_result().result(PATIENCE)
    master = client.master
    assert master.checkpoints.statistics.completed == master.history[-1].epoch >= 2
    assert result.get_net_runtime() % 3_600_000 == 0 < result.get_net_runtime()
    assert all(epoch.times.run >= 3_600 for epoch in master.history)


def test_the_most_impatient_operator_sets_the_latency_target():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_buffer_timeout(-1)
    doubled = env.from_sequence(1, 10).map(lambda n: 2 * n)
    doubled.print()
    clock = MachineClock()

    def target():
        client = launch(env.program(), Configuration(), clock, lambda _, plan, __: InProcessRunner(plan, clock))
        client.get_job_execution_result().result(PATIENCE)
        return client.master.settings.buffer_timeout

    assert target() == 2_000  # full epochs
    doubled.set_buffer_timeout(20)
    assert target() == 20
