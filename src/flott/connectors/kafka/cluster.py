"""What the driver asks a cluster: which partitions there are, and their offsets."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from flott.connectors.kafka.client import REQUEST_TIMEOUT, KafkaError, client_properties, explain, kafka_module
from flott.connectors.kafka.client import make_client as make
from flott.connectors.kafka.offsets import KafkaTopicPartition

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

log = logging.getLogger("flott.kafka")

GROUP = "flott"
"""The consumer group of a source without one: the client wants a name, though nobody joins the group."""
READ_COMMITTED = "read_committed"


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a source reads: topics, topics by a pattern, or single partitions."""

    topics: tuple[str, ...] = ()
    pattern: str | None = None
    partitions: tuple[KafkaTopicPartition, ...] = ()


class KafkaCluster:
    """The driver's connection to a cluster; connects when it is first asked."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._servers = properties["bootstrap.servers"]
        self._group = properties.get("group.id")
        self._isolation = properties.get("isolation.level", "read_uncommitted")
        self._admin: Any = None
        self._consumer: Any = None

    def partitions(self, subscription: Subscription) -> list[KafkaTopicPartition]:
        """Return the partitions that are there now; one that was named and is not there is an error."""
        self._admin = None  # it goes on to know what it knew, and would deny partitions that are new
        if subscription.pattern is not None:
            wanted = re.compile(subscription.pattern)
            topics = self._metadata(None)
            return [one for topic in sorted(topics) if wanted.fullmatch(topic) for one in topics[topic]]
        names = subscription.topics or sorted({one.topic for one in subscription.partitions})
        found = [one for name in names for one in self._metadata(name)[name]]
        if not subscription.partitions:
            return found
        for one in subscription.partitions:
            if one not in found:
                raise KafkaError(f"Kafka ({self._servers}): topic '{one.topic}' has no partition {one.partition}")
        return list(subscription.partitions)

    def _metadata(self, topic: str | None) -> dict[str, list[KafkaTopicPartition]]:
        kafka = kafka_module()
        try:
            metadata = self._client().list_topics(*([] if topic is None else [topic]), timeout=REQUEST_TIMEOUT)
        except kafka.KafkaException as error:
            raise explain(error, "asking for its topics", self._servers) from error
        if topic is not None:
            trouble = metadata.topics[topic].error
            if trouble is not None:
                found = explain(kafka.KafkaException(trouble), f"asking for topic '{topic}'", self._servers)
                if trouble.code() == kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
                    found = type(found)(f"{found}. {self._instead_of(topic)}")
                raise found
        return {
            name: [KafkaTopicPartition(name, number) for number in sorted(known.partitions)]
            for name, known in metadata.topics.items()
        }

    def _instead_of(self, topic: str) -> str:
        """Say what to do about a topic that is not there."""
        known = [name for name in self._metadata(None) if not name.startswith("__")]
        close = get_close_matches(topic, known, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        return f"Create the topic before the job starts, or name one of the {len(known)} that are there{hint}"

    # Offsets

    def earliest(self, partitions: Collection[KafkaTopicPartition]) -> dict[KafkaTopicPartition, int]:
        """Return the oldest offset of each partition."""
        return self._offsets(partitions, "earliest")

    def latest(self, partitions: Collection[KafkaTopicPartition]) -> dict[KafkaTopicPartition, int]:
        """Return the offset behind the last record of each partition that may be read."""
        return self._offsets(partitions, "latest")

    def at(self, partitions: Collection[KafkaTopicPartition], timestamp: int) -> dict[KafkaTopicPartition, int]:
        """Return the first offset whose record is not older than a timestamp; nothing where there is none."""
        found = self._offsets(partitions, "for_timestamp", timestamp)
        return {one: offset for one, offset in found.items() if offset >= 0}

    def _offsets(
        self, partitions: Collection[KafkaTopicPartition], kind: str, *of: int
    ) -> dict[KafkaTopicPartition, int]:
        if not partitions:
            return {}
        kafka = kafka_module()
        if self._admin is None:
            self._admin = make("AdminClient", client_properties(self._without_group()))
        spec = getattr(kafka.admin.OffsetSpec, kind)(*of)
        level = kafka.IsolationLevel
        isolation = level.READ_COMMITTED if self._isolation == READ_COMMITTED else level.READ_UNCOMMITTED
        try:
            asked = self._admin.list_offsets(
                {kafka.TopicPartition(one.topic, one.partition): spec for one in partitions},
                isolation_level=isolation,
                request_timeout=REQUEST_TIMEOUT,
            )
            return {
                KafkaTopicPartition(one.topic, one.partition): answer.result().offset for one, answer in asked.items()
            }
        except kafka.KafkaException as error:
            raise explain(error, "asking for offsets", self._servers) from error

    def committed(self, partitions: Collection[KafkaTopicPartition]) -> dict[KafkaTopicPartition, int]:
        """Return what the consumer group has committed; nothing for partitions without."""
        kafka = kafka_module()
        if self._group is None:
            return {}
        try:
            found = self._client().committed(
                [kafka.TopicPartition(one.topic, one.partition) for one in partitions], REQUEST_TIMEOUT
            )
        except kafka.KafkaException as error:
            raise explain(error, f"asking for the offsets of group '{self._group}'", self._servers) from error
        return {KafkaTopicPartition(one.topic, one.partition): one.offset for one in found if one.offset >= 0}

    def commit(self, offsets: Mapping[KafkaTopicPartition, int]) -> None:
        """Tell the cluster where the group stands, for whoever watches it; the job itself never reads this."""
        kafka = kafka_module()
        if self._group is None or not offsets:
            return
        places = [kafka.TopicPartition(one.topic, one.partition, offset) for one, offset in offsets.items()]
        try:
            self._client().commit(offsets=places, asynchronous=False)
        except kafka.KafkaException as error:
            log.warning("%s", explain(error, f"committing offsets for group '{self._group}'", self._servers))

    # Clients

    def _client(self) -> Any:
        if self._consumer is None:
            group = self._group or GROUP
            own = {"group.id": group, "enable.auto.commit": False}
            self._consumer = make("Consumer", {**client_properties(self._properties), **own})
        return self._consumer

    def _without_group(self) -> dict[str, str]:
        return {name: value for name, value in self._properties.items() if name not in {"group.id", "isolation.level"}}

    def close(self) -> None:
        """Disconnect."""
        consumer, self._consumer, self._admin = self._consumer, None, None
        if consumer is not None:
            consumer.close()
