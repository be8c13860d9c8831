"""Aggregates of windows: one result for each group, when event time has passed the window's end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of
from flott.table.runtime.group_aggregate import Arguments
from flott.table.runtime.timed_rows import AtTheirTime
from flott.table.runtime.user_aggregate import UserAggregates
from flott.table.runtime.window_accumulators import WindowAccumulators

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.group_aggregate import GroupPlan

MILLI = 1000


class WindowAggregate(AtTheirTime, UserAggregates):
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
        self._state: ValueState = backend.part("windows", VALUE_STATE, lambda: ValueState(backend, "windows"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, self._fire)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._accumulators = WindowAccumulators(plan)
        self._out = ChangesOut(plan.outputs(), append_only=True)

    def process(self, batch: Batch) -> None:
        columns = self.new_rows(batch, "a window")
        keys = keys_of(columns, self.plan.keys, len(batch))
        arguments = self.arguments(columns)
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
            self.add(number, arguments, group)
            state.update(group)
        self._scope.unset()

    def arguments(self, columns: tuple[Any, ...]) -> Any:
        """Return the values that aggregates see of a batch."""
        return Arguments(self.plan, columns)

    def add(self, number: int, arguments: Any, group: list[Any]) -> None:
        """Add a row of a batch to its group."""
        self._accumulators.add(number, arguments, group)

    def _fire(self, time: int, key: Any) -> None:
        self._out.add(INSERT, (*key, *self._accumulators.results(self._state.value())))
        self._state.clear()
