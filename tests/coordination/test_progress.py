"""What can be known about a job while it runs, and after."""

from __future__ import annotations

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration, JobStatus
from flott.common.machine_clock import MachineClock
from flott.coordination.launch import launch
from flott.coordination.subtask_progress import ExecutionState
from flott.datastream import StreamExecutionEnvironment
from flott.errors import EpochFailedError, JobExecutionError
from flott.testing.cluster import InProcessRunner


class Watched(InProcessRunner):
    """Takes down what is known while an epoch runs; some epochs get lost."""

    def __init__(self, plan, clock, lost):
        super().__init__(plan, clock)
        self.lost = lost
        self.master = None
        self.seen = []

    def run(self, order):
        progress = self.master.progress
        states = {subtask.state.name for subtask in progress.subtasks.values()}
        self.seen.append((progress.current.epoch, progress.current.attempt, states))
        if len(self.seen) in self.lost:
            raise EpochFailedError("an executor was lost")
        return super().run(order)


def start(build, *, lost=(), **settings):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    build(env)
    runners = []

    def make(_, plan, checkpoints):
        runners.append(Watched(plan, MachineClock(), lost))
        return runners[0]

    configuration = Configuration.from_dict({key.replace("_", "."): value for key, value in settings.items()})
    # The runner needs the job's master before the first epoch.
    begin = pytest.MonkeyPatch()
    begin.setattr("flott.coordination.job_master.JobMaster.start", lambda self: None)
    client = launch(env.program("watched"), configuration, MachineClock(), make)
    begin.undo()
    runners[0].master = client.master
    client.master.start()
    return client, runners[0]


def numbers(env):
    env.from_sequence(1, 1_000).key_by(lambda n: n % 7).reduce(lambda a, b: a + b).filter(lambda _: False).print()


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 100)


def test_subtasks_go_through_their_states():
    client, runner = start(numbers, lost=(2,))
    client.get_job_execution_result().result(PATIENCE)
    progress = client.master.progress
    assert runner.seen[0] == (1, 1, {"DEPLOYING"})
    assert [seen[:2] for seen in runner.seen[1:3]] == [(2, 1), (2, 2)]
    assert {subtask.state for subtask in progress.subtasks.values()} == {ExecutionState.FINISHED}
    assert sum(client.master.metrics.totals(1, index).records_in for index in range(2)) == 1_000
    assert [state.name for state in progress.subtasks[1, 0].since] == [
        "CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED",
    ]  # fmt: skip
    [note] = progress.notes
    assert (note.name, note.cause, note.vertex) == ("EpochFailedError", "an executor was lost", None)


def test_an_epoch_is_remembered_by_its_phases_and_without_its_reports():
    client, _ = start(numbers)
    heard = []
    client.master.listeners.append(lambda stats: heard.append(len(stats.reports)))
    client.get_job_execution_result().result(PATIENCE)
    last = client.master.history[-1]
    assert list(last.phases) == ["plan", "schedule", "read", "compute", "state", "commit"]
    assert last.times.run >= last.phases["read"] + last.phases["compute"] + last.phases["state"] > 0
    assert last.reports == []
    assert len(last.subtasks) == 4
    assert set(heard) <= {4}


def test_a_failure_names_the_subtask_and_the_root_cause():
    def fails(env):
        env.from_collection([1, 0]).map(lambda n: 1 // n, output_type=None).print()

    client, _ = start(fails)
    with pytest.raises(JobExecutionError, match="ZeroDivisionError"):
        client.get_job_execution_result().result(PATIENCE)
    progress = client.master.progress
    [note] = progress.notes
    assert note.name == "ZeroDivisionError"
    assert note.cause.startswith("ZeroDivisionError: ")
    assert progress.subtasks[note.vertex, note.subtask].state is ExecutionState.FAILED
    others = [one.state for place, one in progress.subtasks.items() if place != (note.vertex, note.subtask)]
    assert set(others) <= {ExecutionState.CANCELED}
    assert list(progress.since) == [JobStatus.CREATED, JobStatus.RUNNING, JobStatus.FAILING, JobStatus.FAILED]


def test_a_restart_gives_every_subtask_a_new_attempt():
    client, _ = start(
        numbers,
        lost=(2, 3, 4),
        **{
            "restart-strategy_type": "fixed-delay",
            "restart-strategy_fixed-delay_attempts": "1",
            "restart-strategy_fixed-delay_delay": "1 ms",
        },
    )
    client.get_job_execution_result().result(PATIENCE)
    progress = client.master.progress
    assert progress.restarts == 1
    assert {subtask.attempt for subtask in progress.subtasks.values()} == {1}
