"""A run of stream records, handed from operator to operator as one piece."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_TIMESTAMP = -(2**63)
"""Flink's ``Long.MIN_VALUE``: the timestamp of a record that has none, and the watermark before the first."""

MAX_WATERMARK = 2**63 - 1
"""Flink's ``Long.MAX_VALUE``: the watermark after the last record of a bounded input."""


class Batch:
    """Values and their timestamps; ``stamps`` is None when no record has a timestamp.

    >>> list(Batch(["a", "b"], [1, 2]))
    [('a', 1), ('b', 2)]
    >>> list(Batch(["a"]))
    [('a', None)]
    """

    __slots__ = ("stamps", "values")

    columnar = False
    """Whether it is a ColumnBatch, which knows the records as columns too."""

    def __init__(self, values: list[Any], stamps: list[int | None] | None = None) -> None:
        self.values = values
        self.stamps = stamps

    def __iter__(self) -> Iterator[tuple[Any, int | None]]:
        return zip(self.values, self.stamps or repeat(None), strict=False)

    def __len__(self) -> int:
        return len(self.values)

    def view(self) -> Batch:
        """Return a batch of the same records; one of columns makes Python objects of its own."""
        return self

    def __repr__(self) -> str:
        return f"Batch({self.values!r}, {self.stamps!r})"
