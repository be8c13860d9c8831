"""Gathers the settings of a Kafka source, with PyFlink's names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.connectors.kafka.client import checked_properties, kafka_module
from flott.connectors.kafka.cluster import Subscription
from flott.connectors.kafka.enumerator import KafkaReading
from flott.connectors.kafka.offsets import KafkaOffsetsInitializer, KafkaTopicPartition
from flott.connectors.kafka.records import ByFunction, KafkaRecordDeserializationSchema
from flott.connectors.kafka.source import KafkaSource
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from flott.common.serialization import DeserializationSchema
    from flott.connectors.kafka.records import KafkaConsumerRecord

DISCOVERY_INTERVAL = 300_000


class KafkaSourceBuilder:
    """Gathers the settings of a Kafka source; servers, topics and a deserialiser are needed."""

    def __init__(self) -> None:
        self._properties: dict[str, str] = {}
        self._subscription: Subscription | None = None
        self._start = KafkaOffsetsInitializer.earliest()
        self._stop: KafkaOffsetsInitializer | None = None
        self._bounded = False
        self._deserializer: KafkaRecordDeserializationSchema | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> KafkaSourceBuilder:
        """Say where the cluster is: ``host:port``, several with commas between them."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_group_id(self, group_id: str) -> KafkaSourceBuilder:
        """Name the consumer group, which is told the offsets of complete checkpoints."""
        return self.set_property("group.id", group_id)

    def set_topics(self, *topics: str) -> KafkaSourceBuilder:
        """Read these topics; all must be there when the job starts."""
        if not topics or not all(isinstance(topic, str) for topic in topics):
            raise GraphError(f"set_topics{topics!r}: name topics one by one: set_topics('orders', 'payments')")
        return self._subscribe(Subscription(topics=topics))

    def set_topic_pattern(self, topic_pattern: str) -> KafkaSourceBuilder:
        """Read the topics whose whole name a regular expression matches, also those that are made later."""
        try:
            re.compile(topic_pattern)
        except re.error as error:
            raise GraphError(f"set_topic_pattern({topic_pattern!r}): {error}") from None
        return self._subscribe(Subscription(pattern=topic_pattern))

    def set_partitions(self, partitions: Collection[KafkaTopicPartition]) -> KafkaSourceBuilder:
        """Read single partitions: ``{KafkaTopicPartition("orders", 0)}``."""
        if not partitions or not all(isinstance(one, KafkaTopicPartition) for one in partitions):
            raise GraphError(f"set_partitions({partitions!r}): give a set of KafkaTopicPartition('topic', 0)")
        return self._subscribe(Subscription(partitions=tuple(sorted(partitions))))

    def _subscribe(self, subscription: Subscription) -> KafkaSourceBuilder:
        if self._subscription is not None:
            raise GraphError("a KafkaSource has topics, a topic pattern or partitions: one of them, once")
        self._subscription = subscription
        return self

    def set_starting_offsets(self, starting_offsets_initializer: KafkaOffsetsInitializer) -> KafkaSourceBuilder:
        """Say where to start when there is no checkpoint; the default is the earliest."""
        self._start = starting_offsets_initializer
        return self

    def set_unbounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> KafkaSourceBuilder:
        """Stop at these offsets, but count as a source without end, such as for the execution mode."""
        self._stop, self._bounded = stopping_offsets_initializer, False
        return self

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> KafkaSourceBuilder:
        """End at these offsets, such as ``KafkaOffsetsInitializer.latest()``: what is there when the job starts."""
        self._stop, self._bounded = stopping_offsets_initializer, True
        return self

    def set_value_only_deserializer(self, deserialization_schema: DeserializationSchema[Any]) -> KafkaSourceBuilder:
        """Make records of the messages' values."""
        self._deserializer = KafkaRecordDeserializationSchema.value_only(deserialization_schema)
        return self

    def set_deserializer(
        self, record_deserializer: KafkaRecordDeserializationSchema | Callable[[KafkaConsumerRecord], Any]
    ) -> KafkaSourceBuilder:
        """Make records of whole messages, with key, headers, timestamp, partition and offset; Java Flink's name."""
        if isinstance(record_deserializer, KafkaRecordDeserializationSchema):
            self._deserializer = record_deserializer
        elif callable(record_deserializer):
            self._deserializer = ByFunction(record_deserializer)
        else:
            raise GraphError(
                f"set_deserializer({record_deserializer!r:.100}): give a KafkaRecordDeserializationSchema, or a "
                f"function from a KafkaConsumerRecord to a record"
            )
        return self

    def set_client_id_prefix(self, prefix: str) -> KafkaSourceBuilder:
        """Choose what the names begin with by which the cluster knows the job's clients."""
        return self.set_property("client.id.prefix", prefix)

    def set_property(self, key: str, value: str) -> KafkaSourceBuilder:
        """Set a property of the client (librdkafka's names), or one of the source's own.

        The source's own: ``partition.discovery.interval.ms`` (300000; negative: off), ``commit.offsets.on.checkpoint``.
        """
        self._properties.update(checked_properties({key: value}))
        return self

    def set_properties(self, props: Mapping[str, Any]) -> KafkaSourceBuilder:
        """Set several properties."""
        self._properties.update(checked_properties(props))
        return self

    def build(self) -> KafkaSource:
        """Return the source."""
        kafka_module()
        properties = dict(self._properties)
        if "bootstrap.servers" not in properties:
            raise GraphError("KafkaSource: say where the cluster is: set_bootstrap_servers('host:9092')")
        if self._subscription is None:
            raise GraphError("KafkaSource: say what to read: set_topics(...), set_topic_pattern or set_partitions")
        if self._deserializer is None:
            raise GraphError(
                "KafkaSource: say what a record is: set_value_only_deserializer(SimpleStringSchema()) or "
                "set_deserializer(...)"
            )
        prefix = properties.get("client.id.prefix") or properties.get("group.id")
        if prefix is not None:
            properties["client.id"] = f"{prefix}-{uuid4().hex[:8]}"
        interval = int(properties.get("partition.discovery.interval.ms", DISCOVERY_INTERVAL))
        reading = KafkaReading(
            self._subscription,
            self._start,
            self._stop,
            bounded=self._bounded,
            discovery_interval=interval if interval > 0 else None,
            commits=properties.get("commit.offsets.on.checkpoint", "true") == "true",
        )
        return KafkaSource(reading, self._deserializer, properties)
