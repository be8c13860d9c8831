"""What a Kafka source reads: where it starts and stops, what its deserialiser sees, what it tells the group."""

from __future__ import annotations

import logging
import pickle

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions
from tests.connectors.kafka.conftest import SECONDS

from flott.common.serialization import SimpleStringSchema
from flott.datastream.connectors.kafka import (
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSource,
    KafkaTopicPartition,
)
from flott.errors import GraphError

pytestmark = pytest.mark.job

SIX = ["a", "b", "c", "d", "e", "f"]
Initial = KafkaOffsetsInitializer
Reset = KafkaOffsetResetStrategy


def builder(cluster):
    return (
        KafkaSource.builder().set_bootstrap_servers(cluster.servers).set_value_only_deserializer(SimpleStringSchema())
    )


def read(source, enumerator=None, scale=1.0):
    """Read one epoch; what is there, sorted."""
    own = enumerator is None
    if own:
        enumerator = source.create_enumerator(2)
    plan = enumerator.plan(scale, 0)
    found = [value for reads in plan.reads for one in reads for batch in source.read(one) for value in batch.values]
    if own:
        enumerator.close()
    return sorted(found, key=repr)


@pytest.fixture
def topic(broker):
    """Two partitions: a, c and e in the first, b, d and f in the second; at the times 1000, 2000 and so on."""
    topic = broker.create()
    for number, value in enumerate(SIX):
        broker.send_one(
            topic, number % 2, value, timestamp=1000 * (number + 1), key=f"key {value}", headers={"h": value}
        )
    return topic


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (Initial.earliest(), SIX),
        (Initial.latest(), []),
        (Initial.timestamp(3000), ["c", "d", "e", "f"]),
        (Initial.timestamp(9000), []),
        (Initial.committed_offsets(Reset.EARLIEST), SIX),
        (Initial.committed_offsets(Reset.LATEST), []),
    ],
)
def test_where_it_starts(broker, topic, start, expected):
    assert read(builder(broker).set_topics(topic).set_starting_offsets(start).build()) == expected


def test_it_starts_at_given_offsets_and_elsewhere_as_the_strategy_says(broker, topic):
    given = {KafkaTopicPartition(topic, 0): 2}
    from_earliest = builder(broker).set_topics(topic).set_starting_offsets(Initial.offsets(given)).build()
    assert read(from_earliest) == ["b", "d", "e", "f"]
    latest = Initial.offsets(given, Reset.LATEST)
    assert read(builder(broker).set_topics(topic).set_starting_offsets(latest).build()) == ["e"]


def test_without_committed_offsets_and_without_a_strategy_it_does_not_start(broker, topic):
    source = builder(broker).set_topics(topic).set_starting_offsets(Initial.committed_offsets()).set_group_id("new")
    with pytest.raises(Exception, match=r"no offset is known for topic-.*-0, topic-.*-1.*KafkaOffsetResetStrategy"):
        read(source.build())


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        (Initial.latest(), SIX),
        (Initial.timestamp(4000), ["a", "b", "c"]),
        (Initial.earliest(), []),
    ],
)
def test_where_it_stops(broker, topic, stop, expected):
    source = builder(broker).set_topics(topic).set_bounded(stop).build()
    enumerator = source.create_enumerator(2)
    plan = enumerator.plan(1.0, 0)
    broker.send(topic, ["too late", "too late"])
    later = enumerator.plan(1.0, 1)
    enumerator.close()
    assert source.is_bounded()
    assert plan.ended
    assert later.empty
    found = [value for reads in plan.reads for one in reads for batch in source.read(one) for value in batch.values]
    assert sorted(found) == expected
    assert not builder(broker).set_topics(topic).set_unbounded(stop).build().is_bounded()


def test_partitions_and_patterns(broker, topic):
    assert read(builder(broker).set_partitions({KafkaTopicPartition(topic, 1)}).build()) == ["b", "d", "f"]
    other = broker.create(name=f"{topic}-more")
    broker.send(other, ["g"])
    assert read(builder(broker).set_topic_pattern(f"{topic}.*").build()) == [*SIX, "g"]
    assert read(builder(broker).set_topic_pattern(topic).build()) == SIX


def test_new_partitions_and_topics_are_found_and_read_from_their_beginning(broker, topic):
    source = builder(broker).set_topic_pattern(f"{topic}.*").set_starting_offsets(Initial.latest())
    source = source.set_property("partition.discovery.interval.ms", "1000").build()
    enumerator = source.create_enumerator(2)
    assert read(source, enumerator) == []
    admin = AdminClient({"bootstrap.servers": broker.servers})
    admin.create_partitions([NewPartitions(topic, 3)])[topic].result(SECONDS)
    broker.send_one(topic, 2, "new partition")
    broker.send(broker.create(name=f"{topic}-new"), ["new topic"])
    state = pickle.loads(pickle.dumps(enumerator.snapshot()))
    assert enumerator.plan(1.0, 999).empty
    found = [enumerator.plan(1.0, 1000)]
    assert sorted(one.split for reads in found[0].reads for one in reads if one.start < one.end) == [
        f"{topic}-2", f"{topic}-new-0",
    ]  # fmt: skip
    enumerator.restore(state)
    assert read(source, enumerator) == ["new partition", "new topic"]
    enumerator.close()


def test_a_deserialiser_may_see_the_whole_message(broker, topic):
    source = (
        builder(broker).set_topics(topic).set_deserializer(lambda record: record if record.key == b"key d" else None)
    )
    [record] = read(source.build())
    assert (record.topic, record.partition, record.offset, record.timestamp) == (topic, 1, 1, 4000)
    assert (record.value, record.headers) == (b"d", (("h", b"d"),))


def test_kafkas_timestamps_are_the_records(broker, topic):
    source = builder(broker).set_partitions({KafkaTopicPartition(topic, 0)}).build()
    enumerator = source.create_enumerator(1)
    [[one]] = enumerator.plan(1.0, 0).reads
    enumerator.close()
    assert [stamp for batch in source.read(one) for stamp in batch.stamps] == [1000, 3000, 5000]


def test_tombstones_have_no_value_to_make_a_record_of(broker, topic):
    broker.send_one(topic, 0, None, key="gone")
    assert read(builder(broker).set_topics(topic).build()) == SIX


def test_the_group_is_told_what_a_complete_checkpoint_holds(broker, topic):
    group = f"group-{topic}"
    source = builder(broker).set_topics(topic).set_group_id(group).build()
    enumerator = source.create_enumerator(1)
    read(source, enumerator, scale=2 / 65_536)
    enumerator.snapshot()
    assert broker.committed(group, topic) == [-1001, -1001]
    read(source, enumerator)
    enumerator.notify_checkpoint_complete(1)
    assert broker.committed(group, topic) == [1, 1]
    enumerator.snapshot()
    enumerator.notify_checkpoint_complete(2)
    enumerator.close()
    assert broker.committed(group, topic) == [3, 3]
    again = builder(broker).set_topics(topic).set_group_id(group).set_starting_offsets(Initial.committed_offsets())
    broker.send_one(topic, 0, "g")
    assert read(again.build()) == ["g"]


@pytest.mark.parametrize(
    ("reset", "expected"), [(Reset.EARLIEST, ["e", "f"]), (Reset.LATEST, ["f"]), (Reset.NONE, None)]
)
def test_messages_that_were_removed_while_the_job_was_away(broker, topic, caplog, reset, expected):
    first, second = KafkaTopicPartition(topic, 0), KafkaTopicPartition(topic, 1)
    start = Initial.offsets({first: 0, second: 2}, reset)
    source = builder(broker).set_topics(topic).set_starting_offsets(start).build()
    broker.remove_before(topic, 0, 2)
    if expected is None:
        with pytest.raises(Exception, match=r"offset 0 of topic .* is not there: the partition has 2 to 3"):
            read(source)
        return
    with caplog.at_level(logging.WARNING):
        assert read(source) == expected
    assert "reading goes on at" in caplog.text


def test_messages_that_are_removed_while_the_job_runs(broker, topic):
    source = builder(broker).set_partitions({KafkaTopicPartition(topic, 0)}).build()
    enumerator = source.create_enumerator(1)
    [[one]] = enumerator.plan(1.0, 0).reads
    enumerator.close()
    broker.remove_before(topic, 0, 2)
    with pytest.raises(Exception, match=r"at offset 0: the message is no longer there.*retention\.ms"):
        list(source.read(one))


def test_gaps_that_transactions_leave(broker, topic):
    for number in range(3):
        broker.send_in_transaction(topic, [f"x{number}"], commit=number != 1)
    source = builder(broker).set_topics(topic).set_property("isolation.level", "read_committed").build()
    assert read(source) == [*SIX, "x0", "x2"]
    assert read(builder(broker).set_topics(topic).build()) == [*SIX, "x0", "x1", "x2"]
    enumerator = source.create_enumerator(1)
    found = [value for _ in range(20) for value in read(source, enumerator, scale=1e-9)]
    enumerator.close()
    assert sorted(found) == [*SIX, "x0", "x2"]


def test_what_is_missing_is_named(broker):
    bare = KafkaSource.builder
    with pytest.raises(GraphError, match=r"set_bootstrap_servers\('host:9092'\)"):
        bare().set_topics("t").build()
    with pytest.raises(GraphError, match=r"set_topics"):
        bare().set_bootstrap_servers("x:1").build()
    with pytest.raises(GraphError, match="set_value_only_deserializer"):
        bare().set_bootstrap_servers("x:1").set_topics("t").build()
    with pytest.raises(GraphError, match="one of them, once"):
        bare().set_topics("t").set_topic_pattern("t")
    with pytest.raises(GraphError, match=r"'sasl\.jaas\.config' is the Java client's; here it is sasl\.username"):
        bare().set_property("sasl.jaas.config", "secret")
    with pytest.raises(Exception, match=r"asking for topic 'no-such-topic'.*Create the topic before the job starts"):
        read(builder(broker).set_topics("no-such-topic").build())
    with pytest.raises(Exception, match=r'No such configuration property: "no\.such"'):
        read(builder(broker).set_topics("t").set_property("no.such", "1").build())
