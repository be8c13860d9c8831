"""How the first rows of partitions changed: as rows that come and go, or as rows that change places."""

from __future__ import annotations

from functools import reduce
from itertools import chain
from operator import and_
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.table.runtime.changes import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.columns import ColumnBatch
    from flott.table.runtime.row_pool import RowPool


class RankChanges(Protocol):
    """Gathers what happened to the first rows of partitions."""

    def add(self, before: list[int], after: list[int], start: int, *, remove: bool) -> None:
        """Hear that one row came, or was removed; the numbers of the rows up to ``start`` are the same."""

    def batch(self) -> ColumnBatch | None:
        """Return the changes; None if there are none."""


class ComeAndGo:
    """Where nobody asks for the place of a row: at most one row goes, and one comes."""

    def __init__(self, pool: RowPool) -> None:
        self._pool = pool
        self._kinds: list[int] = []
        self._numbers: list[int] = []

    def add(self, before: list[int], after: list[int], start: int, *, remove: bool) -> None:
        if not (before if remove else after):
            return  # All rows are before the first that counts.
        shifted = len(before) == len(after)
        gone = before[start] if remove else before[-1] if shifted else None
        come = after[start] if not remove else after[-1] if shifted else None
        rows = self._pool.rows
        if gone is not None and come is not None and rows[gone] == rows[come]:
            return
        if gone is not None:
            self._kinds.append(DELETE)
            self._numbers.append(gone)
        if come is not None:
            self._kinds.append(INSERT)
            self._numbers.append(come)

    def batch(self) -> ColumnBatch | None:
        if not self._kinds:
            return None
        return pack(self._pool.columns(np.array(self._numbers)), np.array(self._kinds, np.int8))


class Places:
    """Where rows have their places with them: all behind the one that came or went have changed theirs.

    That makes many changes of one row, so it is only noted here, and worked out for all at once.
    """

    def __init__(self, pool: RowPool, first: int) -> None:
        self._pool = pool
        self._first = first
        self._before: list[list[int]] = []
        self._after: list[list[int]] = []
        self._starts: list[int] = []

    def add(self, before: list[int], after: list[int], start: int, *, remove: bool) -> None:
        self._before.append(before)
        self._after.append(after)
        self._starts.append(start)

    def batch(self) -> ColumnBatch | None:
        old, new = Numbers(self._before), Numbers(self._after)
        starts = np.array(self._starts, np.int64)
        shared = np.minimum(old.lengths, new.lengths)
        # Each place that both have, old row and new row; then, if one of them is longer, its last.
        pairs, longer = np.maximum(shared - starts, 0), old.lengths != new.lengths
        sizes = 2 * pairs + longer
        base = np.cumsum(sizes) - sizes
        of = np.repeat(np.arange(len(starts)), pairs)
        within = np.arange(len(of)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        numbers, places, kinds = (np.empty(int(sizes.sum()), np.int64) for _ in range(3))
        at = base[of] + 2 * within
        for side, kind, where in ((old, UPDATE_BEFORE, at), (new, UPDATE_AFTER, at + 1)):
            numbers[where] = side.at(of, starts[of] + within)
            places[where], kinds[where] = starts[of] + within, kind
        for side, kind, ones in ((old, DELETE, old.lengths > shared), (new, INSERT, new.lengths > shared)):
            some = np.flatnonzero(ones)
            where = base[some] + 2 * pairs[some]
            numbers[where], places[where], kinds[where] = side.at(some, shared[some]), shared[some], kind
        if not len(numbers):
            return None
        columns = [*self._pool.columns(numbers), pa.array(places + self._first + 1)]
        same = at[equal_rows(columns, at)]
        if len(same):
            # Equal rows that changed places.
            kept = np.delete(np.arange(len(numbers)), np.concatenate((same, same + 1)))
            columns, kinds = [column.take(pa.array(kept)) for column in columns], kinds[kept]
        return pack(columns, kinds.astype(np.int8)) if len(kinds) else None


class Numbers:
    """Lists of numbers, one behind the other."""

    def __init__(self, lists: list[list[int]]) -> None:
        self.lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        self._all = np.fromiter(chain.from_iterable(lists), np.int64, int(self.lengths.sum()))
        self._starts = np.cumsum(self.lengths) - self.lengths

    def at(self, lists: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers at some places of some lists."""
        found: NDArray[np.int64] = self._all[self._starts[lists] + places]
        return found


def equal_rows(columns: list[Any], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say of each place whether the row there and the next one are equal."""
    one, next_one = pa.array(places), pa.array(places + 1)
    return reduce(and_, (_equal(column.take(one), column.take(next_one)) for column in columns))


def _equal(one: Any, other: Any) -> NDArray[np.bool_]:
    equal = pc.fill_null(pc.equal(one, other), fill_value=False).to_numpy(zero_copy_only=False)
    if one.null_count and other.null_count:
        equal = equal | pc.and_(one.is_null(), other.is_null()).to_numpy(zero_copy_only=False)
    made: NDArray[np.bool_] = equal
    return made
