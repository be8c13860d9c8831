"""kill -9 of the driver, ten times, while a job reads from Kafka and writes to Kafka, exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.chaos.kafka_job import POINTS
from tests.chaos.test_crashes import wait_for_orphans
from tests.connectors.kafka.conftest import QUIET, SECONDS, Cluster, started
from tests.connectors.kafka.pipeline import Feeder, build, expected

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]

ROOT = Path(__file__).parent.parent.parent
KILLS = 10
MOCK_PARTITIONS = 4
"""So many each topic has there."""
PROGRAM = Path(__file__).with_name("kafka_job.py")


@pytest.fixture
def broker():
    real = os.environ.get("FLOTT_TEST_KAFKA")
    if real:
        yield Cluster(real)
        return
    with started("broker.py") as servers:
        yield Cluster(servers)


@pytest.fixture
def mock():
    with started("mock_cluster.py") as servers:
        yield Cluster(servers)


class Feeding:
    """Sends without end, so that there is something to read whenever a driver is there to be killed."""

    def __init__(self, feeder):
        self._feeder = feeder
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._feed)
        self._thread.start()

    def _feed(self):
        while not self._over.wait(0.1):
            self._feeder.send(40)

    def stop(self):
        self._over.set()
        self._thread.join(SECONDS)


def run(directory, *arguments):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PYSPARK_PYTHON": sys.executable}
    with (directory / "log").open("a") as log:
        process = subprocess.Popen([sys.executable, str(PROGRAM), *arguments], env=environment, stdout=log, stderr=log)
        with process:
            try:
                return process.wait(900)
            finally:
                process.kill()


def kill_ten_times(directory, target, cluster, feeder, out):
    """Run the job until its driver was killed ten times, and once more until all that was ever sent is drained."""
    feeding = Feeding(feeder)
    killed = 0
    try:
        while True:
            every_point = sum(1 for _ in (directory / "deaths").glob("*")) == len(POINTS)
            if every_point and killed < KILLS:
                # Two workers may have killed the same driver, each at a point of its own.
                (directory / "deaths" / "kafka.before-commit").unlink()
            elif every_point:
                feeding.stop()
                (directory / "last").touch()
            code = run(directory, target, str(directory), cluster.servers, feeder.topic, out)
            if code != -signal.SIGKILL:
                break
            killed += 1
            wait_for_orphans(directory)
    finally:
        feeding.stop()
    assert code == 0, (directory / "log").read_text()[-5_000:]
    assert killed >= KILLS
    assert list((directory / "checkpoints").rglob("*")) == []


def run_cleanly(cluster, topic, out):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    build(env, cluster.servers, topic, out, bounded=True)
    env.execute("clean run")
    return sorted(cluster.values(out))


@pytest.mark.parametrize("target", ["in-process", "local[2]"])
def test_drivers(tmp_path, broker, target):
    topic, out, clean = (broker.create() for _ in range(3))
    feeder = Feeder(broker.servers, topic, QUIET)
    kill_ten_times(tmp_path, target, broker, feeder, out)
    output = sorted(broker.values(out))
    assert output == run_cleanly(broker, topic, clean)
    assert output == expected(feeder.sent)
    # Some transaction was cut off in the middle, and only who reads what is committed does not see it.
    assert len(broker.values(out, "read_uncommitted")) > len(output)


def test_drivers_on_the_mock_cluster(tmp_path, mock):
    """It shows what was aborted, and forgets the offset by which a commit is known: so messages may show again.

    But only those of a commit that a killed driver had begun, and once more each: what was aborted there, or
    committed just before the driver died.
    """
    feeder = Feeder(mock.servers, "in", QUIET, MOCK_PARTITIONS)
    kill_ten_times(tmp_path, "in-process", mock, feeder, "out")
    output = Counter(mock.values("out"))
    assert sorted(output) == run_cleanly(mock, "in", "clean")
    assert sorted(output) == expected(feeder.sent)
    again = [message for message, times in output.items() if times > 1]
    assert set(output.values()) <= {1, 2}
    assert len(again) < len(output) / 2
