"""The first rows of each partition in an order, kept up to date."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.runtime.operator import Operator
from flott.table.runtime.changes import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    ChangesOut,
    keys_of,
    rows_of,
    unpack,
)
from flott.table.runtime.kept_state import value_state

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.plan.nodes import SortKey
    from flott.table.runtime.changes import Row


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
        parts.append(0 if missing else Down(value) if key.descending else value)
    return tuple(parts)


class Rank(Operator):
    """Keeps the rows of each partition in order: all of them if rows may be taken back, else only the first ones."""

    def __init__(self, plan: RankPlan, *, ttl: int = 0) -> None:
        self.plan = plan
        self.ttl = ttl
        """After how many milliseconds without a row a partition is forgotten; 0 is never."""

    def open(self) -> None:
        import pyarrow as pa

        plan = self.plan
        backend = self.context.keyed("the first rows")
        self._scope = backend.scope
        self._state: ValueState = value_state(backend, "ranks", self.ttl, self.context.clock)
        types = [*plan.types, *([pa.int64()] if plan.number else [])]
        self._out = ChangesOut(types, append_only=False)

    def process(self, batch: Batch) -> None:
        plan = self.plan
        columns, kinds = unpack(batch)
        length = len(batch)
        keys = keys_of(columns, plan.partition, length)
        rows = rows_of(columns, length)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        for key, row, kind in zip(keys, rows, changes, strict=True):
            self._scope.key = key
            held: list[Row] = self._state.value() or []
            before = held[plan.first : plan.last]
            after = self._with(held, row) if kind in {INSERT, UPDATE_AFTER} else self._without(held, row)
            if after is None:
                continue
            self._state.update(after or None)
            self._report(before, after[plan.first : plan.last])
        self._scope.unset()
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def _with(self, held: list[Row], row: Row) -> list[Row] | None:
        plan = self.plan
        own = sort_key(plan.order, row)
        if not plan.retracting and len(held) >= plan.last and not own < sort_key(plan.order, held[-1]):
            return None
        place = bisect_right(held, own, key=lambda one: sort_key(plan.order, one))
        after = [*held[:place], row, *held[place:]]
        return after if plan.retracting else after[: plan.last]

    def _without(self, held: list[Row], row: Row) -> list[Row] | None:
        if row not in held:
            return None
        place = held.index(row)
        return [*held[:place], *held[place + 1 :]]

    def _report(self, before: list[Row], after: list[Row]) -> None:
        out, first = self._out, self.plan.first + 1
        if not self.plan.number:
            gone, come = Counter(before), Counter(after)
            for row in before:
                if gone[row] > come[row]:
                    gone[row] -= 1
                    out.add(DELETE, row)
            gone = Counter(before)
            for row in after:
                if come[row] > gone[row]:
                    come[row] -= 1
                    out.add(INSERT, row)
            return
        for number in range(max(len(before), len(after))):
            old = before[number] if number < len(before) else None
            new = after[number] if number < len(after) else None
            if old == new:
                continue
            place = first + number
            if old is None:
                out.add(INSERT, (*new, place))  # type: ignore[misc]
            elif new is None:
                out.add(DELETE, (*old, place))
            else:
                out.add(UPDATE_BEFORE, (*old, place))
                out.add(UPDATE_AFTER, (*new, place))


class Deduplicate(Operator):
    """Keeps the first or the last row of each partition by event time."""

    def __init__(
        self, partition: tuple[int, ...], time: int, types: tuple[Any, ...], *, last: bool, ttl: int = 0
    ) -> None:
        self.partition = partition
        self.ttl = ttl
        self.time = time
        self.types = types
        self.last = last

    def open(self) -> None:
        backend = self.context.keyed("the row that is kept")
        self._scope = backend.scope
        self._state: ValueState = value_state(backend, "row", self.ttl, self.context.clock)
        self._out = ChangesOut(self.types, append_only=False)

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        length = len(batch)
        time, out = self.time, self._out
        for key, row in zip(keys_of(columns, self.partition, length), rows_of(columns, length), strict=True):
            self._scope.key = key
            before = self._state.value()
            if before is None:
                out.add(INSERT, row)
            elif (row[time] >= before[time]) if self.last else (row[time] < before[time]):
                out.add(UPDATE_BEFORE, before)
                out.add(UPDATE_AFTER, row)
            else:
                continue
            self._state.update(row)
        self._scope.unset()
        made = out.take()
        if made is not None:
            self.output.emit(made)
