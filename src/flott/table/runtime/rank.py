"""The first rows of each partition in an order, kept up to date."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operator import Operator
from flott.table.runtime.changes import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    ChangesOut,
    rows_of,
    unpack,
)
from flott.table.runtime.group_columns import EDGES
from flott.table.runtime.kept_state import value_state
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.segments import Segments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.plan.nodes import SortKey
    from flott.table.runtime.changes import Row

GONE = (UPDATE_BEFORE, DELETE)


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


def _place(known: list[Any], rows: list[Row], own: Any, row: Row) -> int | None:
    """Return where a row is; None if it is not there."""
    place = bisect_left(known, own)
    while place < len(rows) and known[place] == own:
        if rows[place] == row:
            return place
        place += 1
    return None


class Rank(Operator):
    """Keeps the rows of each partition in order: all of them if rows may be taken back, else only the first ones."""

    def __init__(self, plan: RankPlan, *, ttl: int = 0) -> None:
        self.plan = plan
        self.ttl = ttl
        """After how many milliseconds without a row a partition is forgotten; 0 is never."""

    def open(self) -> None:
        plan = self.plan
        backend = self.context.keyed("the first rows")
        self._state: ValueState = value_state(backend, "ranks", self.ttl, self.context.clock)
        types = [*plan.types, *([pa.int64()] if plan.number else [])]
        self._out = ChangesOut(types, append_only=False)

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
        changed = list(self._changed(rows_of(columns, len(codes)), codes.tolist(), removed, held))
        state.update_all([keys[code] for code in changed], [held[code] or None for code in changed])
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def _changed(
        self, rows: list[Row], codes: list[int], removed: Iterable[bool], held: list[list[Row]]
    ) -> Iterable[int]:
        """Add rows to the partitions they are of, or take them away, and report; return which have changed."""
        plan = self.plan
        sorted_by: dict[int, list[Any]] = {}
        for code, row, remove in zip(codes, rows, removed, strict=False):
            own, some = sort_key(plan.order, row), held[code]
            known = sorted_by.get(code)
            if known is None:
                known = [sort_key(plan.order, one) for one in some]
            if not plan.retracting and len(some) >= plan.last and not own < known[-1]:
                continue
            if code not in sorted_by:
                sorted_by[code] = known
                held[code] = some = list(some)
            before = some[plan.first : plan.last]
            place = _place(known, some, own, row) if remove else bisect_right(known, own)
            if place is None:
                continue
            if remove:
                del some[place], known[place]
            else:
                some.insert(place, row)
                known.insert(place, own)
            if not plan.retracting:
                del some[plan.last :], known[plan.last :]
            if place < plan.last:
                self._report(before, some[plan.first : plan.last], max(place - plan.first, 0))
        return sorted_by

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

    def _report(self, before: list[Row], after: list[Row], start: int = 0) -> None:
        """Tell how the rows have changed, of which the first so many are the same."""
        if self.plan.number:
            self._report_numbers(before, after, start)
        elif len(before) <= 1 and len(after) == 1:
            if before != after:
                for row in before:
                    self._out.add(DELETE, row)
                self._out.add(INSERT, after[0])
        else:
            self._report_rows(before, after)

    def _report_rows(self, before: list[Row], after: list[Row]) -> None:
        gone, come = Counter(before), Counter(after)
        for row in before:
            if gone[row] > come[row]:
                gone[row] -= 1
                self._out.add(DELETE, row)
        gone = Counter(before)
        for row in after:
            if come[row] > gone[row]:
                come[row] -= 1
                self._out.add(INSERT, row)

    def _report_numbers(self, before: list[Row], after: list[Row], start: int) -> None:
        # The loop that everything goes through where many rows change places.
        add_row, add_kind = self._out.rows.append, self._out.kinds.append
        first, shared = self.plan.first + 1, min(len(before), len(after))
        for place, old, new in zip(range(first + start, first + shared), before[start:], after[start:], strict=False):
            if old != new:
                add_kind(UPDATE_BEFORE)
                add_row((*old, place))
                add_kind(UPDATE_AFTER)
                add_row((*new, place))
        for place, new in enumerate(after[shared:], first + shared):
            add_kind(INSERT)
            add_row((*new, place))
        for place, old in enumerate(before[shared:], first + shared):
            add_kind(DELETE)
            add_row((*old, place))
