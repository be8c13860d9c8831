"""Planning for inputs whose records are numbered: any epoch is a run of indexes, dealt out to all subtasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.connectors.rate_limiter import RateLimiter

RECORDS_PER_SUBTASK = 65_536
"""What one subtask reads in one epoch at scale 1."""


class IndexRangeEnumerator:
    """Plans the indexes from ``start`` up to ``stop`` (None: without end), epoch by epoch.

    The indexes of an epoch are cut into one run per subtask, so that over all subtasks time goes on as the
    indexes do. The one position, the next index, serves any parallelism: rescaling needs nothing.

    >>> enumerator = IndexRangeEnumerator(0, 5, parallelism=2)
    >>> plan = enumerator.plan(1.0, now=0)
    >>> [[(read.start, read.end) for read in reads] for reads in plan.reads], plan.ended
    ([[(0, 3)], [(3, 5)]], True)
    """

    def __init__(self, start: int, stop: int | None, parallelism: int, limiter: RateLimiter | None = None) -> None:
        self._next = start
        self._stop = stop
        self._parallelism = parallelism
        self._limiter = limiter

    def pause_splits(self, splits: frozenset[str]) -> None:
        """Do not make up for the time in which this source waits: all its runs are one row of indexes."""
        if len(splits) == self._parallelism and self._limiter is not None:
            self._limiter.reset()

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan the next indexes: all that scale, end and rate allow."""
        amount = max(1, int(RECORDS_PER_SUBTASK * scale)) * self._parallelism
        if self._stop is not None:
            amount = min(amount, self._stop - self._next)
        due = amount if self._limiter is None else min(amount, self._limiter.take(amount, now))
        reads = tuple(self._deal(due))
        self._next += due
        ended = self._next == self._stop
        more_is_due = self._limiter is None or self._limiter.available(now) > 0
        backlog = not ended and more_is_due
        look_again = None if self._limiter is None or ended or backlog else self._limiter.next_due(now)
        return SourcePlan(reads=reads, empty=due == 0, backlog=backlog, ended=ended, look_again=look_again)

    def _deal(self, amount: int) -> Iterator[tuple[SplitRead, ...]]:
        """Cut the next indexes into one run per subtask.

        The first run goes to the subtask whose turn it is by index. So a trickle of one record per epoch still
        reaches every subtask, and none holds back the watermark for ever.
        """
        parallelism = self._parallelism
        if self._next == self._stop:  # its splits have ended before, or never were
            yield from [()] * parallelism
            return
        least, extra = divmod(amount, parallelism)
        ended = self._next + amount == self._stop
        for subtask in range(parallelism):
            turn = (subtask - self._next) % parallelism
            start = self._next + turn * least + min(turn, extra)
            end = start + least + (turn < extra)
            yield (SplitRead(str(subtask), start, end, ended=ended),)

    def snapshot(self) -> int:
        """Return the next index."""
        return self._next

    def restore(self, state: int) -> None:
        """Go back to an index; a limited rate starts afresh, without making up for the time in between."""
        self._next = state
        if self._limiter is not None:
            self._limiter.reset()

    def close(self) -> None:
        """Nothing is held."""
