"""Apache Kafka as source and sink, with PyFlink's names and no jar. Needs the extra ``flott[kafka]``.

>>> from flott.common.serialization import SimpleStringSchema
>>> source = (
...     KafkaSource.builder()
...     .set_bootstrap_servers("kafka.example.com:9092")
...     .set_topic_pattern("orders-.*")
...     .set_deserializer(lambda record: (record.key, record.value, record.timestamp))
...     .set_bounded(KafkaOffsetsInitializer.latest())
...     .build()
... )
>>> source.is_bounded()
True
"""

from __future__ import annotations

from flott.connectors.base import DeliveryGuarantee
from flott.connectors.kafka.offsets import KafkaOffsetResetStrategy, KafkaOffsetsInitializer, KafkaTopicPartition
from flott.connectors.kafka.records import KafkaConsumerRecord, KafkaRecordDeserializationSchema
from flott.connectors.kafka.serialization import (
    KafkaProducerRecord,
    KafkaRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
    KafkaTopicSelector,
)
from flott.connectors.kafka.sink import KafkaSink, KafkaSinkBuilder
from flott.connectors.kafka.source import KafkaSource
from flott.connectors.kafka.source_builder import KafkaSourceBuilder

__all__ = [
    "DeliveryGuarantee",
    "KafkaConsumerRecord",
    "KafkaOffsetResetStrategy",
    "KafkaOffsetsInitializer",
    "KafkaProducerRecord",
    "KafkaRecordDeserializationSchema",
    "KafkaRecordSerializationSchema",
    "KafkaRecordSerializationSchemaBuilder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "KafkaSource",
    "KafkaSourceBuilder",
    "KafkaTopicPartition",
    "KafkaTopicSelector",
]
