"""Aggregates of windows that tell results before a window is over, and again for rows that come late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangesOut, keys_of
from flott.table.runtime.group_aggregate import Arguments
from flott.table.runtime.timed_rows import AtTheirTime
from flott.table.runtime.user_aggregate import UserAggregates
from flott.table.runtime.window_accumulators import WindowAccumulators

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.group_aggregate import GroupPlan

MILLI = 1000


@dataclass(frozen=True, slots=True)
class Emit:
    """When windows tell results besides at their end: how long after a row, in milliseconds of processing time."""

    early: int | None = None
    """Before the window is over; 0 for every row, None for not at all."""
    late: int | None = None
    """After it; None: at once."""
    lateness: int = 0
    """How long after its end, in event time, a window still takes rows."""


@dataclass(slots=True)
class _Window:
    """What is held of one group in one window."""

    group: list[Any]
    told: tuple[Any, ...] | None = None
    timer: int | None = None
    """When it is to be told next, by the clock."""


class EmittingWindowAggregate(AtTheirTime, UserAggregates):
    """Keeps accumulators until the allowed lateness of a window is over; what was told before is taken back."""

    def __init__(self, plan: GroupPlan, end: int, emit: Emit) -> None:
        self.plan = plan
        self.end = end
        """Which of the keys is the window's end."""
        self.emit = emit

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("what windows hold")
        self._scope = backend.scope
        self._state: ValueState = backend.part("windows", VALUE_STATE, lambda: ValueState(backend, "windows"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._reached, self._due)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._accumulators = WindowAccumulators(self.plan)
        self._out = ChangesOut(self.plan.outputs(), append_only=False)

    # Rows

    def process(self, batch: Batch) -> None:
        columns = self.new_rows(batch, "a window")
        arguments = Arguments(self.plan, columns)
        watermark = self._timers.current_watermark()
        for number, key in enumerate(keys_of(columns, self.plan.keys, len(batch))):
            last = key[self.end] // MILLI - 1
            if self._gone(last) <= watermark:
                self._late.inc()
                continue
            self._scope.key = key
            window = self._state.value()
            if window is None:
                window = _Window(self._accumulators.create())
                self._timers.register_event_time_timer(last)
                self._timers.register_event_time_timer(self._gone(last))
            self._accumulators.add(number, arguments, window.group)
            self._tell_in_time(key, window, self.emit.late or 0 if last <= watermark else self.emit.early)
            self._state.update(window)
        self._scope.unset()
        self.hand_on()

    def _gone(self, last: int) -> int:
        return min(last + self.emit.lateness, MAX_WATERMARK)

    def _tell_in_time(self, key: Any, window: _Window, delay: int | None) -> None:
        """Tell the result now, or set the clock for it."""
        if delay == 0:
            self._tell(key, window)
        elif delay is not None and window.timer is None:
            window.timer = self.context.clock.now() + delay
            self._timers.register_processing_time_timer(window.timer)

    def _tell(self, key: Any, window: _Window) -> None:
        """Hand on how the result changed; nothing if it did not."""
        result = tuple(self._accumulators.results(window.group))
        if window.told is None:
            self._out.add(INSERT, (*key, *result))
        elif window.told != result:
            self._out.add(UPDATE_BEFORE, (*key, *window.told))
            self._out.add(UPDATE_AFTER, (*key, *result))
        window.told = result

    # Time

    def _reached(self, time: int, key: Any) -> None:
        """The window is over, or its lateness is."""
        window = self._state.value()
        if window is None:
            return
        last = key[self.end] // MILLI - 1
        if time == last:
            self._tell(key, window)
            self._forget_timer(window)
        if time >= self._gone(last):
            if time != last and window.timer is not None:
                self._tell(key, window)
            self._forget_timer(window)
            self._state.clear()
        else:
            self._state.update(window)

    def _due(self, time: int, key: Any) -> None:
        """The clock says that a result is to be told; of a window that goes on, it is set again."""
        window = self._state.value()
        if window is None or window.timer != time:
            return
        self._tell(key, window)
        over = key[self.end] // MILLI - 1 <= self._timers.current_watermark()
        delay = self.emit.late if over else self.emit.early
        window.timer = time + delay if delay else None
        if window.timer is not None:
            self._timers.register_processing_time_timer(window.timer)
        self._state.update(window)

    def _forget_timer(self, window: _Window) -> None:
        if window.timer is not None:
            self._timers.delete_processing_time_timer(window.timer)
            window.timer = None
