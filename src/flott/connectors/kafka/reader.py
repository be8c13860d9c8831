"""Reads ranges of partitions in a task; consumers stay connected between epochs."""

from __future__ import annotations

import time
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from flott.connectors.base import BATCH_SIZE
from flott.connectors.kafka.client import (
    REQUEST_TIMEOUT,
    KafkaConnectionError,
    KafkaError,
    client_properties,
    explain,
    kafka_module,
    make_client,
)
from flott.connectors.kafka.cluster import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flott.connectors.kafka.offsets import KafkaTopicPartition

MOST_CONSUMERS = 16
"""Of one subtask; with more partitions than that, consumers go from one to the next."""
QUEUED_KILOBYTES = 8_192
"""What a consumer holds that was not asked for yet."""
ERROR = methodcaller("error")
LOOK_EVERY = 0.05
"""Seconds; only where offsets have gaps does a batch stay smaller than what was asked for."""


class PartitionReader:
    """Reads partitions from one offset to another; where a read goes on from the last one, messages are there."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        own = {
            "group.id": properties.get("group.id", GROUP),
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
        }
        defaults = {
            "isolation.level": "read_uncommitted",
            "queued.max.messages.kbytes": QUEUED_KILOBYTES,
            "fetch.wait.max.ms": 100,
        }
        self._properties = {**defaults, **client_properties(properties), **own}
        self._servers = properties["bootstrap.servers"]
        self._consumers: dict[KafkaTopicPartition, tuple[Any, int]] = {}
        """A consumer and where it stands; the one not used for longest comes first."""

    def read(self, one: KafkaTopicPartition, start: int, end: int) -> Iterator[list[Any]]:
        """Give out the messages from ``start`` up to, not including, ``end``; offsets may have gaps."""
        consumer = self._consumer(one, start)
        position = start
        patience = time.monotonic() + REQUEST_TIMEOUT
        while position < end:
            messages = consumer.consume(min(BATCH_SIZE, end - position), LOOK_EVERY)
            found: list[Any] = messages
            if any(map(ERROR, messages)):
                found = []
                for message in messages:
                    if message.error() is None:
                        found.append(message)
                    else:
                        position = max(position, self._end_or_error(message, one, position, end))
            while found and found[-1].offset() >= end:
                found = found[:-1]
                position = end  # and one message too far: the next read has to come back to it
            if found:
                position = max(position, found[-1].offset() + 1)
                yield found
            if messages:
                patience = time.monotonic() + REQUEST_TIMEOUT
            elif time.monotonic() > patience:
                raise KafkaConnectionError(
                    f"Kafka ({self._servers}): topic '{one.topic}', partition {one.partition} should have messages "
                    f"from {position} to {end}; none came for {REQUEST_TIMEOUT:g} s"
                )
        self._keep(one, consumer, messages[-1] if start < end else None, end)

    def _keep(self, one: KafkaTopicPartition, consumer: Any, last: Any, end: int) -> None:
        # Only behind the very last message, or at the partition's end, does it stand where the next read begins.
        went_on = last is not None and last.offset() == (end - 1 if last.error() is None else end)
        self._consumers[one] = (consumer, end if went_on else -1)

    def _consumer(self, one: KafkaTopicPartition, start: int) -> Any:
        """Return a consumer of a partition that stands at an offset."""
        kafka = kafka_module()
        if one in self._consumers:
            consumer, position = self._consumers.pop(one)
            if position == start:
                return consumer
        elif len(self._consumers) >= MOST_CONSUMERS:
            consumer, _ = self._consumers.pop(next(iter(self._consumers)))
        else:
            consumer = make_client("Consumer", self._properties)
        consumer.assign([kafka.TopicPartition(one.topic, one.partition, start)])
        return consumer

    def _end_or_error(self, message: Any, one: KafkaTopicPartition, position: int, end: int) -> int:
        """Return where the partition ends, if that is what the client says."""
        kafka = kafka_module()
        error = message.error()
        code = error.code()
        if code == kafka.KafkaError._PARTITION_EOF:  # noqa: SLF001 - their name for it
            return min(int(message.offset()), end)
        where = f"reading topic '{one.topic}', partition {one.partition}, at offset {position}"
        if code in {kafka.KafkaError._AUTO_OFFSET_RESET, kafka.KafkaError.OFFSET_OUT_OF_RANGE}:  # noqa: SLF001
            raise KafkaError(
                f"Kafka ({self._servers}): {where}: the message is no longer there. It was removed before the job came "
                f"to it: let the topic keep its messages longer (retention.ms, retention.bytes)"
            )
        raise explain(kafka.KafkaException(error), where, self._servers)

    def close(self) -> None:
        """Disconnect."""
        while self._consumers:
            self._consumers.popitem()[1][0].close()
