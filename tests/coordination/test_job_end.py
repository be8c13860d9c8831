"""A job always ends: whatever raises, in whatever hook, the handle completes with the first cause."""

from __future__ import annotations

import logging

import pytest
from tests.failing_jobs import Die, FailsAt, environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE

from flott.common import JobStatus, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.coordination.job_record import JobRecord
from flott.datastream import MapFunction
from flott.datastream.job_listener import JobListener
from flott.errors import JobExecutionError, TaskFailedError, UserFunctionError
from flott.runtime.crash_points import ARMED, END_POINTS
from flott.runtime.storage import LocalStorage
from flott.testing.cluster import InProcessRunner

NO_RESTART = {"restart-strategy.type": "none"}


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)


class Closes(MapFunction):
    def __init__(self, error, at=None):
        self.error = error
        self.at = at

    def map(self, value):
        if value == self.at:
            raise RuntimeError("the first cause")
        return value

    def close(self):
        raise self.error("close fails")


class Source(DataGeneratorSource):
    """Numbers, whose enumerator can't be closed, and whose master hook can't either."""

    def __init__(self, fails):
        super().__init__(lambda index: index, 100)
        self.fails = fails

    def create_enumerator(self, parallelism):
        enumerator = super().create_enumerator(parallelism)
        if self.fails == "enumerator":
            enumerator.close = fail
        return enumerator

    def create_master_trigger_restore_hook(self):
        return Hook(self.fails)


class Hook:
    def __init__(self, fails):
        self.fails = fails
        self.triggered = 0

    def get_identifier(self):
        return "hook"

    def trigger_checkpoint(self, checkpoint_id, timestamp):
        self.triggered += 1
        if self.fails == "trigger twice" and self.triggered <= 2:
            raise RuntimeError("not yet")

    def restore_checkpoint(self, checkpoint_id, data):
        pass

    def reset(self):
        pass

    def close(self):
        if self.fails == "hook":
            fail()


def fail(*_, **__):
    raise RuntimeError("close fails")


def ended(env, name="ends"):
    """Run a job to its end; return its handle and what it failed with."""
    client = env.execute_async(name)
    try:
        client.get_job_execution_result().result(PATIENCE)
    except Exception as error:  # noqa: BLE001 - looked at by the test
        return client, error
    return client, None


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, GeneratorExit])
def test_a_close_of_a_function_that_raises_fails_the_job(error):
    env = environment(**NO_RESTART)
    env.from_collection([1]).map(Closes(error)).print()
    client, failure = ended(env)
    assert isinstance(failure, UserFunctionError)
    assert "it failed in close()" in str(failure)
    assert f"{error.__name__}: close fails" in str(failure)
    assert client.get_job_status().result() is JobStatus.FAILED


def test_the_first_cause_is_what_the_caller_gets_and_the_others_are_attached(caplog):
    env = environment(parallelism=1, **NO_RESTART)
    env.from_collection([1, 2]).map(Closes(ValueError, at=2)).map(Closes(KeyError)).print()
    with caplog.at_level(logging.WARNING, logger="flott"):
        client, failure = ended(env)
    assert isinstance(failure, TaskFailedError)
    assert "the first cause" in str(failure)
    [note] = failure.__notes__
    assert "close() of a function failed too" in note
    assert "ValueError: close fails" in note
    assert any("ValueError: close fails" in record.getMessage() for record in caplog.records)
    assert client.get_job_status().result() is JobStatus.FAILED


@pytest.mark.parametrize("fails", ["enumerator", "hook"])
def test_a_close_in_the_driver_that_raises_fails_the_job(fails, tmp_path):
    env = environment(tmp_path, **NO_RESTART)
    env.from_source(Source(fails), WatermarkStrategy.no_watermarks(), "numbers").filter(lambda _: False).print()
    client, failure = ended(env)
    assert str(failure) == "close fails"
    assert client.get_job_status().result() is JobStatus.FAILED


def test_a_close_that_raises_does_not_stand_in_the_way_of_a_restart():
    env = environment(parallelism=1, **{"execution.checkpointing.interval": "1 h"})
    env.from_sequence(0, 100).map(FailsAt(70)).map(Closes(ValueError)).filter(lambda _: False).print()
    client, failure = ended(env)
    assert len(client.master.failures) == 1
    assert "it failed in close()" in str(failure)


BROKEN = {
    "a store that can't remove its directory": (LocalStorage, "remove_if_empty"),
    "a runner that can't remove its files": (InProcessRunner, "close"),
    "a record that can't be closed": (JobRecord, "close"),
    "a record that can't be written": (JobRecord, "ends"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_finished_job_is_finished_whatever_can_not_be_removed(what, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(*BROKEN[what], fail)
    env = environment(tmp_path / "checkpoints", **NO_RESTART)
    env.from_sequence(1, 100).sink_to(text_sink(tmp_path / "out"))
    with caplog.at_level(logging.WARNING, logger="flott"):
        client, failure = ended(env)
    assert failure is None
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert lines(tmp_path / "out") == sorted(str(number) for number in range(1, 101))
    assert any("RuntimeError: close fails" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("what", BROKEN)
def test_a_failed_job_tells_its_first_cause_whatever_can_not_be_removed(what, tmp_path, monkeypatch):
    monkeypatch.setattr(*BROKEN[what], fail)
    retained = {"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION"}
    env = environment(tmp_path / "checkpoints", parallelism=1, **NO_RESTART, **retained)
    env.from_sequence(1, 300).map(Closes(ValueError, at=170)).filter(lambda _: False).print()
    client, failure = ended(env)
    assert isinstance(failure, TaskFailedError)
    assert "the first cause" in str(failure)
    assert client.get_job_status().result() is JobStatus.FAILED


def test_a_listener_that_fails_does_not_fail_the_job(caplog):
    env = environment(**NO_RESTART)
    env.from_sequence(1, 1_000).filter(lambda _: False).print()
    client = env.execute_async("heard")
    client.master.listeners.append(fail)
    client.master.progress.watchers.append(fail)
    client.get_job_execution_result().result(PATIENCE)
    assert client.get_job_status().result() is JobStatus.FINISHED


def test_a_job_listener_that_fails_does_not_hide_why_the_job_failed():
    heard = []

    class Fails(JobListener):
        def on_job_submitted(self, job_client, error):
            pass

        def on_job_executed(self, result, error):
            heard.append(error)
            raise ValueError("the listener")

    env = environment(parallelism=1, **NO_RESTART)
    env.register_job_listener(Fails())
    env.register_job_listener(Fails())
    env.from_collection([1]).map(Closes(KeyError, at=1)).print()
    with pytest.raises(JobExecutionError, match="the first cause"):
        env.execute("heard")
    assert len(heard) == 2


@pytest.mark.parametrize("tolerated", [0, 1_000])
def test_a_hook_that_fails_declines_the_checkpoint(tolerated, tmp_path):
    options = {"execution.checkpointing.tolerable-failed-checkpoints": str(tolerated), **NO_RESTART}
    env = environment(tmp_path, **options)
    env.from_source(Source("trigger twice"), WatermarkStrategy.no_watermarks(), "numbers").filter(
        lambda _: False
    ).print()
    client, failure = ended(env)
    assert client.master.checkpoints.statistics.failed == (2 if tolerated else 1)
    if tolerated:
        assert failure is None
    else:
        assert "a master hook failed: RuntimeError: not yet" in str(failure)


# Crashes at the end


@pytest.mark.parametrize("point", END_POINTS[:2])
def test_a_driver_that_dies_while_it_cleans_up_has_finished_its_job(point, tmp_path, caplog):
    def start():
        env = environment(tmp_path / "checkpoints")
        env.from_sequence(1, 1_000).sink_to(text_sink(tmp_path / "out"))
        client = env.execute_async("at its end")
        client.get_job_execution_result().result(PATIENCE)
        return client

    ARMED[point] = die = Die()
    first = start()
    assert die.reached.is_set()
    first.master.record.release()
    ARMED.clear()
    with caplog.at_level(logging.WARNING, logger="flott"):
        second = start()
    assert second.get_job_id() == first.get_job_id()
    assert any("had finished when its driver ended" in record.getMessage() for record in caplog.records)
    assert lines(tmp_path / "out") == sorted(str(number) for number in range(1, 1_001))
    assert list((tmp_path / "checkpoints").rglob("*")) == []
    third = start()
    assert third.get_job_id() != first.get_job_id()
    assert len(lines(tmp_path / "out")) == 2_000
