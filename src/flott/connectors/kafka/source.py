"""Kafka as a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from flott.connectors.base import Source
from flott.connectors.kafka.cluster import KafkaCluster
from flott.connectors.kafka.enumerator import KafkaEnumerator
from flott.connectors.kafka.offsets import KafkaTopicPartition
from flott.connectors.kafka.reader import PartitionReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.connectors.kafka.enumerator import KafkaReading
    from flott.connectors.kafka.records import KafkaRecordDeserializationSchema
    from flott.connectors.kafka.source_builder import KafkaSourceBuilder
    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead


class KafkaSource(Source):
    """Messages of Kafka topics.

    Each partition is a split, with its own watermark. The driver plans up to which offset an epoch reads, so an epoch
    that is tried again reads the same messages; offsets are kept in checkpoints, and told to the consumer group when a
    checkpoint is complete. Needs the extra ``flott[kafka]``.

    >>> from flott.common.serialization import SimpleStringSchema
    >>> from flott.connectors.kafka.offsets import KafkaOffsetsInitializer
    >>> source = (
    ...     KafkaSource.builder()
    ...     .set_bootstrap_servers("kafka.example.com:9092")
    ...     .set_topics("orders")
    ...     .set_group_id("billing")
    ...     .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    ...     .set_value_only_deserializer(SimpleStringSchema())
    ...     .build()
    ... )
    >>> source.is_bounded()
    False
    """

    fresh_batches: ClassVar[bool] = True

    @staticmethod
    def builder() -> KafkaSourceBuilder:
        """Start to build a source."""
        from flott.connectors.kafka.source_builder import KafkaSourceBuilder

        return KafkaSourceBuilder()

    def __init__(
        self, reading: KafkaReading, deserializer: KafkaRecordDeserializationSchema, properties: dict[str, str]
    ) -> None:
        self.reading = reading
        self.deserializer = deserializer
        self.properties = properties
        self._reader: PartitionReader | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Connections stay where they are.
        return {**self.__dict__, "_reader": None}

    def is_bounded(self) -> bool:
        return self.reading.bounded

    def create_enumerator(self, parallelism: int) -> KafkaEnumerator:
        return KafkaEnumerator(self.reading, KafkaCluster(self.properties), parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        if read.start == read.end:
            return
        if self._reader is None:
            self._reader = PartitionReader(self.properties)
            self.deserializer.open()
        make_batch = self.deserializer.batch
        try:
            for messages in self._reader.read(KafkaTopicPartition.of(read.split), read.start, read.end):
                batch = make_batch(messages)
                if len(batch):
                    yield batch
        except BaseException:
            # Whatever stopped in the middle stands anywhere.
            reader, self._reader = self._reader, None
            reader.close()
            raise

    def get_produced_type(self) -> TypeInformation | None:
        return self.deserializer.get_produced_type()
