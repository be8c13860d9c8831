"""Aggregates of windows: one result for each group, when event time has passed the window's end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, unpack
from flott.table.runtime.group_aggregate import Arguments
from flott.table.runtime.user_aggregate import UserAggregates
from flott.table.runtime.window_accumulators import WindowAccumulators

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.group_aggregate import GroupPlan

MILLI = 1000


class WindowAggregate(UserAggregates):
    """Keeps accumulators for each group of a window; late rows, of windows that are over, are counted and dropped."""

    def __init__(self, plan: GroupPlan, end: int) -> None:
        self.plan = plan
        self.end = end
        """Which of the keys is the window's end."""

    def open(self) -> None:
        super().open()
        plan = self.plan
        backend = self.context.keyed("what windows hold")
        self._scope = backend.scope
        self._state: ValueState = backend.part("windows", "value state", lambda: ValueState(backend, "windows"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, _never)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._accumulators = WindowAccumulators(plan)
        self._out = ChangesOut(plan.outputs(), append_only=True)

    def restore(self, carried: Any) -> None:
        self._timers.restore(carried)

    def snapshot(self) -> Any:
        return self._timers.snapshot()

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        if kinds is not None and kinds.any():
            raise FlottError(f"{self.context.title}: a window can't take rows back; aggregate without windows instead")
        keys = keys_of(columns, self.plan.keys, len(batch))
        arguments = Arguments(self.plan, columns)
        watermark, state, end = self._timers.current_watermark(), self._state, self.end
        for number, key in enumerate(keys):
            last = key[end] // MILLI - 1
            if last <= watermark:
                self._late.inc()
                continue
            self._scope.key = key
            group = state.value()
            if group is None:
                group = self._accumulators.create()
                self._timers.register_event_time_timer(last)
            self._accumulators.add(number, arguments, group)
            state.update(group)
        self._scope.unset()

    def process_watermark(self, timestamp: int) -> None:
        self._timers.advance_watermark(timestamp)
        made = self._out.take()
        if made is not None:
            self.output.emit(made)
        self.output.emit_watermark(timestamp)

    def _fire(self, time: int, key: Any) -> None:
        self._out.add(INSERT, (*key, *self._accumulators.results(self._state.value())))
        self._state.clear()


def _never(time: int, key: Any) -> None:
    """There are no timers of processing time."""
