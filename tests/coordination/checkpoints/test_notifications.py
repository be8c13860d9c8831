"""Who hears of checkpoints: functions at the start of the next epoch, enumerators and master hooks in the driver."""

from __future__ import annotations

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import CheckpointListener, MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.discard import DiscardingSink

pytestmark = pytest.mark.job


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 50)


def environment(**options):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    configuration.set_string("execution.checkpointing.interval", "10 ms")
    configuration.set_string("flott.epoch.target-duration", "1 ms")
    for name, value in options.items():
        configuration.set_string(name, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env


class Listens(MapFunction, CheckpointListener):
    heard: list = []  # noqa: RUF012 - shared by all copies in this process

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def map(self, value):
        return value

    def notify_checkpoint_complete(self, checkpoint_id):
        Listens.heard.append((self.subtask, checkpoint_id))


class Fails(Listens):
    failed: list = []  # noqa: RUF012 - shared by all copies in this process

    def notify_checkpoint_complete(self, checkpoint_id):
        if not Fails.failed:
            Fails.failed.append(checkpoint_id)
            raise ValueError("can't hear")
        super().notify_checkpoint_complete(checkpoint_id)


class Hook:
    """Counts what it is asked for; its state is the number of the checkpoint."""

    log: list = []  # noqa: RUF012 - one for the test

    def get_identifier(self):
        return "hook"

    def trigger_checkpoint(self, checkpoint_id, timestamp):
        Hook.log.append(("trigger", checkpoint_id))
        return {"at": checkpoint_id}

    def restore_checkpoint(self, checkpoint_id, state):
        Hook.log.append(("restore", checkpoint_id, state))

    def reset(self):
        Hook.log.append(("reset",))

    def close(self):
        Hook.log.append(("close",))


class Hooked(DataGeneratorSource):
    def create_master_trigger_restore_hook(self):
        return Hook()


class FailsOnce(MapFunction):
    """Fails when the third checkpoint was begun: then the first is complete."""

    failed: list = []  # noqa: RUF012 - shared by all copies in this process

    def map(self, value):
        if ("trigger", 3) in Hook.log and not FailsOnce.failed:
            FailsOnce.failed.append(value)
            raise RuntimeError("once")
        return value


def numbers(env, source=DataGeneratorSource):
    slowly = RateLimiterStrategy.per_second(10_000)
    return env.from_source(source(int, 5_000, slowly), WatermarkStrategy.no_watermarks(), "numbers")


def test_functions_hear_of_every_checkpoint_once_per_subtask():
    Listens.heard.clear()
    env = environment()
    numbers(env).map(Listens()).sink_to(DiscardingSink())
    client = env.execute_async("listens")
    client.get_job_execution_result().result(PATIENCE)
    completed = client.master.checkpoints.statistics.completed
    assert completed >= 2
    # The last one too, which ends the job.
    assert sorted(Listens.heard) == [(subtask, number) for subtask in (0, 1) for number in range(1, completed + 1)]


def test_a_listener_that_fails_fails_the_job_like_any_function():
    Listens.heard.clear()
    Fails.failed.clear()
    options = {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 ms"}
    env = environment(**options)
    numbers(env).map(Fails()).sink_to(DiscardingSink())
    client = env.execute_async("fails")
    client.get_job_execution_result().result(PATIENCE)
    assert "can't hear" in str(client.master.failures[0])
    assert "notify_checkpoint_complete" in str(client.master.failures[0])


def test_master_hooks_go_with_every_checkpoint_and_come_back_with_a_restore():
    Hook.log.clear()
    FailsOnce.failed.clear()
    options = {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "1 ms"}
    env = environment(**options)
    numbers(env, Hooked).map(FailsOnce()).sink_to(DiscardingSink())
    client = env.execute_async("hooked")
    client.get_job_execution_result().result(PATIENCE)
    restored = client.master.checkpoints.statistics.latest_restore
    assert restored is not None
    assert ("restore", restored.checkpoint_id, {"at": restored.checkpoint_id}) in Hook.log
    assert ("trigger", restored.checkpoint_id) in Hook.log
    assert Hook.log[-1] == ("close",)
