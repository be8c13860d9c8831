"""Clusters for the tests of a process, and topics of a test's own."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from flott.runtime.crash_points import ARMED

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
SECONDS = 60
QUIET = logging.getLogger("flott.tests.kafka")


@contextlib.contextmanager
def started(program, *arguments):
    """Run a cluster in a process of its own; gives its address."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    with subprocess.Popen(
        [sys.executable, str(HERE / program), *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    ) as process:  # fmt: skip
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(SECONDS)


class Cluster:
    """What a test does to a cluster from outside."""

    def __init__(self, servers):
        self.servers = servers

    def create(self, partitions=2, name=None):
        """Make a topic; the mock cluster makes its own, with four partitions."""
        topic = name or f"topic-{uuid4().hex[:8]}"
        admin = AdminClient({"bootstrap.servers": self.servers}, logger=QUIET)
        admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(SECONDS)
        return topic

    def send(self, topic, values, partitions=2):
        """Send texts, round the partitions."""
        producer = Producer({"bootstrap.servers": self.servers, "linger.ms": 0}, logger=QUIET)
        for number, value in enumerate(values):
            producer.produce(topic, value, partition=number % partitions)
        assert producer.flush(SECONDS) == 0

    def send_one(self, topic, partition, value, **options):
        producer = Producer({"bootstrap.servers": self.servers, "linger.ms": 0}, logger=QUIET)
        producer.produce(topic, value, partition=partition, **options)
        assert producer.flush(SECONDS) == 0

    def send_in_transaction(self, topic, values, *, commit):
        producer = Producer({"bootstrap.servers": self.servers, "transactional.id": uuid4().hex}, logger=QUIET)
        producer.init_transactions(SECONDS)
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=0)
        producer.flush(SECONDS)
        (producer.commit_transaction if commit else producer.abort_transaction)(SECONDS)

    def remove_before(self, topic, partition, offset):
        """Remove messages, as retention does."""
        admin = AdminClient({"bootstrap.servers": self.servers}, logger=QUIET)
        [removed] = admin.delete_records([TopicPartition(topic, partition, offset)]).values()
        removed.result(SECONDS)

    def messages(self, topic, isolation="read_committed"):
        """Read all that may be read now."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.servers, "group.id": "reader", "isolation.level": isolation,
                "enable.auto.commit": False, "enable.partition.eof": True, "fetch.wait.max.ms": 20,
            }, logger=QUIET,
        )  # fmt: skip
        known = consumer.list_topics(topic, timeout=SECONDS).topics[topic]
        waiting = set(known.partitions)
        consumer.assign([TopicPartition(topic, number, 0) for number in waiting])
        found = []
        while waiting:
            message = consumer.poll(SECONDS)
            assert message is not None
            if message.error() is None:
                found.append(message)
            else:
                waiting.discard(message.partition())
        consumer.close()
        return found

    def values(self, topic, isolation="read_committed"):
        return [message.value().decode() for message in self.messages(topic, isolation)]

    def committed(self, group, topic, partitions=2):
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": group}, logger=QUIET)
        places = consumer.committed([TopicPartition(topic, number) for number in range(partitions)], SECONDS)
        consumer.close()
        return [place.offset for place in places]


@pytest.fixture(scope="session")
def broker():
    """A broker with transactions: a real one if the environment names it, else the tests' own."""
    real = os.environ.get("FLOTT_TEST_KAFKA")
    with contextlib.nullcontext(real) if real else started("broker.py") as servers:
        yield Cluster(servers)


@pytest.fixture(scope="session")
def mock():
    """librdkafka's mock cluster."""
    with started("mock_cluster.py") as servers:
        yield Cluster(servers)


@pytest.fixture(autouse=True)
def disarmed():
    yield
    ARMED.clear()
