"""The first rows of each partition in an order, kept up to date."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import repeat
from operator import neg
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operator import Operator
from flott.table.runtime.changes import GONE, unpack
from flott.table.runtime.group_columns import EDGES
from flott.table.runtime.kept_state import value_state
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.rank_changes import ComeAndGo, Places
from flott.table.runtime.row_pool import RowPool
from flott.table.runtime.segments import Segments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.plan.nodes import SortKey
    from flott.table.runtime.changes import Row
    from flott.table.runtime.rank_changes import RankChanges

Ranked = tuple[list[Any], list[int]]
"""What the rows of a partition are sorted by, and their numbers."""


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
    newest_first: bool = False
    """Whether of rows with equal keys the last one comes first: all rows of a batch have one processing time."""


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


def sort_keys(order: tuple[SortKey, ...], rows: list[Row]) -> list[tuple[Any, ...]]:
    """Return what each of some rows is sorted by."""
    parts: list[Iterable[Any]] = []
    for key in order:
        values = [row[key.index] for row in rows]
        if None in values or (key.descending and set(map(type, values)) != {int}):
            return [sort_key(order, row) for row in rows]
        parts += [repeat(key.nulls_first), map(neg, values) if key.descending else values]
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
        own = sort_keys(plan.order, pool.rows)
        numbers = codes.tolist()
        ranked = self._ranked(pool, dict.fromkeys(numbers), held)
        told = Places(pool, plan.first) if plan.number else ComeAndGo(pool)
        changed = self._changed(pool.rows, zip(numbers, own, removed, strict=False), ranked, told)
        rows = pool.rows
        state.update_all(
            [keys[code] for code in changed],
            [[rows[number] for number in numbers] or None for numbers in changed.values()],
        )
        made = told.batch()
        if made is not None:
            self.output.emit(made)

    def _ranked(self, pool: RowPool, codes: Iterable[int], held: list[list[Row]]) -> dict[int, Ranked]:
        """Return the rows of some partitions by number, and what each is sorted by."""
        rows = [row for code in codes for row in held[code]]
        keys, numbers = sort_keys(self.plan.order, rows), pool.add(rows)
        ranked: dict[int, Ranked] = {}
        start = 0
        for code in codes:
            end = start + len(held[code])
            ranked[code] = keys[start:end], numbers[start:end]
            start = end
        return ranked

    def _changed(
        self,
        rows: list[Row],
        changes: Iterable[tuple[int, tuple[Any, ...], bool]],
        ranked: dict[int, Ranked],
        told: RankChanges,
    ) -> dict[int, list[int]]:
        """Add rows to the partitions they are of, or take them away, and tell; return those that have changed.

        A change has the number of the partition, what the row is sorted by, and whether it is taken away.
        """
        first, last, retracting = self.plan.first, self.plan.last, self.plan.retracting
        newest_first = self.plan.newest_first
        changed: dict[int, list[int]] = {}
        for number, (code, own, remove) in enumerate(changes):
            known, numbers = ranked[code]
            if not retracting and len(numbers) >= last and (known[-1] < own if newest_first else not own < known[-1]):
                continue
            place = bisect_left(known, own) if newest_first else bisect_right(known, own)
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
                told.add(before, numbers[first:last], max(place - first, 0), remove=remove)
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


def _place(known: list[Any], own: Any, numbers: list[int], rows: list[Row], row: Row) -> int | None:
    """Return where a row is; None if it is not there."""
    place = bisect_left(known, own)
    while place < len(known) and known[place] == own:
        if rows[numbers[place]] == row:
            return place
        place += 1
    return None
