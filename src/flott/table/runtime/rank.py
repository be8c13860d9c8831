"""The first rows of each partition in an order, kept up to date."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import chain, compress, repeat
from operator import ne
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operator import Operator
from flott.table.arrow_types import plain_values
from flott.table.runtime.changes import DELETE, GONE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, unpack
from flott.table.runtime.group_columns import EDGES
from flott.table.runtime.kept_state import value_state
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.row_pool import RowPool
from flott.table.runtime.segments import Segments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.plan.nodes import SortKey
    from flott.table.runtime.changes import Row

CHANGE = (UPDATE_BEFORE, UPDATE_AFTER)


@dataclass(frozen=True, slots=True)
class RankPlan:
    """Which rows of which partitions."""

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    first: int
    last: int
    """The rows after the first so many, up to so many."""
    number: bool
    retracting: bool
    types: tuple[Any, ...]
    """The Arrow types of the input's columns."""


class Down:
    """A value that sorts the other way round."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Down) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Down) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)


def sort_key(order: tuple[SortKey, ...], row: Row) -> tuple[Any, ...]:
    """Return what a row is sorted by."""
    parts: list[Any] = []
    for key in order:
        value = row[key.index]
        missing = value is None
        parts.append(missing != key.nulls_first)
        if missing:
            parts.append(0)
        elif not key.descending:
            parts.append(value)
        else:
            parts.append(-value if type(value) is int else Down(value))
    return tuple(parts)


def sort_keys(order: tuple[SortKey, ...], columns: tuple[Any, ...], rows: list[Row]) -> list[tuple[Any, ...]]:
    """Return what each row of some columns is sorted by."""
    parts: list[Iterable[Any]] = []
    for key in order:
        column = columns[key.index]
        if column.null_count or (key.descending and not pa.types.is_integer(column.type)):
            return [sort_key(order, row) for row in rows]
        values = plain_values(column)
        parts += [repeat(key.nulls_first), [-value for value in values] if key.descending else values]
    return list(zip(*parts)) if parts else [()] * len(rows)  # noqa: B905 - some of them have no end


class Rank(Operator):
    """Keeps the rows of each partition in order: all of them if rows may be taken back, else only the first ones."""

    def __init__(self, plan: RankPlan, *, ttl: int = 0) -> None:
        self.plan = plan
        self.ttl = ttl
        """After how many milliseconds without a row a partition is forgotten; 0 is never."""

    def open(self) -> None:
        backend = self.context.keyed("the first rows")
        self._state: ValueState = value_state(backend, "ranks", self.ttl, self.context.clock)

    def process(self, batch: Batch) -> None:
        plan, state = self.plan, self._state
        columns, kinds = unpack(batch)
        length = len(batch)
        keys, codes = key_codes(columns, plan.partition, length)
        held: list[list[Row]] = [rows or [] for rows in state.values_of(keys)]
        removed = repeat(False) if kinds is None else np.isin(kinds, GONE).tolist()
        if not plan.retracting:
            chosen = self._candidates(columns, codes, held)
            if len(chosen) < length:
                columns, codes = tuple(column.take(pa.array(chosen)) for column in columns), codes[chosen]
        pool = RowPool(columns, plan.types, len(codes))
        own = sort_keys(plan.order, columns, pool.rows)
        changed = self._changed(pool, zip(codes.tolist(), own, removed, strict=False), held)
        rows = pool.rows
        state.update_all(
            [keys[code] for code in changed],
            [[rows[number] for number in numbers] or None for numbers in changed.values()],
        )
        made = pool.take()
        if made is not None:
            self.output.emit(made)

    def _changed(
        self, pool: RowPool, changes: Iterable[tuple[int, tuple[Any, ...], bool]], held: list[list[Row]]
    ) -> dict[int, list[int]]:
        """Add rows to the partitions they are of, or take them away, and report; return those that have changed.

        A change has the number of the partition, what the row is sorted by, and whether it is taken away.
        """
        plan, rows = self.plan, pool.rows
        first, last, retracting = plan.first, plan.last, plan.retracting
        ranked: dict[int, tuple[list[Any], list[int]]] = {}
        changed: dict[int, list[int]] = {}
        for number, (code, own, remove) in enumerate(changes):
            at = ranked.get(code)
            if at is None:
                some = held[code]
                at = ranked[code] = [sort_key(plan.order, row) for row in some], pool.add(some)
            known, numbers = at
            if not retracting and len(numbers) >= last and not own < known[-1]:
                continue
            place = bisect_right(known, own)
            if remove:
                found = _place(known, own, numbers, rows, rows[number])
                if found is None:
                    continue
                place = found
            before = numbers[first:last]
            if remove:
                del numbers[place], known[place]
            else:
                numbers.insert(place, number)
                known.insert(place, own)
            if not retracting:
                del numbers[last:], known[last:]
            changed[code] = numbers
            if place < last:
                self._report(pool, before, numbers[first:last], max(place - first, 0), remove=remove)
        return changed

    def _candidates(self, columns: tuple[Any, ...], codes: Any, held: list[list[Row]]) -> Any:
        """Return the rows that may be among the first: those not behind the last one that is kept, by the first key."""
        everything = np.arange(len(codes))
        if not self.plan.order:
            return everything
        first = self.plan.order[0]
        column = columns[first.index]
        if column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_timestamp(column.type)):
            return everything
        edge = EDGES["MAX" if first.descending else "MIN"]
        worst = np.full(len(held), edge)
        for code, some in enumerate(held):
            if len(some) >= self.plan.last and some[-1][first.index] is not None:
                worst[code] = some[-1][first.index]
        values = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
        if self.plan.last == 1:
            # Only what is at least as good as all rows before it in the batch.
            rows = Segments(codes, len(held))
            best = rows.extremes(values[rows.order], worst, largest=first.descending)
            return np.sort(rows.order[np.flatnonzero(values[rows.order] == best)])
        limits = worst[codes]
        return np.flatnonzero(values >= limits if first.descending else values <= limits)

    def _report(self, pool: RowPool, before: list[int], after: list[int], start: int, *, remove: bool) -> None:
        """Tell how the rows have changed, of which the first so many are the same, and the next came or went."""
        if self.plan.number:
            self._report_places(pool, before, after, start)
            return
        if not (before if remove else after):
            return  # All rows are before the first that counts.
        gone = come = None
        if remove:
            gone = before[start]
            if len(after) == len(before):
                come = after[-1]
        else:
            come = after[start]
            if len(after) == len(before):
                gone = before[-1]
        if gone is not None and come is not None and pool.rows[gone] == pool.rows[come]:
            return
        if gone is not None:
            pool.tell(DELETE, gone)
        if come is not None:
            pool.tell(INSERT, come)

    def _report_places(self, pool: RowPool, before: list[int], after: list[int], start: int) -> None:
        # The loop that everything goes through where many rows change places.
        told, places, row = pool.told, pool.places, pool.rows.__getitem__
        first, shared = self.plan.first + 1, min(len(before), len(after))
        old, new = before[start:shared], after[start:shared]
        at = list(range(first + start, first + shared))
        differ = list(map(ne, map(row, old), map(row, new)))
        if not all(differ):
            old, new, at = (list(compress(some, differ)) for some in (old, new, at))
        told += chain.from_iterable(zip(old, new, strict=True))
        places += chain.from_iterable(zip(at, at, strict=True))
        pool.kinds += CHANGE * len(old)
        for kind, some in ((INSERT, after), (DELETE, before)):
            for place, number in enumerate(some[shared:], first + shared):
                pool.tell(kind, number)
                places.append(place)


def _place(known: list[Any], own: Any, numbers: list[int], rows: list[Row], row: Row) -> int | None:
    """Return where a row is; None if it is not there."""
    place = bisect_left(known, own)
    while place < len(known) and known[place] == own:
        if rows[numbers[place]] == row:
            return place
        place += 1
    return None
