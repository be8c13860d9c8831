"""Whole jobs from Kafka to Kafka: with failures at every step, the committed output is that of a clean run."""

from __future__ import annotations

import pytest
from tests.connectors.kafka.conftest import QUIET
from tests.connectors.kafka.pipeline import Feeder, build, expected

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.runtime.crash_points import ARMED, POINTS

pytestmark = pytest.mark.job

NUMBERS = 400


class Trap:
    """Fails once at a point: the second time that it is passed, or the first if a fast job may pass it only once."""

    def __init__(self, point):
        self.passed = 0
        once_per_checkpoint = point.startswith(("metadata.", "commit.", "notify.", "kafka."))
        self.fails_at = 1 if once_per_checkpoint else 2
        ARMED[point] = self.spring

    def spring(self):
        self.passed += 1
        if self.passed == self.fails_at:
            raise ConnectionError("trap")


def environment(tmp_path, **more):
    configuration = Configuration()
    for key, value in {
        "flott.execution.target": "in-process",
        "flott.epoch.target-duration": "20 ms",
        "execution.checkpointing.interval": "10 ms",
        "execution.checkpointing.dir": str(tmp_path / "checkpoints"),
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "1 ms",
        "restart-strategy.fixed-delay.attempts": "5",
        **more,
    }.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    return env.set_parallelism(2)


@pytest.mark.parametrize("point", [None, *POINTS, "kafka.before-commit", "kafka.after-commit"])
def test_exactly_once(broker, tmp_path, monkeypatch, point):
    topic, out = broker.create(), broker.create()
    Feeder(broker.servers, topic, QUIET).send(NUMBERS)
    # Many epochs on any machine, so that points of epochs are passed twice.
    monkeypatch.setattr("flott.connectors.kafka.enumerator.RECORDS_PER_SUBTASK", 20)
    monkeypatch.setattr("flott.coordination.sizing.LARGEST_SCALE", 1.0)
    env = environment(tmp_path)
    build(env, broker.servers, topic, out, bounded=True)
    trap = None if point is None else Trap(point)
    env.execute("kafka to kafka")
    assert sorted(broker.values(out)) == expected(NUMBERS)
    assert trap is None or trap.passed > trap.fails_at


def test_watermarks_are_kept_per_partition(broker, tmp_path):
    """One partition is a whole second behind the other, and nothing is late."""
    topic, out = broker.create(), broker.create()
    for number in range(0, 100, 2):
        broker.send_one(topic, 0, f"k0 {number}", timestamp=2_000 + number)
    for number in range(1, 100, 2):
        broker.send_one(topic, 1, f"k0 {number}", timestamp=1_000 + number)
    env = environment(tmp_path).set_parallelism(1)
    build(env, broker.servers, topic, out, bounded=True)
    env.execute("behind")
    assert sorted(broker.values(out)) == ["k0 1000 25 625", "k0 1050 25 1875", "k0 2000 25 600", "k0 2050 25 1850"]


def test_a_job_on_the_mock_cluster(mock, tmp_path):
    """Without failures the mock cluster shows the same; it knows no transactions that were aborted."""
    topic, out = f"in-{tmp_path.name}", f"out-{tmp_path.name}"
    Feeder(mock.servers, topic, QUIET).send(NUMBERS)
    env = environment(tmp_path)
    build(env, mock.servers, topic, out, bounded=True)
    env.execute("mock")
    assert sorted(mock.values(out)) == expected(NUMBERS)
