"""Where reading starts and stops: offsets that are looked up when the job starts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from flott.connectors.kafka.client import KafkaError
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


@dataclass(frozen=True, slots=True, order=True)
class KafkaTopicPartition:
    """One partition of a topic.

    >>> KafkaTopicPartition("orders", 0)
    KafkaTopicPartition(topic='orders', partition=0)
    """

    topic: str
    partition: int

    @property
    def split(self) -> str:
        """The name of the split that this is."""
        return f"{self.topic}-{self.partition}"

    @staticmethod
    def of(split: str) -> KafkaTopicPartition:
        """Return the partition that a split's name stands for."""
        topic, _, partition = split.rpartition("-")
        return KafkaTopicPartition(topic, int(partition))


class KafkaOffsetResetStrategy(Enum):
    """Where to go when an offset is not known, or no longer there."""

    LATEST = 0
    """To the end: only what comes from now on."""
    EARLIEST = 1
    """To the oldest record that is there."""
    NONE = 2
    """Nowhere: the job fails."""


class OffsetLookup(Protocol):
    """Asks the cluster."""

    def earliest(self, partitions: Collection[KafkaTopicPartition]) -> dict[KafkaTopicPartition, int]:
        """Return the oldest offset of each partition."""

    def latest(self, partitions: Collection[KafkaTopicPartition]) -> dict[KafkaTopicPartition, int]:
        """Return the offset behind the last record of each partition."""

    def committed(self, partitions: Collection[KafkaTopicPartition]) -> dict[KafkaTopicPartition, int]:
        """Return what the consumer group has committed; nothing for partitions without."""

    def at(self, partitions: Collection[KafkaTopicPartition], timestamp: int) -> dict[KafkaTopicPartition, int]:
        """Return the first offset whose record is not older than a timestamp; nothing where there is none."""


Found = dict[KafkaTopicPartition, int]


class KafkaOffsetsInitializer:
    """Says at which offsets a source starts, or stops.

    >>> start = KafkaOffsetsInitializer.offsets({KafkaTopicPartition("orders", 0): 1000})
    >>> start.reset
    <KafkaOffsetResetStrategy.EARLIEST: 1>
    """

    def __init__(
        self, find: Callable[[OffsetLookup, Collection[KafkaTopicPartition]], Found], reset: KafkaOffsetResetStrategy
    ) -> None:
        self._find = find
        self.reset = reset
        """Where to go when an offset is not there, also later in the job."""

    def find(self, lookup: OffsetLookup, partitions: Collection[KafkaTopicPartition]) -> Found:
        """Return the offset of each partition."""
        found = self._find(lookup, partitions)
        missing = [partition for partition in partitions if partition not in found]
        if not missing:
            return found
        if self.reset is KafkaOffsetResetStrategy.EARLIEST:
            return {**found, **lookup.earliest(missing)}
        if self.reset is KafkaOffsetResetStrategy.LATEST:
            return {**found, **lookup.latest(missing)}
        raise KafkaError(
            f"no offset is known for {', '.join(one.split for one in missing)}: the consumer group has committed none. "
            f"Say where to start instead: KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.EARLIEST)"
        )

    @staticmethod
    def committed_offsets(
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.NONE,
    ) -> KafkaOffsetsInitializer:
        """Start where the consumer group stands; without a committed offset, where the strategy says."""
        return KafkaOffsetsInitializer(_committed, offset_reset_strategy)

    @staticmethod
    def timestamp(timestamp: int) -> KafkaOffsetsInitializer:
        """Start with the first record that is not older than a timestamp, in milliseconds since 1970."""
        return KafkaOffsetsInitializer(_At(timestamp), KafkaOffsetResetStrategy.LATEST)

    @staticmethod
    def earliest() -> KafkaOffsetsInitializer:
        """Start with the oldest record that is there."""
        return KafkaOffsetsInitializer(_earliest, KafkaOffsetResetStrategy.EARLIEST)

    @staticmethod
    def latest() -> KafkaOffsetsInitializer:
        """Start with what comes after the job has started; as a stop: what is there when it starts."""
        return KafkaOffsetsInitializer(_latest, KafkaOffsetResetStrategy.LATEST)

    @staticmethod
    def offsets(
        offsets: Mapping[KafkaTopicPartition, int],
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.EARLIEST,
    ) -> KafkaOffsetsInitializer:
        """Start at these offsets; partitions that are not named start where the group stands, or as the strategy says.

        The strategy also counts when an offset is out of range.
        """
        given: Mapping[Any, Any] = offsets
        for partition, offset in given.items():
            if not isinstance(partition, KafkaTopicPartition) or not isinstance(offset, int):
                raise GraphError(
                    f"KafkaOffsetsInitializer.offsets: give {{KafkaTopicPartition('topic', 0): 42}}, not "
                    f"{{{partition!r}: {offset!r}}}"
                )
        return KafkaOffsetsInitializer(_Given(dict(offsets)), offset_reset_strategy)


def _committed(lookup: OffsetLookup, partitions: Collection[KafkaTopicPartition]) -> Found:
    return lookup.committed(partitions)


def _earliest(lookup: OffsetLookup, partitions: Collection[KafkaTopicPartition]) -> Found:
    return lookup.earliest(partitions)


def _latest(lookup: OffsetLookup, partitions: Collection[KafkaTopicPartition]) -> Found:
    return lookup.latest(partitions)


@dataclass(frozen=True, slots=True)
class _At:
    timestamp: int

    def __call__(self, lookup: OffsetLookup, partitions: Collection[KafkaTopicPartition]) -> Found:
        return lookup.at(partitions, self.timestamp)


@dataclass(frozen=True, slots=True)
class _Given:
    offsets: Found

    def __call__(self, lookup: OffsetLookup, partitions: Collection[KafkaTopicPartition]) -> Found:
        given = {one: self.offsets[one] for one in partitions if one in self.offsets}
        rest = [one for one in partitions if one not in given]
        return {**(lookup.committed(rest) if rest else {}), **given}
