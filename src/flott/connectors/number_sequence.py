"""A sequence of whole numbers as a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from flott.common.typeinfo import Types
from flott.connectors.base import BATCH_SIZE, Source
from flott.connectors.index_range import IndexRangeEnumerator
from flott.errors import GraphError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.source import SplitRead


class NumberSequenceSource(Source):
    """The whole numbers from ``start`` to ``end``, both included.

    Each subtask gives out its numbers in ascending order; with parallelism 1, all are in order.

    >>> source = NumberSequenceSource(1, 5)
    >>> plan = source.create_enumerator(parallelism=2).plan(1.0, now=0)
    >>> [batch.values for reads in plan.reads for read in reads for batch in source.read(read)]
    [[4, 5], [1, 2, 3]]
    """

    fresh_batches: ClassVar[bool] = True

    def __init__(self, start: int, end: int) -> None:
        if not all(isinstance(bound, int) for bound in (start, end)):
            raise GraphError(f"NumberSequenceSource({start!r}, {end!r}): both bounds are whole numbers")
        if start > end:
            raise GraphError(f"NumberSequenceSource({start}, {end}): the first number is greater than the last")
        self.start = start
        self.end = end

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> IndexRangeEnumerator:
        return IndexRangeEnumerator(self.start, self.end + 1, parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        for first in range(read.start, read.end, BATCH_SIZE):
            yield Batch(list(range(first, min(first + BATCH_SIZE, read.end))))

    def get_produced_type(self) -> TypeInformation:
        return Types.LONG()
