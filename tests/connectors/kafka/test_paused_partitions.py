"""Watermark alignment lets single partitions wait."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.coordination.test_alignment import lead

from flott.common import Configuration, Duration, WatermarkStrategy
from flott.common.serialization import SimpleStringSchema
from flott.connectors.kafka.enumerator import KafkaEnumerator
from flott.connectors.kafka.offsets import KafkaOffsetResetStrategy, KafkaTopicPartition
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

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


@pytest.mark.job
def test_the_partitions_of_one_subtask_wait_for_each_other(broker, monkeypatch):
    monkeypatch.setattr("flott.connectors.kafka.enumerator.RECORDS_PER_SUBTASK", 90)
    monkeypatch.setattr("flott.coordination.sizing.LARGEST_STEP", 1.0)
    topic = broker.create()
    # One partition covers a hundred times the time of the other.
    broker.send(topic, [text for n in range(400) for text in (f"A {n * 100}", f"B {n}")])
    earliest, latest = KafkaOffsetsInitializer.earliest(), KafkaOffsetsInitializer.latest()
    reading = KafkaSource.builder().set_bootstrap_servers(broker.servers).set_topics(topic)
    reading = reading.set_starting_offsets(earliest).set_bounded(latest)
    source = reading.set_value_only_deserializer(SimpleStringSchema()).build()
    by_text = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda text, _: int(text[2:]))
    aligned = by_text.with_watermark_alignment("g", Duration.of_millis(200), Duration.of_millis(50))
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    texts = env.from_source(source, aligned.with_idleness(Duration.of_millis(1)), "texts")
    found = [(text[0], int(text[2:])) for text in texts.execute_and_collect()]
    assert sorted(found) == sorted([*(("A", n * 100) for n in range(400)), *(("B", n) for n in range(400))])
    # An epoch reads 45 messages of each partition; neither becomes idle while it waits.
    assert lead(found, "A", "B") <= 200 + 2 * 45 * 100
