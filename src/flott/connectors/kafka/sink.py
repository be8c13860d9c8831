"""Kafka as a sink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.base import DeliveryGuarantee, Sink, SupportsCommitter
from flott.connectors.kafka.client import checked_properties, kafka_module
from flott.connectors.kafka.committer import KafkaCommitter
from flott.connectors.kafka.serialization import KafkaRecordSerializationSchema
from flott.connectors.kafka.sink_settings import KafkaSinkSettings
from flott.connectors.kafka.staged_messages import StagedStore
from flott.connectors.kafka.writers import SendingWriter, StagingWriter
from flott.connectors.paths import absolute
from flott.errors import GraphError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from flott.connectors.base import SinkScope, SinkWriter
    from flott.connectors.kafka.committer import Place
    from flott.connectors.kafka.staged_messages import StagedMessages
    from flott.runtime.operators.sinks import WriterInitContext

LONGEST_PREFIX = 6_400


class KafkaSink(Sink, SupportsCommitter):
    """Writes records to Kafka topics. Needs the extra ``flott[kafka]``.

    With ``DeliveryGuarantee.NONE``, the default, messages are sent and not waited for. With AT_LEAST_ONCE an epoch ends
    when its messages have arrived. With EXACTLY_ONCE readers of committed messages see each once, when the next
    checkpoint is complete; docs/exactly-once.md says how, and what the limits are.

    >>> from flott.common.serialization import SimpleStringSchema
    >>> sink = (
    ...     KafkaSink.builder()
    ...     .set_bootstrap_servers("kafka.example.com:9092")
    ...     .set_record_serializer(
    ...         KafkaRecordSerializationSchema.builder()
    ...         .set_topic("totals")
    ...         .set_value_serialization_schema(SimpleStringSchema())
    ...         .build()
    ...     )
    ...     .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    ...     .set_transactional_id_prefix("billing")
    ...     .build()
    ... )
    """

    def __init__(self, settings: KafkaSinkSettings) -> None:
        self.settings = settings
        self._marks: dict[Place, str | None] = {}
        self._scope: SinkScope | None = None
        """Whose commits these are; known in the driver, before its first commit."""

    def __getstate__(self) -> dict[str, Any]:
        # What one driver knows of its commits is not true of another.
        return {"settings": self.settings, "_marks": {}, "_scope": None}

    def create_writer(self, context: WriterInitContext) -> SinkWriter:
        if self.settings.exactly_once:
            return StagingWriter(self.settings, context)
        return SendingWriter(self.settings)

    def create_committer(self) -> KafkaCommitter:
        return KafkaCommitter(
            self.settings.properties, StagedStore(self.settings.staging_directory), self._marks, self._scope
        )

    def abort_stale(self, scope: SinkScope, kept: list[StagedMessages]) -> None:
        self._scope = scope
        StagedStore(self.settings.staging_directory).tidy(scope, kept)

    def make_durable(self, committables: list[StagedMessages], *, committed: bool) -> None:
        if not committed:
            StagedStore(self.settings.staging_directory).make_durable(committables)

    @staticmethod
    def builder() -> KafkaSinkBuilder:
        """Start to build a sink."""
        return KafkaSinkBuilder()


class KafkaSinkBuilder:
    """Gathers the settings of a Kafka sink; servers and a record serialiser are needed."""

    def __init__(self) -> None:
        self._properties: dict[str, str] = {}
        self._serializer: KafkaRecordSerializationSchema | None = None
        self._guarantee = DeliveryGuarantee.NONE
        self._prefix: str | None = None
        self._staging: str | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> KafkaSinkBuilder:
        """Say where the cluster is: ``host:port``, several with commas between them."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> KafkaSinkBuilder:
        """Choose how often a message may show after a failure; the default is NONE."""
        if not isinstance(delivery_guarantee, DeliveryGuarantee):
            raise GraphError(f"set_delivery_guarantee({delivery_guarantee!r}): give one of DeliveryGuarantee's values")
        self._guarantee = delivery_guarantee
        return self

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> KafkaSinkBuilder:
        """Name the transactions of an exactly-once sink: unique in the cluster, and the same after restarts."""
        if not 0 < len(transactional_id_prefix.encode()) <= LONGEST_PREFIX:
            raise GraphError(f"set_transactional_id_prefix: a prefix has 1 to {LONGEST_PREFIX} bytes")
        self._prefix = transactional_id_prefix
        return self

    def set_staging_directory(self, directory: str | os.PathLike[str]) -> KafkaSinkBuilder:
        """Keep large epochs of an exactly-once sink in files, not in the checkpoint: a path or URL that all reach."""
        self._staging = absolute(directory)
        return self

    def set_record_serializer(self, record_serializer: KafkaRecordSerializationSchema) -> KafkaSinkBuilder:
        """Say how a record is written: topic, key and value."""
        if not isinstance(record_serializer, KafkaRecordSerializationSchema):
            raise GraphError(
                f"set_record_serializer({record_serializer!r:.100}): give a KafkaRecordSerializationSchema; "
                f"KafkaRecordSerializationSchema.builder() makes one of a topic and a SerializationSchema"
            )
        self._serializer = record_serializer
        return self

    def set_property(self, key: str, value: str) -> KafkaSinkBuilder:
        """Set a property of the client (librdkafka's names)."""
        self._properties.update(checked_properties({key: value}))
        return self

    def set_kafka_producer_config(self, props: Mapping[str, str]) -> KafkaSinkBuilder:
        """Set several properties; Java Flink's name."""
        self._properties.update(checked_properties(props))
        return self

    def build(self) -> KafkaSink:
        """Return the sink."""
        kafka_module()
        if "bootstrap.servers" not in self._properties:
            raise GraphError("KafkaSink: say where the cluster is: set_bootstrap_servers('host:9092')")
        if self._serializer is None:
            raise GraphError("KafkaSink: say what to write: set_record_serializer(...)")
        if self._guarantee is DeliveryGuarantee.EXACTLY_ONCE and self._prefix is None:
            raise GraphError(
                "KafkaSink with EXACTLY_ONCE: name its transactions, set_transactional_id_prefix('billing'). The "
                "prefix must be unique among the sinks of the cluster, and the same after a restart"
            )
        return KafkaSink(
            KafkaSinkSettings(
                dict(self._properties), self._serializer, self._guarantee, self._prefix or "kafka-sink", self._staging
            )
        )
