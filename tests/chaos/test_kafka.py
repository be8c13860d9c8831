"""kill -9 of the driver, ten times, while a job reads from Kafka and writes to Kafka, exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
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
PROGRAM = Path(__file__).with_name("kafka_job.py")


@pytest.fixture
def cluster():
    real = os.environ.get("FLOTT_TEST_KAFKA")
    if real:
        yield Cluster(real)
        return
    with started("broker.py") as servers:
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


@pytest.mark.parametrize("target", ["in-process", "local[2]"])
def test_drivers(tmp_path, cluster, target):
    topic, out, clean = (cluster.create() for _ in range(3))
    feeder = Feeder(cluster.servers, topic, QUIET)
    feeding = Feeding(feeder)
    killed = 0
    try:
        while True:
            every_point = sum(1 for _ in (tmp_path / "deaths").glob("*")) == len(POINTS)
            if every_point and killed < KILLS:
                # Two workers may have killed the same driver, each at a point of its own.
                (tmp_path / "deaths" / "kafka.before-commit").unlink()
            elif every_point:
                # The last run finds all that was ever sent, and drains it.
                feeding.stop()
                (tmp_path / "last").touch()
            code = run(tmp_path, target, str(tmp_path), cluster.servers, topic, out)
            if code != -signal.SIGKILL:
                break
            killed += 1
            wait_for_orphans(tmp_path)
    finally:
        feeding.stop()
    assert code == 0, (tmp_path / "log").read_text()[-5_000:]
    assert killed >= KILLS
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    build(env, cluster.servers, topic, clean, bounded=True)
    env.execute("clean run")
    output = sorted(cluster.values(out))
    assert output == sorted(cluster.values(clean))
    assert output == expected(feeder.sent)
    # Some transaction was cut off in the middle, and only who reads what is committed does not see it.
    assert len(cluster.values(out, "read_uncommitted")) > len(output)
    assert list((tmp_path / "checkpoints").rglob("*")) == []
