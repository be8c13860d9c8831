"""Rows through Kafka and back, in the formats and by the steps of PyFlink's own examples."""

from __future__ import annotations

import pytest

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.serialization import RowFieldExtractorSchema
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from flott.datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from flott.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema

pytestmark = pytest.mark.job

PAIRS = [(1, "hi"), (2, "hello"), (3, "hi"), (4, "a, b")]
KIND = Types.ROW([Types.INT(), Types.STRING()])
SCHEMAS = {
    "json": (
        JsonRowSerializationSchema.Builder().with_type_info(KIND).build(),
        JsonRowDeserializationSchema.Builder().type_info(KIND).build(),
    ),
    "csv": (CsvRowSerializationSchema.Builder(KIND).build(), CsvRowDeserializationSchema.Builder(KIND).build()),
}


def environment():
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    return StreamExecutionEnvironment.get_execution_environment(configuration)


def write(broker, topic, rows, kind, *schemas):
    serializer = KafkaRecordSerializationSchema.builder().set_topic(topic).set_value_serialization_schema(schemas[0])
    if schemas[1:]:
        serializer = serializer.set_key_serialization_schema(schemas[1])
    sink = KafkaSink.builder().set_record_serializer(serializer.build()).set_bootstrap_servers(broker.servers)
    env = environment()
    # A property of consumers, which PyFlink's example gives to the sink, does no harm.
    env.from_collection(rows, type_info=kind).sink_to(sink.set_property("group.id", "test_group").build())
    env.execute()


@pytest.mark.parametrize("name", SCHEMAS)
def test_rows_come_back(broker, name):
    topic = broker.create()
    serializer, deserializer = SCHEMAS[name]
    write(broker, topic, PAIRS, KIND, serializer)
    source = (
        KafkaSource.builder()
        .set_topics(topic)
        .set_value_only_deserializer(deserializer)
        .set_properties({"bootstrap.servers": broker.servers, "group.id": "test_group_1"})
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .build()
    )
    stream = environment().from_source(source, WatermarkStrategy.no_watermarks(), "kafka source")
    assert sorted(map(tuple, stream.execute_and_collect())) == PAIRS


def test_fields_of_a_row_as_key_and_value(broker):
    topic = broker.create()
    kind = Types.ROW([Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY()])
    write(broker, topic, [(b"k", b"v")], kind, RowFieldExtractorSchema(1), RowFieldExtractorSchema(0))
    assert [(message.key(), message.value()) for message in broker.messages(topic)] == [(b"k", b"v")]
