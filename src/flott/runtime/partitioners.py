"""Which downstream subtask gets a record: one value per kind of partitioning, each with its router."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Any, TypeAlias

from flott.common.fields import Field
from flott.errors import FlottError
from flott.runtime.batch import Batch
from flott.runtime.keys import key_group_of
from flott.runtime.many_keys import canonical_keys
from flott.runtime.native import entries
from flott.runtime.quick_selector import quick_selector, select_all

QUICK_KEYS = frozenset({int, str})
"""Keys that compiled code writes down itself, in less time than it takes to look one up."""

Route: TypeAlias = Callable[[Batch], Iterator[tuple[int, Batch]]]


@dataclass(frozen=True, slots=True)
class Lane:
    """Where a router stands: one upstream subtask of one edge, in one epoch."""

    subtask: int
    upstream: int
    downstream: int
    max_parallelism: int
    epoch: int = 0


class Partitioner:
    """Decides which downstream subtasks a record of an upstream subtask goes to."""

    name = "?"
    pointwise = False
    """True when an upstream subtask reaches only some of the downstream subtasks."""

    def targets(self, subtask: int, upstream: int, downstream: int) -> range:
        """Return the downstream subtasks that hear from this upstream subtask."""
        return range(downstream)

    def router(self, lane: Lane) -> Route:
        """Return a function that cuts a batch into one batch per target."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Forward(Partitioner):
    """Subtask *i* sends to subtask *i*; both sides have the same parallelism."""

    name = "FORWARD"
    pointwise = True

    def targets(self, subtask: int, upstream: int, downstream: int) -> range:
        if upstream != downstream:
            message = f"forward needs equal parallelism, got {upstream} and {downstream}; use rebalance() or rescale()"
            raise FlottError(message)
        return range(subtask, subtask + 1)

    def router(self, lane: Lane) -> Route:
        subtask = lane.subtask
        return lambda batch: iter([(subtask, batch)])


@dataclass(frozen=True, slots=True)
class Global(Partitioner):
    """Every record goes to subtask 0."""

    name = "GLOBAL"

    def router(self, lane: Lane) -> Route:
        return lambda batch: iter([(0, batch)])


@dataclass(frozen=True, slots=True)
class Broadcast(Partitioner):
    """Every record goes to every subtask."""

    name = "BROADCAST"

    def router(self, lane: Lane) -> Route:
        everyone = range(lane.downstream)
        return lambda batch: ((target, batch) for target in everyone)


@dataclass(frozen=True, slots=True)
class Rebalance(Partitioner):
    """Records go round all subtasks in turn."""

    name = "REBALANCE"

    def router(self, lane: Lane) -> Route:
        return round_robin(range(lane.downstream), lane.subtask + lane.epoch)


@dataclass(frozen=True, slots=True)
class Rescale(Partitioner):
    """Records go in turn round the subtasks that this upstream subtask is paired with.

    >>> [list(Rescale().targets(i, 2, 4)) for i in range(2)]
    [[0, 1], [2, 3]]
    >>> [list(Rescale().targets(i, 3, 2)) for i in range(3)]
    [[0], [1], [1]]
    """

    name = "RESCALE"
    pointwise = True

    def targets(self, subtask: int, upstream: int, downstream: int) -> range:
        if upstream >= downstream:
            # Downstream j takes upstream [j*u//d, (j+1)*u//d), as Flink's pointwise pattern does.
            target = next(j for j in range(downstream) if subtask < (j + 1) * upstream // downstream)
            return range(target, target + 1)
        return range(-(-subtask * downstream // upstream), -(-(subtask + 1) * downstream // upstream))

    def router(self, lane: Lane) -> Route:
        return round_robin(self.targets(lane.subtask, lane.upstream, lane.downstream), lane.epoch)


@dataclass(frozen=True, slots=True)
class Shuffle(Partitioner):
    """Records go to subtasks that look random but are the same when a task is run again."""

    name = "SHUFFLE"

    def router(self, lane: Lane) -> Route:
        count = lane.downstream
        state = (lane.epoch * 1_000_003 + lane.subtask) * 2_862_933_555_777_941_757 & 0xFFFF_FFFF_FFFF_FFFF

        def route(batch: Batch) -> Iterator[tuple[int, Batch]]:
            nonlocal state
            targets = []
            for _ in batch.values:
                state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & 0xFFFF_FFFF_FFFF_FFFF
                targets.append((state >> 33) % count)
            return scatter(batch, targets, count)

        return route


@dataclass(frozen=True, slots=True)
class KeyGroupHash(Partitioner):
    """A record goes to the subtask that owns its key's group."""

    key_selector: Callable[[Any], Any]
    name = "HASH"

    def router(self, lane: Lane) -> Route:
        select = quick_selector(self.key_selector)
        count = lane.downstream
        if count == 1:
            return lambda batch: iter([(0, batch)])
        memo = TargetMemo(lane.max_parallelism, count)
        field = select.name if isinstance(select, Field) else None

        def route(batch: Batch) -> Iterator[tuple[int, Batch]]:
            if batch.columnar and batch.has(field):  # type: ignore[attr-defined]
                parts: Iterator[tuple[int, Batch]] = batch.scatter(field, count, lane.max_parallelism)  # type: ignore[attr-defined]
                return parts
            keys = select_all(select, batch.values)
            if entries is not None and keys and type(keys[0]) in QUICK_KEYS:
                return dealt_out(keys, lane, batch)
            memo.trim()
            return scatter(batch, list(map(memo.__getitem__, canonical_keys(keys))), count)

        return route


class TargetMemo(dict[Any, int]):
    """Key → downstream subtask, worked out once per distinct key."""

    LIMIT = 500_000

    def __init__(self, max_parallelism: int, downstream: int) -> None:
        super().__init__()
        self.max_parallelism = max_parallelism
        self.downstream = downstream

    def __missing__(self, key: Any) -> int:
        target = key_group_of(key, self.max_parallelism) * self.downstream // self.max_parallelism
        self[key] = target
        return target

    def trim(self) -> None:
        """Forget all when there are too many distinct keys to remember."""
        if len(self) > self.LIMIT:
            self.clear()


@dataclass(frozen=True, slots=True)
class Custom(Partitioner):
    """The user's function chooses the subtask from the record's key."""

    partition: Callable[[Any, int], int]
    key_selector: Callable[[Any], Any]
    name = "CUSTOM"

    def router(self, lane: Lane) -> Route:
        select, partition, count = self.key_selector, self.partition, lane.downstream

        def route(batch: Batch) -> Iterator[tuple[int, Batch]]:
            targets = [partition(select(value), count) for value in batch.values]
            for target in set(targets):
                if not 0 <= target < count:
                    message = f"the partitioner chose subtask {target}; there are {count}, so return 0 to {count - 1}"
                    raise FlottError(message)
            return scatter(batch, targets, count)

        return route


def dealt_out(keys: list[Any], lane: Lane, batch: Batch) -> Iterator[tuple[int, Batch]]:
    """Cut a batch into one for each subtask that owns some of its keys, in compiled code."""
    stamps = batch.stamps
    dealt, stamped = entries.scatter(keys, lane.max_parallelism, lane.downstream, batch.values, stamps)  # type: ignore[union-attr]
    for target, values in enumerate(dealt):
        if values:
            yield target, Batch(values, None if stamps is None else stamped[target])


def round_robin(targets: range, start: int) -> Route:
    """Deal records out in turn; where a batch ends, the next goes on."""
    count = len(targets)
    position = start % count

    def route(batch: Batch) -> Iterator[tuple[int, Batch]]:
        nonlocal position
        values, stamps = batch.values, batch.stamps
        first, position = position, (position + len(values)) % count
        for offset in range(min(count, len(values))):
            target = targets[(first + offset) % count]
            yield target, Batch(values[offset::count], stamps[offset::count] if stamps is not None else None)

    return route


def scatter(batch: Batch, targets: list[int], count: int) -> Iterator[tuple[int, Batch]]:
    """Cut a batch into one per target, order kept."""
    values, stamps = batch.values, batch.stamps
    if count <= FEW_TARGETS:
        for target in range(count):
            chosen = [number == target for number in targets]
            picked = list(compress(values, chosen))
            if picked:
                yield target, Batch(picked, list(compress(stamps, chosen)) if stamps is not None else None)
        return
    buckets: dict[int, tuple[list[Any], list[int | None]]] = {}
    for value, stamp, target in zip(values, stamps or [None] * len(values), targets, strict=True):
        bucket = buckets.get(target)
        if bucket is None:
            bucket = buckets[target] = ([], [])
        bucket[0].append(value)
        bucket[1].append(stamp)
    for target, (bucket_values, bucket_stamps) in buckets.items():
        yield target, Batch(bucket_values, bucket_stamps if stamps is not None else None)


FEW_TARGETS = 8
"""Up to this many targets, one pass per target is faster than one pass with appends."""
