"""A source that ends its epochs where the test says, and fails once where the test says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import cloudpickle

from flott.connectors.base import Source
from flott.runtime.batch import Batch
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from collections.abc import Iterator

STEP = 10
"""Milliseconds of event time from one record to the next."""
FAILED: set[str] = set()
"""The sources that have failed once, in this process."""


@dataclass(frozen=True)
class Cuts:
    """How an input is cut: before which records epochs end, how many records a batch has, where reading fails once."""

    epochs: tuple[int, ...] = ()
    batch: int = 1_000
    failure: int | None = None


class Tail:
    """Comes in two epochs of its own after the values, while what feeds back goes its last round."""

    COUNT = 2


class CutSource(Source):
    """Emits values in order, with one subtask; the time of each is its index times ``STEP``, from ``STEP`` on."""

    def __init__(self, values: list[Any], cuts: Cuts) -> None:
        self._values = [cloudpickle.dumps(value) for value in (*values, *[Tail()] * Tail.COUNT)]
        self._cuts = cuts
        self._name = uuid4().hex

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> CutEnumerator:
        assert parallelism == 1
        count = len(self._values)
        last = range(count - Tail.COUNT, count + 1)
        ends = sorted({cut for cut in self._cuts.epochs if 0 < cut < last.start} | {0, *last})
        return CutEnumerator(list(pairwise(ends)), self._cuts.failure, self._name)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        for start in range(read.start, read.end, self._cuts.batch):
            run = range(start, min(start + self._cuts.batch, read.end))
            if self._cuts.failure in run and self._name not in FAILED:
                FAILED.add(self._name)
                raise RuntimeError("fails once")
            yield Batch([cloudpickle.loads(self._values[index]) for index in run], [(n + 1) * STEP for n in run])


class CutEnumerator:
    """Plans one piece after the other; before one that fails, a checkpoint of all pieces before it completes."""

    ENOUGH = 2
    """Checkpoints that complete while it waits: the first may have been started before."""

    def __init__(self, pieces: list[tuple[int, int]], failure: int | None, name: str) -> None:
        self._pieces = pieces
        self._failure = failure
        self._name = name
        self._next = 0
        self._waits: int | None = None

    def plan(self, scale: float, now: int) -> SourcePlan:
        if self._next == len(self._pieces):
            return SourcePlan(reads=((),), empty=True, backlog=False, ended=True)
        start, end = self._pieces[self._next]
        if self._next and self._failure in range(start, end) and self._name not in FAILED and self._still_waits():
            return SourcePlan(reads=((),), empty=True, backlog=False, ended=False)
        self._next += 1
        ended = self._next == len(self._pieces)
        reads = ((SplitRead("0", start, end, ended=ended),),)
        return SourcePlan(reads=reads, empty=False, backlog=not ended, ended=ended)

    def _still_waits(self) -> bool:
        if self._waits is None:
            self._waits = self.ENOUGH
        return self._waits > 0

    def notify_checkpoint_complete(self, checkpoint_id: int) -> None:
        """Count it, if that is what the next piece waits for."""
        if self._waits is not None:
            self._waits -= 1

    def snapshot(self) -> int:
        return self._next

    def restore(self, state: int) -> None:
        self._next = state

    def close(self) -> None:
        """Nothing is held."""
