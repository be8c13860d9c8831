"""Joins of windows: both sides wait until a window is over, and are put together then, once and for all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.arrow_types import column_of_plain
from flott.table.runtime.changes import INSERT, ChangesOut, pack, rows_of, unpack
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.residual import Residual
from flott.table.runtime.timed_rows import AtTheirTime

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.changes import Row
    from flott.table.runtime.join import JoinPlan

MILLI = 1000
LEFT, RIGHT = 0, 1
MANY = 65_536
"""Pairs are handed on when there are so many."""


@dataclass(frozen=True, slots=True)
class WindowJoinPlan:
    """What is joined, and which column of each side is the window's end."""

    join: JoinPlan
    ends: tuple[int, int]


class WindowJoin(CombinedInputs, AtTheirTime):
    """Keeps the rows of both sides for each key and window; late rows, of windows that are over, are dropped."""

    def __init__(self, plan: WindowJoinPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        plan = self.plan.join
        backend = self.context.keyed("the rows of windows")
        self._scope = backend.scope
        self._left: ValueState = backend.part("left", VALUE_STATE, lambda: ValueState(backend, "left"))
        self._right: ValueState = backend.part("right", VALUE_STATE, lambda: ValueState(backend, "right"))
        self._timers = TimerService(backend, "windows", self.context.clock, self._fire, self._fire)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._residual = None if plan.residual is None else Residual(plan.residual, plan.types, plan.zone)
        self._half = plan.kind in {"SEMI", "ANTI"}
        types = plan.types[LEFT] if self._half else (*plan.types[LEFT], *plan.types[RIGHT])
        self._out = ChangesOut(types, append_only=True)
        self._nothing = [(None,) * len(some) for some in plan.types]
        self._over: list[Any] = []
        """The keys of windows that are over."""

    def process_input(self, index: int, batch: Batch) -> None:
        side, state = index, self._right if index == RIGHT else self._left
        columns, _ = unpack(batch)
        length = len(batch)
        watermark, end = self._timers.current_watermark(), self.plan.ends[side]
        keys, codes = key_codes(columns, self.plan.join.keys[side], length)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(keys))).tolist()
        rows = rows_of([column.take(pa.array(order)) for column in columns], length)
        start = 0
        added: dict[Any, list[Row]] = {}
        for key, stop in zip(keys, ends, strict=True):
            # The window is part of the key.
            some, last = rows[start:stop], rows[start][end] // MILLI - 1
            start = stop
            if last <= watermark:
                self._late.inc(len(some))
                continue
            added[key] = some
            self._scope.key = key
            self._timers.register_event_time_timer(last)
        self._scope.unset()
        held = state.values_of(list(added))
        state.update_all(added, (some + new if some else new for some, new in zip(held, added.values(), strict=True)))

    def _fire(self, time: int, key: Any) -> None:
        self._over.append(key)

    def _taken(self) -> list[tuple[list[Row], list[Row], bool]]:
        """Take, of each key of a window that is over, the rows of both sides; say whether they can be partners."""
        keys, self._over = self._over, []
        lefts, rights = self._left.values_of(keys), self._right.values_of(keys)
        for state, held in ((self._left, lefts), (self._right, rights)):
            gone = list(compress(keys, held))
            state.update_all(gone, [None] * len(gone))
        strict = [place for place, same in enumerate(self.plan.join.nulls_match) if not same]
        return [
            (left or [], right or [], all(key[place] is not None for place in strict))
            for key, left, right in zip(keys, lefts, rights, strict=True)
        ]

    def hand_on(self) -> None:
        """Hand on the rows of the windows that are over."""
        over = self._taken()
        if self.plan.join.kind == "INNER":
            self._hand_on_pairs([(lefts, rights) for lefts, rights, fit in over if fit and lefts and rights])
            return
        pairs = [(one, other) for lefts, rights, fit in over if fit for one in lefts for other in rights]
        answers = [True] * len(pairs)
        if self._residual is not None:
            answers = self._residual.holds(pairs, self.context.clock.now())
        holds = iter(answers)
        for lefts, rights, fit in over:
            self._join(lefts, rights, [[next(holds) for _ in rights] if fit else [False] * len(rights) for _ in lefts])
        super().hand_on()

    def _hand_on_pairs(self, over: list[tuple[list[Row], list[Row]]]) -> None:
        """Hand on who belongs together, in columns: a row is written once, however many partners it has."""
        lefts: list[Row] = []
        rights: list[Row] = []
        ours: list[int] = []
        theirs: list[int] = []
        for some, others in over:
            for place in range(len(lefts), len(lefts) + len(some)):
                ours += [place] * len(others)
                theirs += range(len(rights), len(rights) + len(others))
            lefts += some
            rights += others
            if len(ours) >= MANY:
                self._emit_pairs((lefts, rights), (ours, theirs))
                lefts, rights, ours, theirs = [], [], [], []
        if ours:
            self._emit_pairs((lefts, rights), (ours, theirs))

    def _emit_pairs(self, sides: tuple[list[Row], list[Row]], chosen: tuple[list[int], list[int]]) -> None:
        pairs: list[Any] = []
        for rows, types, places in zip(sides, self.plan.join.types, chosen, strict=True):
            taken = pa.array(np.array(places, np.int64))
            cells = zip(zip(*rows, strict=True), types, strict=True)
            pairs += [column_of_plain(list(values), kind).take(taken) for values, kind in cells]
        if self._residual is not None:
            holds = self._residual.of_columns(pairs, len(chosen[LEFT]), self.context.clock.now())
            pairs = [column.filter(holds) for column in pairs]
        if len(pairs[0]):
            self.output.emit(pack(pairs, None))

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
