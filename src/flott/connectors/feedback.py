"""The way back of a loop: what an epoch sends to the loop's end is the input of its head in the next epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from flott.connectors.base import Source
from flott.errors import GraphError
from flott.runtime.batch import Batch
from flott.runtime.blocks import decode_block
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from collections.abc import Iterator


class FeedbackSource(Source):
    """The head of a loop. The driver holds the records between two epochs, as the bytes that tasks made of them."""

    fresh_batches: ClassVar[bool] = True

    def __init__(self, max_wait: int = 0) -> None:
        self.max_wait = max_wait
        self.closed = False
        """Whether something feeds back into the loop."""
        self._enumerator: FeedbackEnumerator | None = None

    def __getstate__(self) -> dict[str, Any]:
        # What waits is the driver's.
        return {**self.__dict__, "_enumerator": None}

    def is_bounded(self) -> bool:
        return False

    def create_enumerator(self, parallelism: int) -> FeedbackEnumerator:
        if not self.closed:
            raise GraphError(
                "iterate(): nothing feeds back into this iteration; "
                "call close_with(feedback) on it, with a stream that was made from it"
            )
        self._enumerator = FeedbackEnumerator(parallelism, self.max_wait)
        return self._enumerator

    def receive(self, subtask: int, _parallelism: int, block: bytes) -> None:
        """In the driver: take what a task at the end of the loop sent in an epoch that counts."""
        if self._enumerator is not None:
            self._enumerator.add(subtask, block)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        for block in read.start or ():
            for segment in decode_block(block):
                values = segment.values
                yield values if isinstance(values, Batch) else Batch(values, segment.stamps)


class FeedbackEnumerator:
    """Plans all that came back in the epoch before.

    A loop ends when the job's inputs have ended and nothing goes round any more; the driver knows the first
    (`inputs_ended`), the loop the second.

    >>> loop = FeedbackEnumerator(parallelism=2)
    >>> loop.add(1, b"some records")
    >>> plan = loop.plan(1.0, now=0)
    >>> [[read.start for read in reads] for reads in plan.reads], plan.ended
    ([[()], [(b'some records',)]], False)
    >>> loop.inputs_ended = True
    >>> loop.plan(1.0, now=0).ended
    True
    """

    def __init__(self, parallelism: int, max_wait: int = 0) -> None:
        self._parallelism = parallelism
        self._max_wait = max_wait
        self._waiting: list[tuple[int, bytes]] = []
        self._quiet_since: int | None = None
        self.inputs_ended = False

    def add(self, subtask: int, block: bytes) -> None:
        """Take what a task at the end of the loop sent."""
        self._waiting.append((subtask, block))

    @property
    def empty(self) -> bool:
        """Whether nothing waits to go round."""
        return not self._waiting

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan what waits; each part goes to the subtask of the number that sent it."""
        blocks: list[list[bytes]] = [[] for _ in range(self._parallelism)]
        for subtask, block in self._waiting:
            blocks[subtask % self._parallelism].append(block)
        if self._waiting or not self.inputs_ended:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now
        end = None if self._quiet_since is None else self._quiet_since + self._max_wait
        self._waiting = []
        return SourcePlan(
            reads=tuple((SplitRead(str(number), tuple(own), None),) for number, own in enumerate(blocks)),
            empty=not any(blocks),
            backlog=any(blocks),
            ended=end is not None and now >= end,
            look_again=end,
        )

    def snapshot(self) -> list[tuple[int, bytes]]:
        """Return what waits: it is part of a checkpoint."""
        return list(self._waiting)

    def restore(self, state: list[tuple[int, bytes]]) -> None:
        """Go back to what waited."""
        self._waiting = list(state)
        self._quiet_since = None

    def close(self) -> None:
        """Nothing is held outside."""
