"""OVER aggregates in the order of processing time: rows come in order by themselves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import MAP_STATE
from flott.runtime.state.maps import MapState
from flott.runtime.timers import TimerService
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, rows_of, unpack
from flott.table.runtime.kept_state import value_state
from flott.table.runtime.over_frame import FrameAggregates
from flott.table.runtime.user_aggregate import UserAggregates

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.runtime.over_frame import Held, OverPlan

END_OF_TIME = 2**62


class ProcessingTimeOver(UserAggregates):
    """Hands each row on at once; with a stretch of time, when the millisecond in which it came is over."""

    def __init__(self, plan: OverPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("rows before a row")
        self._scope = backend.scope
        self._waiting: MapState = backend.part("waiting", MAP_STATE, partial(MapState, backend, "waiting"))
        self._state: ValueState = value_state(backend, "frame", self.plan.ttl, self.context.clock)
        self._timers = TimerService(backend, "over", self.context.clock, self._due, self._due)
        self._frame = FrameAggregates(self.plan)
        self._out = ChangesOut(self.plan.types, append_only=True)
        frame = self.plan.frame
        self._at_once = frame.rows or frame.preceding is None

    def restore(self, carried: Any) -> None:
        self._timers.restore(carried)

    def snapshot(self) -> Any:
        return self._timers.snapshot()

    def next_wakeup(self) -> int | None:
        return self._timers.next_processing_time()

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        length = len(batch)
        now = self.context.clock.now()
        for key, row in zip(keys_of(columns, self.plan.partition, length), rows_of(columns, length), strict=True):
            self._scope.key = key
            if self._at_once:
                held: Held = self._state.value() or self._frame.empty()
                self._out.add(INSERT, (*row, *self._frame.next_row(held, row)))
                self._state.update(held)
                continue
            rows = self._waiting.get(now)
            if rows is None:
                rows = []
                self._timers.register_processing_time_timer(now + 1)
            self._waiting.put(now, [*rows, row])
        self._scope.unset()
        self._emit()

    def process_time(self, now: int) -> None:
        self._timers.advance_processing_time(now)
        self._emit()

    def finish(self) -> None:
        """Hand on the rows of the last millisecond: no more can come to them."""
        self._timers.advance_processing_time(END_OF_TIME)
        self._emit()

    def _due(self, time: int, key: Any) -> None:
        held: Held = self._state.value() or self._frame.empty()
        rows = self._waiting.get(time - 1)
        if rows is not None:
            self._waiting.remove(time - 1)
            results = self._frame.next_moment(held, time - 1, rows)
            for row in rows:
                self._out.add(INSERT, (*row, *results))
        else:
            self._frame.forget(held, time)
        if held.cleanup is None or held.cleanup <= time:
            if not held.kept:
                self._state.clear()
                return
            held.cleanup = held.kept[-1][0] + (self.plan.frame.preceding or 0) + 1
            self._timers.register_processing_time_timer(held.cleanup)
        self._state.update(held)

    def _emit(self) -> None:
        made = self._out.take()
        if made is not None:
            self.output.emit(made)
