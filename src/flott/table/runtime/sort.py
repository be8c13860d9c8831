"""Hands on rows in an order: those of event time once no row before them can come, others at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.operator import Operator
from flott.runtime.state.kinds import TIME_BUFFER, VALUE_STATE
from flott.runtime.state.time_buffer import TimeBuffer
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_BEFORE, ChangesOut, rows_of, unpack
from flott.table.runtime.rank import sort_key
from flott.table.runtime.timed_rows import AtTheirTime
from flott.table.runtime.window_expand import times_of

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.plan.nodes import SortKey
    from flott.table.runtime.changes import Row

ALL = ()
"""The key of all rows: there is one order."""


@dataclass(frozen=True, slots=True)
class SortPlan:
    """In which order rows are handed on."""

    order: tuple[SortKey, ...]
    types: tuple[Any, ...]
    """The Arrow types of the columns."""
    time: int | None
    """Which column is event time; None to wait for the end of the input."""


class Sorted(AtTheirTime):
    """Holds rows back until the watermark has passed them.

    A row that is not after the last one that was handed on is late, as Flink says, and dropped.
    """

    def __init__(self, plan: SortPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        backend = self.context.keyed("rows that wait for their place")
        self._scope = backend.scope
        self._waiting: TimeBuffer = backend.part("waiting", TIME_BUFFER, partial(TimeBuffer, backend, "waiting"))
        self._last: ValueState = backend.part("last", VALUE_STATE, partial(ValueState, backend, "last"))
        self._timers = TimerService(backend, "sort", self.context.clock, self._due, self._due)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._out = ChangesOut(self.plan.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        self._scope.key = ALL
        last = self._last.value()
        times: Any = repeat(MAX_WATERMARK, length)
        if self.plan.time is not None:
            times = times_of(columns[self.plan.time], self.context.title).tolist()
        changes = repeat(INSERT, length) if kinds is None else kinds.tolist()
        for row, time, kind in zip(rows_of(columns, length), times, changes, strict=True):
            if last is not None and time <= last:
                self._late.inc()
                continue
            self._waiting.add(time, (kind, row))
            self._timers.register_event_time_timer(time)
        self._scope.unset()

    def _due(self, time: int, key: Any) -> None:
        for row in sorted(_left(self._waiting.remove(time)), key=partial(sort_key, self.plan.order)):
            self._out.add(INSERT, row)
        self._last.update(time)


def _left(changes: list[tuple[int, Row]]) -> list[Row]:
    """Return the rows that changes leave, in the order in which they came."""
    gone = Counter(row for kind, row in changes if kind in {UPDATE_BEFORE, DELETE})
    rows = [row for kind, row in changes if kind not in {UPDATE_BEFORE, DELETE}]
    if not gone:
        return rows
    left: list[Row] = []
    for row in rows:
        if gone[row]:
            gone[row] -= 1
        else:
            left.append(row)
    return left


class SortedArrivals(Operator):
    """Puts rows that come at one moment in order; moments are in order by themselves."""

    def __init__(self, plan: SortPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        self._out = ChangesOut(self.plan.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        for row in sorted(rows_of(columns, len(batch)), key=partial(sort_key, self.plan.order)):
            self._out.add(INSERT, row)
        made = self._out.take()
        if made is not None:
            self.output.emit(made)
