"""Aggregates of windows of processing time: rows count where they are processed, and windows end by the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.table.plan.nodes import SESSION
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of
from flott.table.runtime.group_aggregate import Arguments
from flott.table.runtime.timed_rows import AtTheirTime
from flott.table.runtime.user_aggregate import UserAggregates
from flott.table.runtime.window_accumulators import WindowAccumulators
from flott.table.runtime.window_expand import windows_of

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.plan.nodes import Windows
    from flott.table.runtime.group_aggregate import GroupPlan

MILLI = 1000
Span = tuple[int, int]


class ProcessingWindowAggregate(AtTheirTime, UserAggregates):
    """Keeps accumulators for each group and window that is open. Of those that are so at the end, nothing is told."""

    def __init__(
        self, plan: GroupPlan, windows: Windows, layout: tuple[int | str, ...], types: tuple[Any, ...]
    ) -> None:
        self.plan = plan
        """The groups without their windows."""
        self.windows = windows
        self.layout = layout
        """Of each key of a result: which of the group's keys it is, or which bound of the window."""
        self.types = types

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("what windows hold")
        self._scope = backend.scope
        self._state: ValueState = backend.part("windows", VALUE_STATE, lambda: ValueState(backend, "windows"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, self._fire)
        self._accumulators = WindowAccumulators(self.plan)
        self._out = ChangesOut(self.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns = self.new_rows(batch, "a window")
        now = self.context.clock.now()
        arguments = Arguments(self.plan, columns)
        spans = [(now, now + self.windows.size)]
        if self.windows.kind != SESSION:
            _, starts, ends = windows_of(self.windows, np.array([now]))
            spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
        for number, key in enumerate(keys_of(columns, self.plan.keys, len(batch))):
            self._scope.key = key
            open_windows: dict[Span, Any] = self._state.value() or {}
            for span in spans:
                group = self._group(open_windows, span, now)
                self._accumulators.add(number, arguments, group)
            self._state.update(open_windows)
        self._scope.unset()

    def _group(self, open_windows: dict[Span, Any], span: Span, now: int) -> Any:
        """Return what a window holds; a session that is still open grows."""
        held = None
        if self.windows.kind == SESSION:
            before = next((one for one in open_windows if one[1] >= now), None)
            if before is not None:
                held, span = open_windows.pop(before), (before[0], span[1])
        else:
            held = open_windows.get(span)
        if held is None:
            held = self._accumulators.create()
        if span not in open_windows:
            open_windows[span] = held
            self._timers.register_processing_time_timer(span[1] - 1)
        return held

    def _fire(self, time: int, key: Any) -> None:
        open_windows: dict[Span, Any] = self._state.value() or {}
        heads = key if len(self.plan.keys) != 1 else (key,)
        for span in sorted(one for one in open_windows if one[1] - 1 <= time):
            group = open_windows.pop(span)
            bounds = {"start": span[0] * MILLI, "end": span[1] * MILLI, "time": (span[1] - 1) * MILLI}
            keys = [bounds[one] if isinstance(one, str) else heads[one] for one in self.layout]
            self._out.add(INSERT, (*keys, *self._accumulators.results(group)))
        self._state.update(open_windows or None)
