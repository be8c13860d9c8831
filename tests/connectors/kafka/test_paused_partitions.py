"""Watermark alignment lets single partitions wait."""

from __future__ import annotations

from types import SimpleNamespace

from flott.connectors.kafka.enumerator import KafkaEnumerator
from flott.connectors.kafka.offsets import KafkaOffsetResetStrategy, KafkaTopicPartition

SLOW, FAST = KafkaTopicPartition("t", 0), KafkaTopicPartition("t", 1)


class Brokers:
    """A topic of two partitions with 100 messages each."""

    def partitions(self, subscription):
        return [SLOW, FAST]

    def earliest(self, partitions):
        return dict.fromkeys(partitions, 0)

    def latest(self, partitions):
        return dict.fromkeys(partitions, 100)


def test_a_paused_partition_is_planned_without_messages_and_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr("flott.connectors.kafka.enumerator.RECORDS_PER_SUBTASK", 20)
    start = SimpleNamespace(
        find=lambda cluster, found: dict.fromkeys(found, 0), reset=KafkaOffsetResetStrategy.EARLIEST
    )
    reading = SimpleNamespace(start=start, stop=None, discovery_interval=None, subscription=None)
    enumerator = KafkaEnumerator(reading, Brokers(), 1)

    def planned():
        plan = enumerator.plan(1.0, 0)
        return {read.split: (read.start, read.end, read.paused) for read in plan.reads[0]}, plan.empty

    assert planned() == ({SLOW.split: (0, 10, False), FAST.split: (0, 10, False)}, False)
    enumerator.pause_splits(frozenset({FAST.split}))
    assert planned() == ({SLOW.split: (10, 30, False), FAST.split: (10, 10, True)}, False)
    enumerator.pause_splits(frozenset())
    assert planned() == ({SLOW.split: (30, 40, False), FAST.split: (10, 20, False)}, False)


def test_a_source_that_waits_reads_what_comes_meanwhile():
    brokers = Brokers()
    start = SimpleNamespace(find=lambda cluster, found: cluster.latest(found), reset=KafkaOffsetResetStrategy.LATEST)
    reading = SimpleNamespace(start=start, stop=None, discovery_interval=None, subscription=None)
    enumerator = KafkaEnumerator(reading, brokers, 1)
    enumerator.find_start(0)
    brokers.latest = lambda partitions: dict.fromkeys(partitions, 130)
    [reads] = enumerator.plan(1.0, 0).reads
    assert [(read.start, read.end) for read in reads] == [(100, 130), (100, 130)]
