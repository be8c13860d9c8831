"""The first rows of each partition of a window, told once, when the window is over."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, rows_of, unpack
from flott.table.runtime.rank import sort_key
from flott.table.runtime.timed_rows import AtTheirTime

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.changes import Row
    from flott.table.runtime.rank import RankPlan

MILLI = 1000


class WindowRank(AtTheirTime):
    """Keeps the first rows of each partition; late rows, of windows that are over, are dropped."""

    def __init__(self, plan: RankPlan, end: int, *, last_wins: bool) -> None:
        self.plan = plan
        self.end = end
        """Which column is the window's end."""
        self.last_wins = last_wins
        """Whether of rows that are equal the last comes first: where the last row is kept."""

    def open(self) -> None:
        plan = self.plan
        backend = self.context.keyed("the first rows of windows")
        self._scope = backend.scope
        self._state: ValueState = backend.part("ranks", VALUE_STATE, lambda: ValueState(backend, "ranks"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, self._fire)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._out = ChangesOut([*plan.types, *([pa.int64()] if plan.number else [])], append_only=True)

    def process(self, batch: Batch) -> None:
        plan, end = self.plan, self.end
        columns, _ = unpack(batch)
        length = len(batch)
        watermark = self._timers.current_watermark()
        for key, row in zip(keys_of(columns, plan.partition, length), rows_of(columns, length), strict=True):
            last = row[end] // MILLI - 1
            if last <= watermark:
                self._late.inc()
                continue
            self._scope.key = key
            held: list[tuple[Any, Row]] = self._state.value() or []
            own = sort_key(plan.order, row)
            place = (bisect_left if self.last_wins else bisect_right)(held, own, key=lambda one: one[0])
            if place < plan.last:
                held.insert(place, (own, row))
                self._state.update(held[: plan.last])
                self._timers.register_event_time_timer(last)
        self._scope.unset()

    def _fire(self, time: int, key: Any) -> None:
        plan = self.plan
        held: list[tuple[Any, Row]] = self._state.value() or []
        for place, (_, row) in enumerate(held[plan.first :], plan.first + 1):
            self._out.add(INSERT, (*row, place) if plan.number else row)
        self._state.clear()
