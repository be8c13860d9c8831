"""The first or the last row of each partition by time, computed for a batch of rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operator import Operator
from flott.table.arrow_types import column_of_plain
from flott.table.runtime.changes import INSERT, UPDATE_AFTER, UPDATE_BEFORE, pack, rows_of, unpack
from flott.table.runtime.kept_state import value_state
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.segments import Segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.runtime.changes import Row

LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Deduplicate(Operator):
    """Keeps the first or the last row of each partition: by a column of event time, or as they come."""

    def __init__(
        self, partition: tuple[int, ...], time: int | None, types: tuple[Any, ...], *, last: bool, ttl: int = 0
    ) -> None:
        self.partition = partition
        self.ttl = ttl
        self.time = time
        self.types = types
        self.last = last

    def open(self) -> None:
        backend = self.context.keyed("the row that is kept")
        self._state: ValueState = value_state(backend, "row", self.ttl, self.context.clock)

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        keys, codes = key_codes(columns, self.partition, len(batch))
        held: list[Row | None] = self._state.values_of(keys)
        rows = Segments(codes, len(keys))
        taken = self._taken(columns, rows, held)
        self._write(keys, columns, rows, taken)
        self._emit(columns, rows, taken, held)

    def _taken(self, columns: tuple[Any, ...], rows: Segments, held: list[Row | None]) -> NDArray[np.intp]:
        """Return which rows, as they are sorted by partition, take the place of the one that was kept before."""
        time, none = self.time, LOWEST if self.last else HIGHEST
        if time is None:
            # Rows that come at the same time: the order in which they come decides.
            times = np.zeros(len(rows.order), np.int64)
            first = np.array([none if row is None else 0 for row in held], np.int64)
        else:
            times = columns[time].cast(pa.int64()).to_numpy(zero_copy_only=False)[rows.order]
            first = np.array([none if row is None else row[time] for row in held], np.int64)
        best = rows.extremes(times, first, largest=self.last)
        before = np.empty_like(best)
        before[1:] = best[:-1]
        before[rows.starts] = first
        return np.flatnonzero(times >= before if self.last else times < before)

    def _write(self, keys: list[Any], columns: tuple[Any, ...], rows: Segments, taken: NDArray[np.intp]) -> None:
        groups = rows.codes[taken]
        ends = np.flatnonzero(np.append(groups[1:] != groups[:-1], True)) if len(groups) else groups
        places = pa.array(rows.order[taken[ends]])
        kept = rows_of([column.take(places) for column in columns], len(ends))
        self._state.update_all([keys[group] for group in groups[ends].tolist()], kept)

    def _emit(self, columns: tuple[Any, ...], rows: Segments, taken: NDArray[np.intp], held: list[Row | None]) -> None:
        if not len(taken):
            return
        groups, places = rows.codes[taken], rows.order[taken]
        stored = [row for row in held if row is not None]
        there = np.array([row is not None for row in held])
        where = len(rows.codes) + np.cumsum(there) - 1
        first = np.append(True, groups[1:] != groups[:-1])
        before = np.append(0, places[:-1])
        before = np.where(first, np.where(there[groups], where[groups], -1), before)
        # In the order in which the rows came: the first of a partition, or the old one and the new one.
        order = np.argsort(places, kind="stable")
        places, before = places[order], before[order]
        number = np.where(before < 0, 1, 2)
        ends = np.cumsum(number) - 1
        chosen, kinds = np.empty(ends[-1] + 1, np.int64), np.full(ends[-1] + 1, UPDATE_BEFORE, np.int8)
        chosen[ends] = places
        kinds[ends] = np.where(before < 0, INSERT, UPDATE_AFTER)
        chosen[ends[before >= 0] - 1] = before[before >= 0]
        cells = list(zip(*stored, strict=True)) if stored else [()] * len(columns)
        indices = pa.array(chosen)
        made = [
            pa.concat_arrays([column, column_of_plain(list(values), column.type)]).take(indices)
            for column, values in zip(columns, cells, strict=True)
        ]
        only_new = self.time is None and not self.last
        self.output.emit(pack(made, None if only_new else kinds))
