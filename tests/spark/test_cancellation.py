"""A function on Spark that ignores cancellation: its worker is killed at the timeout, and the job ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.waiting import wait_until

from flott.common import Configuration, JobStatus
from flott.datastream import StreamExecutionEnvironment

pytestmark = pytest.mark.spark


def is_alive(process):
    return Path(f"/proc/{process}").exists()


def test_an_endless_loop_is_killed_at_the_timeout(tmp_path):
    workers = tmp_path / "workers"
    workers.mkdir()

    def loop(value):
        (workers / str(os.getpid())).touch()
        while True:
            pass

    configuration = Configuration()
    configuration.set_string("task.cancellation.interval", "1000").set_string("task.cancellation.timeout", "3000")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    env.from_sequence(1, 10).map(loop).print()
    client = env.execute_async("loops")
    wait_until("a worker in the loop", lambda: list(workers.iterdir()))
    client.cancel().result(120)
    assert client.get_job_status().result() is JobStatus.CANCELED
    wait_until("no worker in the loop", lambda: not any(is_alive(worker.name) for worker in workers.iterdir()))
