"""Kafka's source and sink go through the conformance kit."""

from __future__ import annotations

from uuid import uuid4

import pytest

from flott.common.serialization import SimpleStringSchema
from flott.connectors.kafka import staged_messages
from flott.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SinkCase, SourceCase

pytestmark = pytest.mark.job

TEXTS = [f"text {number}" for number in range(24)]


def source(cluster, topic):
    builder = KafkaSource.builder().set_bootstrap_servers(cluster.servers).set_topics(topic).set_group_id("conformance")
    return builder.set_value_only_deserializer(SimpleStringSchema())


@pytest.fixture(params=["mock", "broker"])
def filled(request):
    cluster = request.getfixturevalue(request.param)
    topic = f"filled-{uuid4().hex[:8]}"
    if request.param == "broker":
        cluster.create(name=topic)
    cluster.send(topic, TEXTS)
    return cluster, topic


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
def test_bounded_source(filled, check):
    cluster, topic = filled
    bounded = source(cluster, topic).set_bounded(KafkaOffsetsInitializer.latest()).build()
    check(SourceCase(lambda: bounded, expected=TEXTS))


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
def test_unbounded_source(filled, check):
    cluster, topic = filled

    def more():
        cluster.send(topic, ["late 1", "late 2"])
        return ["late 1", "late 2"]

    committed_only = source(cluster, topic).set_property("isolation.level", "read_committed").build()
    check(SourceCase(lambda: committed_only, expected=TEXTS, more=more))


def sink(cluster, topic, guarantee):
    serializer = KafkaRecordSerializationSchema.builder().set_topic(topic)
    serializer = serializer.set_value_serialization_schema(SimpleStringSchema()).build()
    builder = KafkaSink.builder().set_bootstrap_servers(cluster.servers).set_record_serializer(serializer)
    return builder.set_delivery_guarantee(guarantee).set_transactional_id_prefix(topic)


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("staging", ["checkpoint", "files"])
def test_exactly_once_sink(broker, tmp_path, monkeypatch, staging, check):
    topic = broker.create()
    exact = sink(broker, topic, DeliveryGuarantee.EXACTLY_ONCE)
    if staging == "files":
        monkeypatch.setattr(staged_messages, "INLINE_BYTES", 0)
        exact = exact.set_staging_directory(tmp_path)
    check(SinkCase(exact.build, lambda: broker.values(topic), leftovers=lambda: list(tmp_path.rglob("*"))))


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_at_least_once_sink(mock, check):
    topic = f"at-least-{uuid4().hex[:8]}"
    mock.send(topic, [])
    plain = sink(mock, topic, DeliveryGuarantee.AT_LEAST_ONCE)
    check(SinkCase(plain.build, lambda: mock.values(topic), exactly_once=False))
