"""Aggregates of windows: one result for each group, when event time has passed the window's end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, unpack
from flott.table.runtime.group_aggregate import Arguments

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.group_aggregate import GroupPlan

MILLI = 1000


class WindowAggregate(Operator):
    """Keeps accumulators for each group of a window; late rows, of windows that are over, are counted and dropped."""

    def __init__(self, plan: GroupPlan, end: int) -> None:
        self.plan = plan
        self.end = end
        """Which of the keys is the window's end."""

    def open(self) -> None:
        plan = self.plan
        backend = self.context.keyed("what windows hold")
        self._scope = backend.scope
        self._state: ValueState = backend.part("windows", "value state", lambda: ValueState(backend, "windows"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, _never)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._aggregates = plan.aggregates()
        self._distinct = [call.distinct for call in plan.calls]
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
                group = [set() if distinct else None for distinct in self._distinct]
                group = [[one.create() for one in self._aggregates], group]
                self._timers.register_event_time_timer(last)
            self._add(number, arguments, group)
            state.update(group)
        self._scope.unset()

    def _add(self, number: int, arguments: Arguments, group: list[Any]) -> None:
        for place, one in enumerate(self._aggregates):
            counts = arguments.counts[place]
            if counts is not None and not counts[number]:
                continue
            values = arguments.values[place]
            value = True if values is None else values[number]
            if value is None:
                continue
            seen = group[1][place]
            if seen is not None:
                if value in seen:
                    continue
                seen.add(value)
            one.add(group[0][place], value)

    def process_watermark(self, timestamp: int) -> None:
        self._timers.advance_watermark(timestamp)
        made = self._out.take()
        if made is not None:
            self.output.emit(made)
        self.output.emit_watermark(timestamp)

    def _fire(self, time: int, key: Any) -> None:
        group = self._state.value()
        results = (one.result(acc) for one, acc in zip(self._aggregates, group[0], strict=True))
        self._out.add(INSERT, (*key, *results))
        self._state.clear()


def _never(time: int, key: Any) -> None:
    """There are no timers of processing time."""
