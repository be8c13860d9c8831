"""A job that was cancelled ends, whatever its functions do."""

from __future__ import annotations

import logging
import threading
from itertools import count

import pytest
from tests.failing_jobs import environment
from tests.waiting import PATIENCE, wait_while_running

from flott.common import Configuration, JobStatus
from flott.coordination.cancellation import Cancellation, CancellationSettings
from flott.datastream import MapFunction
from flott.errors import JobCanceledError

INTERVAL, TIMEOUT = "task.cancellation.interval", "task.cancellation.timeout"


class Blocks(MapFunction):
    """Ignores everything until the test lets it go on."""

    reached = threading.Event()
    go_on = threading.Event()

    def map(self, value):
        Blocks.reached.set()
        Blocks.go_on.wait()
        return value


@pytest.fixture(autouse=True)
def blocked():
    Blocks.reached.clear()
    Blocks.go_on.clear()
    yield
    Blocks.go_on.set()


def test_a_function_that_ignores_everything_is_left_behind_at_the_timeout_and_named(tmp_path, caplog):
    env = environment(tmp_path, **{INTERVAL: "1", TIMEOUT: "10"})
    env.from_collection([1]).map(Blocks()).name("stubborn").print()
    client = env.execute_async("blocked")
    wait_while_running(client, "the first record", Blocks.reached.is_set)
    with caplog.at_level(logging.ERROR, logger="flott"):
        client.cancel().result(PATIENCE)
    assert client.get_job_status().result() is JobStatus.CANCELED
    with pytest.raises(JobCanceledError):
        client.get_job_execution_result().result(0)
    [line] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert "still works: operator 'stubborn'" in line
    assert "map() at " in line
    assert "test_cancellation.py" in line
    assert client.master._thread.is_alive()
    # When it returns after all, the job is cleaned up, and stays what it was.
    Blocks.go_on.set()
    client.master._thread.join(PATIENCE)
    assert client.get_job_status().result() is JobStatus.CANCELED
    assert list(tmp_path.rglob("*")) == []


def test_a_job_that_ends_in_time_is_not_abandoned(caplog):
    env = environment(**{INTERVAL: "1", TIMEOUT: "60000"})
    env.from_collection([1]).map(Blocks()).print()
    client = env.execute_async("blocked")
    wait_while_running(client, "the first record", Blocks.reached.is_set)
    done = client.cancel()
    Blocks.go_on.set()
    done.result(PATIENCE)
    assert not [record for record in caplog.records if record.levelno == logging.ERROR]


class Runner:
    """Ignores everything until it was asked a number of times."""

    def __init__(self, until, ended):
        self.until = until
        self.ended = ended
        self.asked = 0
        self.killed = 0

    def cancel(self):
        self.asked += 1
        if self.asked == self.until:
            self.ended.set()
        raise ConnectionError("not now")

    def kill(self):
        self.killed += 1
        self.ended.set()


class Waited:
    """The end of a job, which comes while it is waited for; remembers for how long it would have been."""

    def wait(self, seconds):
        self.seconds = seconds
        return True


@pytest.mark.parametrize(("key", "other"), [(INTERVAL, TIMEOUT), (TIMEOUT, INTERVAL)])
def test_it_is_interrupted_as_often_as_the_settings_say(key, other):
    seen = []
    for value in ("7000", "9000"):
        runner, ended = Runner(None, threading.Event()), Waited()
        settings = CancellationSettings.of(Configuration.from_dict({key: value, other: "100000"}))
        Cancellation("waited", settings, runner, ended, lambda: None, count().__next__).begin(threading.main_thread())
        for thread in threading.enumerate():
            if thread.name == "flott-cancel-waited":
                thread.join(PATIENCE)
        seen.append(ended.seconds)
    assert seen == [7, 9]


@pytest.mark.parametrize(("until", "killed"), [(3, 0), (None, 1)])
def test_it_is_interrupted_again_and_killed_at_the_timeout(until, killed):
    ended, abandoned = threading.Event(), []
    runner = Runner(until, ended)
    settings = CancellationSettings(interval=1, timeout=20 if until is None else 60_000)
    cancellation = Cancellation("job", settings, runner, ended, lambda: abandoned.append(1), count().__next__)
    cancellation.begin(threading.main_thread())
    cancellation.begin(threading.main_thread())
    assert ended.wait(PATIENCE)
    for thread in threading.enumerate():
        if thread.name == "flott-cancel-job":
            thread.join(PATIENCE)
    assert runner.killed == killed
    assert runner.asked >= (until or 2)
    assert abandoned == []
