"""What a Kafka sink writes, and that its commits come once whatever happens in the middle of them."""

from __future__ import annotations

import logging
from collections import Counter

import cloudpickle
import pytest

from flott.common.serialization import SerializationSchema, SimpleStringSchema
from flott.connectors.kafka import committer, staged_messages
from flott.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaProducerRecord,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaTopicSelector,
)
from flott.errors import CommitError, GraphError
from flott.runtime.batch import Batch
from flott.runtime.crash_points import ARMED
from flott.runtime.operators.commit_requests import commit_all
from flott.testing.connectors.cases import SinkCase
from flott.testing.connectors.sink_run import SinkRun

pytestmark = pytest.mark.job

Guarantee = DeliveryGuarantee


class Crash(Exception):  # noqa: N818 - it is no error
    pass


class First(SerializationSchema):
    def serialize(self, value):
        return value[:1].encode()


def text_to(topic):
    return (
        KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(SimpleStringSchema())
    )


def sink_to(cluster, serializer, guarantee=Guarantee.AT_LEAST_ONCE):
    builder = KafkaSink.builder().set_bootstrap_servers(cluster.servers).set_record_serializer(serializer)
    return builder.set_delivery_guarantee(guarantee)


def exactly_once(cluster, topic):
    return sink_to(cluster, text_to(topic).build(), Guarantee.EXACTLY_ONCE).set_transactional_id_prefix(f"tx-{topic}")


def run_of(sink):
    """Runs in which each driver is a new one: it knows nothing of what another has done."""
    pristine = cloudpickle.dumps(sink)
    return SinkRun(SinkCase(lambda: cloudpickle.loads(pristine), read=list))


def prepared(run, *epochs):
    """Let one attempt per epoch write and prepare; return the committables."""
    found = []
    for records in epochs:
        attempt = run.attempt(records)
        found.extend(attempt.prepare())
        attempt.close()
    return found


def crash():
    raise Crash


@pytest.mark.parametrize("guarantee", list(Guarantee))
def test_key_value_headers_timestamp_and_topic(broker, guarantee):
    topics = [broker.create(), broker.create()]
    serializer = (
        KafkaRecordSerializationSchema.builder()
        .set_topic_selector(lambda text: topics[text.startswith("t")])
        .set_key_serialization_schema(First())
        .set_value_serialization_schema(SimpleStringSchema())
        .set_header_provider(lambda text: {"length": str(len(text)).encode()})
        .build()
    )
    run = run_of(sink_to(broker, serializer, guarantee).set_transactional_id_prefix(topics[0]).build())
    attempt = run.attempt([])
    attempt._writer.write_batch(Batch(["milk", "tea", "toast"], [1000, 2000, -5]))
    attempt._writer.flush(end_of_input=True)
    run.commit(attempt.prepare())
    attempt.close()
    [milk] = broker.messages(topics[0])
    assert (milk.key(), milk.value(), milk.headers(), milk.timestamp()[1]) == (b"m", b"milk", [("length", b"4")], 1000)
    tea, toast = sorted(broker.messages(topics[1]), key=lambda message: message.value())
    assert tea.partition() == toast.partition()  # the same key
    assert (tea.timestamp()[1], toast.timestamp()[1] > 10**12) == (2000, True)


def test_a_schema_of_ones_own_may_leave_records_out(broker):
    topic = broker.create()

    class Audit(KafkaRecordSerializationSchema):
        def serialize(self, element, timestamp):
            return KafkaProducerRecord(topic, element.encode(), partition=1) if element != "secret" else None

    run = run_of(sink_to(broker, Audit()).build())
    prepared(run, ["open", "secret"])
    assert [(message.value(), message.partition()) for message in broker.messages(topic)] == [(b"open", 1)]


def test_a_topic_selector_may_be_a_class(broker):
    topic = broker.create()

    class Always(KafkaTopicSelector):
        def apply(self, data):
            return topic

    builder = KafkaRecordSerializationSchema.builder().set_topic_selector(Always())
    prepared(
        run_of(sink_to(broker, builder.set_value_serialization_schema(SimpleStringSchema()).build()).build()), ["x"]
    )
    assert broker.values(topic) == ["x"]


def test_a_message_that_does_not_arrive_fails_the_epoch(broker):
    topic = broker.create()
    sink = sink_to(broker, text_to(topic).build()).set_property("message.max.bytes", "1000").build()
    with pytest.raises(Exception, match=r"MSG_SIZE_TOO_LARGE|Message size too large"):
        prepared(run_of(sink), ["x" * 10_000])


@pytest.mark.parametrize("point", ["kafka.before-commit", "kafka.after-commit"])
def test_a_crash_in_the_commit(broker, point, monkeypatch, tmp_path):
    monkeypatch.setattr(staged_messages, "INLINE_BYTES", 0)
    topic = broker.create()
    run = run_of(exactly_once(broker, topic).set_staging_directory(tmp_path).build())
    committables = prepared(run, ["a", "b"], ["c"])
    ARMED[point] = crash
    with pytest.raises(CommitError, match="Crash"):
        run.commit(committables)
    ARMED.clear()
    assert len(broker.values(topic, "read_uncommitted")) == 3
    assert sorted(broker.values(topic)) == ([] if "before" in point else ["a", "b", "c"])
    run.undo_stale(committables)
    run.commit(committables, recovered=True)
    assert sorted(broker.values(topic)) == ["a", "b", "c"]
    assert len(broker.values(topic, "read_uncommitted")) == (6 if "before" in point else 3)
    assert list(tmp_path.rglob("*")) == []


def test_a_crash_between_the_transactions_of_a_large_commit(broker, monkeypatch):
    monkeypatch.setattr(committer, "TRANSACTION_BYTES", 1)
    topic = broker.create()
    run = run_of(exactly_once(broker, topic).build())
    committables = prepared(run, ["a"], ["b"], ["c"], ["d"])
    passed = []
    ARMED["kafka.after-commit"] = lambda: passed.append(0) or (len(passed) == 2 and crash())
    with pytest.raises(CommitError):
        run.commit(committables)
    ARMED.clear()
    assert sorted(broker.values(topic)) == ["a", "b"]
    run.commit([*committables, *prepared(run, ["e"])], recovered=True)
    assert sorted(broker.values(topic)) == ["a", "b", "c", "d", "e"]


def test_a_driver_that_was_replaced_is_fenced(broker):
    topic = broker.create()
    run = run_of(exactly_once(broker, topic).build())
    committables = prepared(run, ["a"])

    def replace():
        ARMED.clear()
        run.commit(committables, recovered=True)

    ARMED["kafka.before-commit"] = replace
    with pytest.raises(CommitError, match="fenced"):
        run.commit(committables)
    assert broker.values(topic) == ["a"]
    assert len(broker.values(topic, "read_uncommitted")) == 2


def test_a_driver_that_was_replaced_and_wakes_up_later_notices(broker):
    topic = broker.create()
    sink = exactly_once(broker, topic).build()
    run = run_of(sink)
    first, second, third = prepared(run, ["a"], ["b"], ["c"])
    commit_all(sink, [first], recovered=False)
    run.commit([second], recovered=True)
    run.commit([third])
    with pytest.raises(CommitError, match="another driver has taken the job over"):
        commit_all(sink, [second], recovered=False)
    assert sorted(broker.values(topic)) == ["a", "b", "c"]


def test_two_topics_have_their_marks_apart(broker):
    topics = [broker.create(), broker.create()]
    serializer = KafkaRecordSerializationSchema.builder().set_topic_selector(lambda text: topics[int(text[0])])
    serializer = serializer.set_value_serialization_schema(SimpleStringSchema()).build()
    sink = sink_to(broker, serializer, Guarantee.EXACTLY_ONCE).set_transactional_id_prefix(topics[0]).build()
    run = run_of(sink)
    committables = prepared(run, ["0a", "1b"], ["1c"])
    run.commit(committables)
    committables += prepared(run, ["1d", "0e"])
    run.commit(committables, recovered=True)
    run.commit(committables, recovered=True)
    shown = Counter(value for topic in topics for value in broker.values(topic))
    assert shown == Counter(["0a", "1b", "1c", "1d", "0e"])


def test_staged_files_that_are_gone(broker, monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(staged_messages, "INLINE_BYTES", 0)
    topic = broker.create()
    run = run_of(exactly_once(broker, topic).set_staging_directory(tmp_path).build())
    committables = prepared(run, ["a"])
    run.undo_stale([])
    with pytest.raises(CommitError, match=r"1 messages for topic .* which is gone"):
        run.commit(committables)
    with caplog.at_level(logging.WARNING):
        run.commit(committables, recovered=True)
    assert "committed long ago" in caplog.text


def test_a_cluster_that_does_not_answer_is_asked_again_and_then_given_up(monkeypatch, caplog):
    monkeypatch.setattr(committer, "REQUEST_TIMEOUT", 0.05)
    monkeypatch.setattr(committer, "PATIENCE", (0.001, 0.001))

    class Nowhere:
        servers = "127.0.0.1:1"

    run = run_of(exactly_once(Nowhere, "t").build())
    with pytest.raises(CommitError, match=r"Kafka \(127\.0\.0\.1:1\): committing a transaction"):
        run.commit(prepared(run, ["a"]))
    assert caplog.text.count("the commit is tried again") == 2


def test_what_is_missing_is_named():
    def bare():
        return KafkaSink.builder().set_bootstrap_servers("x:1")

    with pytest.raises(GraphError, match="set_record_serializer"):
        bare().build()
    with pytest.raises(GraphError, match=r"builder\(\) makes one of a topic"):
        bare().set_record_serializer(SimpleStringSchema())
    with pytest.raises(GraphError, match=r"set_transactional_id_prefix\('billing'\)"):
        bare().set_record_serializer(text_to("t").build()).set_delivery_guarantee(Guarantee.EXACTLY_ONCE).build()
    with pytest.raises(GraphError, match=r"set_topic\('orders'\)"):
        KafkaRecordSerializationSchema.builder().build()
    with pytest.raises(GraphError, match="set_value_serialization_schema"):
        KafkaRecordSerializationSchema.builder().set_topic("t").build()
    with pytest.raises(TypeError, match="must be KafkaTopicSelector or a callable"):
        KafkaRecordSerializationSchema.builder().set_topic_selector("t")
    assert KafkaSink.builder()._guarantee is Guarantee.NONE
