"""The rows that an OVER window looks at: aggregates that rows are added to, and taken back from when they fall out."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.table.functions.aggregates import Aggregate, aggregate
from flott.table.functions.lag import LAG, lag
from flott.table.runtime.user_aggregate import seen_by_user, user_aggregate

if TYPE_CHECKING:
    from flott.table.expr import AggregateCall
    from flott.table.plan.over import Frame
    from flott.table.runtime.changes import Row
    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class OverPlan:
    """Which rows are aggregated how."""

    partition: tuple[int, ...]
    time: int
    frame: Frame
    calls: tuple[AggregateCall, ...]
    inputs: tuple[DataType, ...]
    """The types of the input's columns."""
    types: tuple[Any, ...]
    """The Arrow types of the output's columns."""
    ttl: int = 0
    """After how many milliseconds without a row what is kept of a key is forgotten; 0 is never."""


@dataclass(slots=True)
class Held:
    """What is kept for a key: accumulators, and the values that will fall out of the window."""

    accumulators: list[Any]
    seen: list[dict[Any, int] | None]
    """Of aggregates of distinct values: how often each value is in the window."""
    kept: deque[Any]
    last: int | None = None
    """The time of the last row that was handed on."""
    cleanup: int | None = None
    """When there is a timer to forget rows."""


class FrameAggregates:
    """Works out the aggregates of an OVER window, one row after the other."""

    def __init__(self, plan: OverPlan) -> None:
        self.plan = plan
        self._bounded = plan.frame.preceding is not None
        self._most = (plan.frame.preceding or 0) + 1
        self._aggregates = [self._aggregate(call) for call in plan.calls]

    def _aggregate(self, call: AggregateCall) -> Aggregate:
        if call.user is not None:
            return user_aggregate(call, self.plan.inputs)
        if call.function == LAG:
            return lag()
        argument = self.plan.inputs[call.args[0]] if call.args else None
        return aggregate(call.function, argument, call.type, retracting=self._bounded)

    def empty(self) -> Held:
        """Return what a key without rows has."""
        seen: list[dict[Any, int] | None] = [{} if call.distinct else None for call in self.plan.calls]
        return Held([one.create() for one in self._aggregates], seen, deque())

    def values(self, row: Row) -> tuple[Any, ...]:
        """Return what each aggregate sees of a row; None where the row does not count."""
        return tuple(self._value(call, row) for call in self.plan.calls)

    def _value(self, call: AggregateCall, row: Row) -> Any:
        if call.filter is not None and not row[call.filter]:
            return None
        if call.user is not None:
            return tuple(seen_by_user(row[position], self.plan.inputs[position]) for position in call.args)
        if not call.args:
            return True
        return row[call.args[0]] if len(call.args) == 1 else tuple(row[position] for position in call.args)

    def results(self, held: Held) -> tuple[Any, ...]:
        """Return the aggregates of the rows that are in the window."""
        return tuple(one.result(acc) for one, acc in zip(self._aggregates, held.accumulators, strict=True))

    def next_row(self, held: Held, row: Row) -> tuple[Any, ...]:
        """Return the aggregates of a window of so many rows that ends with this one."""
        values = self.values(row)
        if self._bounded:
            if len(held.kept) >= self._most:
                self._remove(held, held.kept.popleft())
            held.kept.append(values)
        self._add(held, values)
        return self.results(held)

    def next_moment(self, held: Held, time: int, rows: list[Row]) -> tuple[Any, ...]:
        """Return the aggregates of a window of time that ends with the rows of one moment."""
        self.forget(held, time)
        some = [self.values(row) for row in rows]
        for values in some:
            self._add(held, values)
        if self._bounded:
            held.kept.append((time, some))
        held.last = time
        return self.results(held)

    def forget(self, held: Held, time: int) -> None:
        """Take back the rows that a window of time that ends at ``time`` does not hold any more."""
        preceding = self.plan.frame.preceding
        if preceding is None:
            return
        kept = held.kept
        while kept and kept[0][0] < time - preceding:
            for values in kept.popleft()[1]:
                self._remove(held, values)

    def _add(self, held: Held, values: tuple[Any, ...]) -> None:
        for one, acc, seen, value in zip(self._aggregates, held.accumulators, held.seen, values, strict=True):
            if value is None:
                continue
            if seen is not None:
                seen[value] = seen.get(value, 0) + 1
                if seen[value] > 1:
                    continue
            one.add(acc, value)

    def _remove(self, held: Held, values: tuple[Any, ...]) -> None:
        for one, acc, seen, value in zip(self._aggregates, held.accumulators, held.seen, values, strict=True):
            if value is None:
                continue
            if seen is not None:
                seen[value] -= 1
                if seen[value]:
                    continue
                del seen[value]
            one.retract(acc, value)  # type: ignore[misc]
