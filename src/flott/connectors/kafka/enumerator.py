"""Plans what an epoch reads of a topic's partitions: from where the last one ended to offsets that are there now."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.connectors.kafka.client import KafkaError
from flott.connectors.kafka.offsets import KafkaOffsetResetStrategy
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from flott.connectors.kafka.cluster import KafkaCluster, Subscription
    from flott.connectors.kafka.offsets import KafkaOffsetsInitializer, KafkaTopicPartition

log = logging.getLogger("flott.kafka")

RECORDS_PER_SUBTASK = 65_536
"""What one subtask reads in one epoch at scale 1."""
SNAPSHOTS_KEPT = 2


@dataclass(frozen=True, slots=True)
class KafkaReading:
    """What to read, from where, up to where."""

    subscription: Subscription
    start: KafkaOffsetsInitializer
    stop: KafkaOffsetsInitializer | None = None
    bounded: bool = False
    discovery_interval: int | None = 300_000
    commits: bool = True
    """Whether the group is told what a checkpoint holds."""


@dataclass(frozen=True, slots=True)
class KafkaSourceState:
    """How far each partition was read, and where it ends if it does."""

    positions: dict[KafkaTopicPartition, int] = field(default_factory=dict)
    stops: dict[KafkaTopicPartition, int] = field(default_factory=dict)


class KafkaEnumerator:
    """Lives in the driver. A plan names offsets, so an epoch that is tried again reads the same messages."""

    def __init__(self, reading: KafkaReading, cluster: KafkaCluster, parallelism: int) -> None:
        self._reading = reading
        self._cluster = cluster
        self._parallelism = parallelism
        self._positions: dict[KafkaTopicPartition, int] = {}
        self._stops: dict[KafkaTopicPartition, int] = {}
        self._ended: set[KafkaTopicPartition] = set()
        self._started = False
        self._checked = False
        self._look_again: int | None = None
        self._paused: frozenset[str] = frozenset()
        self._taken: list[KafkaSourceState] = []
        """Snapshots of which it is not known whether their checkpoint is complete; oldest first."""

    def pause_splits(self, splits: frozenset[str]) -> None:
        """Read nothing of these partitions until they may go on."""
        self._paused = splits

    def find_start(self, now: int) -> None:
        """Find the offsets where reading begins: what comes from now on is read, even if that begins later."""
        self._discover(now)

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan about the same number of messages for each subtask."""
        self._discover(now)
        alive = sorted(self._positions.keys() - self._ended)
        ends = self._cluster.latest(alive)
        if not self._checked:
            self._check_positions(alive, ends)
        for one, stop in self._stops.items():
            if one in ends:
                ends[one] = min(ends[one], max(stop, self._positions[one]))
        reads: list[tuple[SplitRead, ...]] = []
        planned = left = 0
        amount = max(1, int(RECORDS_PER_SUBTASK * scale))
        for subtask in range(self._parallelism):
            mine = [one for one in alive if owner(one, self._parallelism) == subtask]
            there = {one: 0 if one.split in self._paused else max(0, ends[one] - self._positions[one]) for one in mine}
            shares = share_out(there, amount)
            reads.append(tuple(self._advance(one, shares[one]) for one in mine))
            planned += sum(shares.values())
            left += sum(there.values()) - sum(shares.values())
        ended = self._reading.stop is not None and self._started and self._ended >= self._positions.keys()
        return SourcePlan(tuple(reads), empty=planned == 0, backlog=left > 0, ended=ended)

    def _advance(self, one: KafkaTopicPartition, count: int) -> SplitRead:
        start = self._positions[one]
        end = self._positions[one] = start + count
        ended = one in self._stops and end >= self._stops[one]
        if ended:
            self._ended.add(one)
        return SplitRead(one.split, start, end, ended=ended, paused=one.split in self._paused)

    def _discover(self, now: int) -> None:
        """Find the partitions: once, or again and again when new ones are waited for."""
        reading = self._reading
        interval = None if reading.stop is not None else reading.discovery_interval
        if self._started and (interval is None or (self._look_again is not None and now < self._look_again)):
            return
        self._look_again = None if interval is None else now + interval
        found = [one for one in self._cluster.partitions(reading.subscription) if one not in self._positions]
        if self._started:
            # What was written to a new partition before it was found counts too.
            self._positions.update(self._cluster.earliest(found))
            for one in found:
                log.info("found partition %d of topic '%s'", one.partition, one.topic)
        else:
            self._positions = dict(reading.start.find(self._cluster, found))
            if reading.stop is not None:
                self._stops = dict(reading.stop.find(self._cluster, found))
        self._started = True

    def _check_positions(self, alive: list[KafkaTopicPartition], ends: dict[KafkaTopicPartition, int]) -> None:
        """Go to where the reset strategy says, if messages were removed while the job was away."""
        first = self._cluster.earliest(alive)
        reset = self._reading.start.reset
        for one in alive:
            position = self._positions[one]
            if first[one] <= position <= ends[one]:
                continue
            message = (
                f"offset {position} of topic '{one.topic}', partition {one.partition}, is not there: the partition has "
                f"{first[one]} to {ends[one]}"
            )
            if reset is KafkaOffsetResetStrategy.NONE:
                raise KafkaError(f"{message}, and the source has no reset strategy")
            self._positions[one] = first[one] if reset is KafkaOffsetResetStrategy.EARLIEST else ends[one]
            log.warning("%s; reading goes on at %d (%s)", message, self._positions[one], reset.name.lower())
        self._checked = True

    def snapshot(self) -> KafkaSourceState:
        """Return how far each partition was read."""
        state = KafkaSourceState(dict(self._positions), dict(self._stops))
        self._taken = [*self._taken[-SNAPSHOTS_KEPT + 1 :], state]
        return state

    def restore(self, state: KafkaSourceState) -> None:
        """Go on from there."""
        self._positions, self._stops = dict(state.positions), dict(state.stops)
        self._ended = {one for one, stop in self._stops.items() if self._positions[one] >= stop}
        # Before the first plan nothing was known; a job can be stopped even then.
        self._started = bool(self._positions)
        self._checked = False
        self._look_again = None
        self._taken = []

    def notify_checkpoint_complete(self, checkpoint_id: int) -> None:
        """Tell the consumer group what the checkpoint holds; never more, at times a checkpoint less."""
        if self._taken:
            state = self._taken.pop(0)
            if self._reading.commits:
                self._cluster.commit(state.positions)

    def close(self) -> None:
        """Disconnect."""
        self._cluster.close()


def owner(one: KafkaTopicPartition, parallelism: int) -> int:
    """Return the subtask that reads a partition; those of a topic go round, beginning anywhere.

    >>> from flott.connectors.kafka.offsets import KafkaTopicPartition
    >>> [owner(KafkaTopicPartition("orders", number), 3) for number in range(4)]
    [0, 1, 2, 0]
    """
    first = 0
    for letter in one.topic:
        first = (first * 31 + ord(letter)) & 0xFFFFFFFF
    return (((first * 31) & 0x7FFFFFFF) % parallelism + one.partition) % parallelism


def share_out(there: dict[KafkaTopicPartition, int], amount: int) -> dict[KafkaTopicPartition, int]:
    """Share an amount among partitions: evenly, and what one does not need goes to the others."""
    shares = {}
    left = amount
    for waiting, one in enumerate(sorted(there, key=there.__getitem__)):
        shares[one] = min(there[one], -(-left // (len(there) - waiting)))
        left -= shares[one]
    return shares
