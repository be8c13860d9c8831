"""OVER aggregates in the order of event time: a row is handed on when no row before it can come any more."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import MAP_STATE
from flott.runtime.state.maps import MapState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, rows_of, unpack
from flott.table.runtime.kept_state import value_state
from flott.table.runtime.over_frame import FrameAggregates
from flott.table.runtime.timed_rows import AtTheirTime
from flott.table.runtime.user_aggregate import UserAggregates
from flott.table.runtime.window_expand import times_of

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.runtime.over_frame import Held, OverPlan


class EventTimeOver(AtTheirTime, UserAggregates):
    """Holds rows back until the watermark has passed them, and then goes through them in order.

    What is late is what Flink says: with all rows before in the window, a row behind the watermark; with some rows,
    or some time, a row that is not after the last one of its key that was handed on.
    """

    def __init__(self, plan: OverPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("rows before a row")
        self._scope = backend.scope
        self._waiting: MapState = backend.part("waiting", MAP_STATE, partial(MapState, backend, "waiting"))
        self._state: ValueState = value_state(backend, "frame", self.plan.ttl, self.context.clock)
        self._timers = TimerService(backend, "over", self.context.clock, self._due, self._due)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._frame = FrameAggregates(self.plan)
        self._out = ChangesOut(self.plan.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        length = len(batch)
        times = times_of(columns[self.plan.time], self.context.title).tolist()
        waiting = self._waiting
        for key, row, time in zip(
            keys_of(columns, self.plan.partition, length), rows_of(columns, length), times, strict=True
        ):
            self._scope.key = key
            if self._is_late(time):
                self._late.inc()
                continue
            rows = waiting.get(time)
            if rows is None:
                rows = []
                self._timers.register_event_time_timer(time)
            waiting.put(time, [*rows, row])
        self._scope.unset()

    def _is_late(self, time: int) -> bool:
        if self.plan.frame.preceding is None:
            return time <= self._timers.current_watermark()
        held: Held | None = self._state.value()
        return held is not None and held.last is not None and time <= held.last

    def _due(self, time: int, key: Any) -> None:
        held: Held = self._state.value() or self._frame.empty()
        rows = self._waiting.get(time)
        if rows is not None:
            self._waiting.remove(time)
            self._hand_on(held, time, rows)
        else:
            self._frame.forget(held, time)
        frame = self.plan.frame
        if not frame.rows and frame.preceding is not None and (held.cleanup is None or held.cleanup <= time):
            if not held.kept:
                self._state.clear()
                return
            # Half as long again, so that a busy key has few such timers.
            held.cleanup = held.kept[-1][0] + frame.preceding * 3 // 2 + 1
            self._timers.register_event_time_timer(held.cleanup)
        self._state.update(held)

    def _hand_on(self, held: Held, time: int, rows: list[Any]) -> None:
        frame, out = self._frame, self._out
        if self.plan.frame.rows:
            for row in rows:
                out.add(INSERT, (*row, *frame.next_row(held, row)))
            held.last = time
            return
        results = frame.next_moment(held, time, rows)
        for row in rows:
            out.add(INSERT, (*row, *results))
