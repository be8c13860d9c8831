"""Inner joins of inputs that only add rows: rows are kept in lists by key, pairs are made in columns."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.state.kinds import ROW_LISTS
from flott.runtime.state.row_lists import RowLists
from flott.runtime.timers import TimerService
from flott.table.arrow_types import column_of_plain
from flott.table.runtime.changes import pack, rows_of, unpack
from flott.table.runtime.join import LEFT, MILLI
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.residual import Residual
from flott.table.runtime.timed_rows import TimedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.table.runtime.changes import Row
    from flott.table.runtime.join import JoinPlan

COARSE = 1000
"""Rows are forgotten up to so many milliseconds late, many at once."""
MANY = 65_536
"""Pairs are handed on when there are so many."""


class AppendJoin(CombinedInputs, TimedRows):
    """Puts each row together with those of the other side that came before it."""

    def __init__(self, plan: JoinPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("the rows of a join")
        self._scope = backend.scope
        self._sides: list[RowLists] = [
            backend.part(name, ROW_LISTS, partial(RowLists, backend, name)) for name in ("left-rows", "right-rows")
        ]
        self._timers = TimerService(backend, "expiry", self.context.clock, self._expire, self._expire)
        plan = self.plan
        self._residual = None if plan.residual is None else Residual(plan.residual, plan.types, plan.zone)

    def process_input(self, index: int, batch: Batch) -> None:
        side = index
        columns = self._with_keys(side, unpack(batch)[0])
        length = len(columns[0])
        if not length:
            return
        keys, codes = key_codes(columns, self.plan.keys[side], length)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(keys)))
        rows = rows_of([column.take(pa.array(order)) for column in columns], length)
        # A batch is of one side, so that all rows of a key meet the same rows of the other.
        found = self._sides[1 - side].lists_of(keys)
        self._sides[side].add_all(keys, map(rows.__getitem__, map(slice, [0, *ends[:-1].tolist()], ends.tolist())))
        self._remember(side, keys, codes, columns)
        partners = list(chain.from_iterable(found))
        if partners:
            counts = np.fromiter(map(len, found), np.int64, len(found))
            self._emit_pairs(side, columns, partners, counts, codes)

    def _emit_pairs(
        self,
        side: int,
        columns: tuple[Any, ...],
        partners: list[Row],
        counts: NDArray[np.int64],
        codes: NDArray[np.int64],
    ) -> None:
        """Hand on each row with the partners of its key, in the order of the rows."""
        cells = zip(zip(*partners, strict=True), self.plan.types[1 - side], strict=True)
        theirs = [column_of_plain(list(values), kind) for values, kind in cells]
        starts = np.cumsum(counts) - counts
        pairs = counts[codes]
        ends = np.cumsum(pairs)
        before = ends - pairs
        first = 0
        while first < len(codes):
            # As many rows as have few enough partners together, and at least one.
            last = max(int(np.searchsorted(ends, before[first] + MANY, "right")), first + 1)
            some = pairs[first:last]
            if some.any():
                places = np.repeat(np.arange(first, last), some)
                within = np.arange(len(places)) - np.repeat(before[first:last] - before[first], some)
                chosen = pa.array(starts[codes[places]] + within)
                self._emit(side, columns, places, [column.take(chosen) for column in theirs])
            first = last

    def _with_keys(self, side: int, columns: tuple[Any, ...]) -> tuple[Any, ...]:
        """Leave out rows whose key is NULL: they belong to nothing."""
        for place, same in zip(self.plan.keys[side], self.plan.nulls_match, strict=True):
            if not same and columns[place].null_count:
                there = columns[place].is_valid()
                columns = tuple(column.filter(there) for column in columns)
        return columns

    def _emit(self, side: int, columns: tuple[Any, ...], places: NDArray[np.int64], theirs: list[Any]) -> None:
        chosen = pa.array(places)
        ours = [column.take(chosen) for column in columns]
        pairs = [*ours, *theirs] if side == LEFT else [*theirs, *ours]
        if self._residual is not None:
            holds = self._residual.of_columns(pairs, len(places), self.context.clock.now())
            pairs = [column.filter(holds) for column in pairs]
        if len(pairs[0]):
            self.output.emit(pack(pairs, None))

    def held_back(self, timestamp: int) -> int:
        return self.plan.held_back(timestamp)

    # What can be forgotten

    def _remember(self, side: int, keys: list[Any], codes: NDArray[np.int64], columns: tuple[Any, ...]) -> None:
        """Set a timer for when the rows can be forgotten: of each key one for many rows."""
        expiry = self.plan.expiry
        if expiry is None:
            return
        column, stay = expiry[side]
        times = columns[column].cast(pa.int64())
        if times.null_count:
            there = np.flatnonzero(times.is_valid().to_numpy(zero_copy_only=False))
            times, codes = times.take(pa.array(there)), codes[there]
        over = times.to_numpy(zero_copy_only=False) // MILLI + stay + 1
        moments = np.unique(np.stack([codes, -(-over // COARSE) * COARSE], axis=1), axis=0)
        for code, moment in moments.tolist():
            self._scope.key = keys[code]
            self._timers.register_event_time_timer(moment)
        self._scope.unset()

    def _expire(self, time: int, key: Any) -> None:
        """Forget the rows of a key whose time is over."""
        if self.plan.expiry is None:
            return
        for (column, stay), own in zip(self.plan.expiry, self._sides, strict=True):
            (rows,) = own.lists_of([key])
            left = [row for row in rows if row[column] is None or row[column] // MILLI + stay + 1 > time]
            if len(left) < len(rows):
                own.replace(key, left)
