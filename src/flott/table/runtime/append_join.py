"""Inner joins of inputs that only add rows: rows are kept in lists by key, pairs are made in columns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.operators.two_inputs import TwoInputs
from flott.runtime.state.lists import ListState
from flott.runtime.timers import TimerService
from flott.table.arrow_types import column_of_plain
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session
from flott.table.runtime.changes import keys_of, pack, rows_of, unpack
from flott.table.runtime.join import LEFT, MILLI, RIGHT
from flott.table.runtime.timed_rows import TimedRows

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.changes import Row
    from flott.table.runtime.join import JoinPlan

COARSE = 1000
"""Rows are forgotten up to so many milliseconds late, many at once."""
MANY = 65_536
"""Pairs are handed on when there are so many."""


class AppendJoin(TwoInputs, TimedRows):
    """Puts each row together with those of the other side that came before it."""

    def __init__(self, plan: JoinPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("the rows of a join")
        self._scope = backend.scope
        self._sides: list[ListState] = [
            backend.part(name, "list state", partial(ListState, backend, name)) for name in ("left-rows", "right-rows")
        ]
        self._timers = TimerService(backend, "expiry", self.context.clock, self._expire, self._expire)
        residual = self.plan.residual
        self._residual = None if residual is None else ArrowCompiler().compile(residual)

    def process(self, batch: Batch) -> None:
        self._process(LEFT, batch)

    def process2(self, batch: Batch) -> None:
        self._process(RIGHT, batch)

    def _process(self, side: int, batch: Batch) -> None:
        columns = self._with_keys(side, unpack(batch)[0])
        length = len(columns[0])
        if not length:
            return
        keys, rows = keys_of(columns, self.plan.keys[side], length), rows_of(columns, length)
        own, other, scope = self._sides[side], self._sides[1 - side], self._scope
        places: list[int] = []
        partners: list[Row] = []
        for place, (key, row) in enumerate(zip(keys, rows, strict=True)):
            scope.key = key
            found = other.peek()
            if found:
                partners += found
                places += [place] * len(found)
            own.add(row)
            if len(partners) >= MANY:
                self._emit(side, columns, places, partners)
                places, partners = [], []
        self._remember(side, keys, rows)
        scope.unset()
        if partners:
            self._emit(side, columns, places, partners)

    def _with_keys(self, side: int, columns: tuple[Any, ...]) -> tuple[Any, ...]:
        """Leave out rows whose key is NULL: they belong to nothing."""
        for place, same in zip(self.plan.keys[side], self.plan.nulls_match, strict=True):
            if not same and columns[place].null_count:
                there = columns[place].is_valid()
                columns = tuple(column.filter(there) for column in columns)
        return columns

    def _emit(self, side: int, columns: tuple[Any, ...], places: list[int], partners: list[Row]) -> None:
        chosen = pa.array(np.array(places, np.int64))
        ours = [column.take(chosen) for column in columns]
        cells = zip(zip(*partners, strict=True), self.plan.types[1 - side], strict=True)
        theirs = [column_of_plain(list(values), kind) for values, kind in cells]
        pairs = [*ours, *theirs] if side == LEFT else [*theirs, *ours]
        if self._residual is not None:
            session = Session(self.plan.zone, self.context.clock.now())
            holds = pc.fill_null(column_of(self._residual(pairs, len(places), session), len(places)), fill_value=False)
            pairs = [column.filter(holds) for column in pairs]
        if len(pairs[0]):
            self.output.emit(pack(pairs, None))

    # What can be forgotten

    def _remember(self, side: int, keys: list[Any], rows: list[Row]) -> None:
        expiry = self.plan.expiry
        if expiry is None:
            return
        column, stay = expiry[side]
        for key, row in zip(keys, rows, strict=True):
            if row[column] is not None:
                self._scope.key = key
                over = row[column] // MILLI + stay + 1
                self._timers.register_event_time_timer(-(-over // COARSE) * COARSE)

    def _expire(self, time: int, key: Any) -> None:
        """Forget the rows of a key whose time is over."""
        if self.plan.expiry is None:
            return
        for (column, stay), own in zip(self.plan.expiry, self._sides, strict=True):
            rows = own.peek()
            left = [row for row in rows if row[column] is None or row[column] // MILLI + stay + 1 > time]
            if len(left) < len(rows):
                own.update(left)
