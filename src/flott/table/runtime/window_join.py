"""Joins of windows: both sides wait until a window is over, and are put together then, once and for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.runtime.operators.two_inputs import TwoInputs
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, rows_of, unpack
from flott.table.runtime.residual import Residual
from flott.table.runtime.timed_rows import AtTheirTime

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.changes import Row
    from flott.table.runtime.join import JoinPlan

MILLI = 1000
LEFT, RIGHT = 0, 1


@dataclass(frozen=True, slots=True)
class WindowJoinPlan:
    """What is joined, and which column of each side is the window's end."""

    join: JoinPlan
    ends: tuple[int, int]


class WindowJoin(TwoInputs, AtTheirTime):
    """Keeps the rows of both sides for each key and window; late rows, of windows that are over, are dropped."""

    def __init__(self, plan: WindowJoinPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        plan = self.plan.join
        backend = self.context.keyed("the rows of windows")
        self._scope = backend.scope
        self._left: ValueState = backend.part("left", "value state", lambda: ValueState(backend, "left"))
        self._right: ValueState = backend.part("right", "value state", lambda: ValueState(backend, "right"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, self._fire)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._residual = None if plan.residual is None else Residual(plan.residual, plan.types, plan.zone)
        self._half = plan.kind in {"SEMI", "ANTI"}
        types = plan.types[LEFT] if self._half else (*plan.types[LEFT], *plan.types[RIGHT])
        self._out = ChangesOut(types, append_only=True)
        self._nothing = [(None,) * len(some) for some in plan.types]
        self._over: list[tuple[list[Row], list[Row], bool]] = []
        """Of each key of a window that is over: the rows of both sides, and whether they can be partners at all."""

    def process(self, batch: Batch) -> None:
        self._process(LEFT, self._left, batch)

    def process2(self, batch: Batch) -> None:
        self._process(RIGHT, self._right, batch)

    def _process(self, side: int, state: ValueState, batch: Batch) -> None:
        columns, _ = unpack(batch)
        length = len(batch)
        watermark, end = self._timers.current_watermark(), self.plan.ends[side]
        keys = keys_of(columns, self.plan.join.keys[side], length)
        for key, row in zip(keys, rows_of(columns, length), strict=True):
            last = row[end] // MILLI - 1
            if last <= watermark:
                self._late.inc()
                continue
            self._scope.key = key
            held: list[Row] = state.value() or []
            held.append(row)
            state.update(held)
            self._timers.register_event_time_timer(last)
        self._scope.unset()

    def _fire(self, time: int, key: Any) -> None:
        partners = not any(
            part is None and not same for part, same in zip(key, self.plan.join.nulls_match, strict=True)
        )
        self._over.append((self._left.value() or [], self._right.value() or [], partners))
        self._left.clear()
        self._right.clear()

    def hand_on(self) -> None:
        """Hand on the rows of the windows that are over."""
        over, self._over = self._over, []
        pairs = [(one, other) for lefts, rights, fit in over if fit for one in lefts for other in rights]
        answers = [True] * len(pairs)
        if self._residual is not None:
            answers = self._residual.holds(pairs, self.context.clock.now())
        holds = iter(answers)
        for lefts, rights, fit in over:
            self._join(lefts, rights, [[next(holds) for _ in rights] if fit else [False] * len(rights) for _ in lefts])
        super().hand_on()

    def _join(self, lefts: list[Row], rights: list[Row], fits: list[list[bool]]) -> None:
        """Hand on the rows of one key in one window; ``fits`` says who belongs to whom."""
        plan, out = self.plan.join, self._out
        if self._half:
            for one, some in zip(lefts, fits, strict=True):
                if any(some) == (plan.kind == "SEMI"):
                    out.add(INSERT, one)
            return
        for one, some in zip(lefts, fits, strict=True):
            for other, fit in zip(rights, some, strict=True):
                if fit:
                    out.add(INSERT, (*one, *other))
            if plan.pads(LEFT) and not any(some):
                out.add(INSERT, (*one, *self._nothing[RIGHT]))
        if plan.pads(RIGHT):
            for place, other in enumerate(rights):
                if not any(some[place] for some in fits):
                    out.add(INSERT, (*self._nothing[LEFT], *other))
