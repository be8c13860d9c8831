"""Groups that only gain rows, in columns: how each row changes the result of its group, all rows of a batch at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.operator import Operator
from flott.runtime.state.values import ValueState
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.runtime.changes import INSERT, UPDATE_AFTER, UPDATE_BEFORE, keys_of, pack, unpack
from flott.table.runtime.segments import Segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.table.expr import AggregateCall
    from flott.table.runtime.group_aggregate import GroupPlan

FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
EDGES = {"MIN": np.iinfo(np.int64).max, "MAX": np.iinfo(np.int64).min}
"""What is not smaller, or not larger, than any value."""
VALUE, SEEN = 0, 1
"""What is kept of an aggregate: its count, sum or extreme, and how many values went into it."""


def fits_columns(plan: GroupPlan) -> bool:
    """Say whether all aggregates of a plan are of whole numbers, and nothing is taken back."""
    return not plan.retracting and all(
        call.function in FUNCTIONS
        and not call.distinct
        and call.user is None
        and (call.function == "COUNT" or isinstance(plan.inputs[call.args[0]], t.IntegralType))
        for call in plan.calls
    )


class GroupColumns(Operator):
    """Tells the same changes as ``GroupAggregate``: one, or the old result and the new one, for each row."""

    def __init__(self, plan: GroupPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        backend = self.context.keyed("what groups hold")
        self._scope = backend.scope
        self._state: ValueState = backend.part("sums", "value state", lambda: ValueState(backend, "sums"))
        self._types = [to_arrow_type(call.type) for call in self.plan.calls]

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        length = len(batch)
        index: dict[Any, int] = {}
        keys = keys_of(columns, self.plan.keys, length)
        codes = np.fromiter((index.setdefault(key, len(index)) for key in keys), np.int64, length)
        held, known = self._read(index)
        rows = Segments(codes, len(index))
        after, before = self._run(columns, rows, held)
        self._write(index, after[rows.ends])
        self._emit(columns, rows, after, before, known)

    # What is kept

    def _read(self, index: dict[Any, int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what groups hold, a row each, and which of them were there before."""
        nothing = [0] * (2 * len(self.plan.calls))
        scope, state = self._scope, self._state
        found: list[list[int]] = []
        known: list[bool] = []
        for key in index:
            scope.key = key
            value = state.value()
            known.append(value is not None)
            found.append(nothing if value is None else value)
        held = np.array(found, np.int64).reshape(len(index), len(self.plan.calls), 2)
        return held, np.array(known, bool)

    def _write(self, index: dict[Any, int], last: NDArray[np.int64]) -> None:
        scope, state = self._scope, self._state
        for key, values in zip(index, last.reshape(len(index), 2 * len(self.plan.calls)).tolist(), strict=True):
            scope.key = key
            state.update(values)
        scope.unset()

    # What each row changes

    def _run(
        self, columns: tuple[Any, ...], rows: Segments, held: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what groups hold after each row and before it, group by group."""
        after = np.empty((len(rows.codes), len(self.plan.calls), 2), np.int64)
        for place, call in enumerate(self.plan.calls):
            values, counts = _arguments(call, columns, len(rows.codes))
            values, counts = values[rows.order], counts[rows.order]
            value, seen = held[:, place, VALUE], held[:, place, SEEN]
            after[:, place, SEEN] = rows.sums(counts.astype(np.int64)) + seen[rows.codes]
            if call.function == "COUNT":
                after[:, place, VALUE] = after[:, place, SEEN]
            elif call.function in EDGES:
                edge = EDGES[call.function]
                first = np.where(seen > 0, value, edge)
                after[:, place, VALUE] = rows.extremes(
                    np.where(counts, values, edge), first, largest=call.function == "MAX"
                )
            else:
                after[:, place, VALUE] = rows.sums(np.where(counts, values, 0)) + value[rows.codes]
        before = np.empty_like(after)
        before[1:] = after[:-1]
        before[rows.starts] = held
        return after, before

    def _emit(
        self,
        columns: tuple[Any, ...],
        rows: Segments,
        after: NDArray[np.int64],
        before: NDArray[np.int64],
        known: NDArray[np.bool_],
    ) -> None:
        new = np.zeros(len(rows.codes), bool)
        new[rows.starts] = ~known
        told = [(self._result(place, after), self._result(place, before)) for place in range(len(self.plan.calls))]
        changed = new.copy()
        for (now, now_null), (old, old_null) in told:
            changed |= (now_null != old_null) | (~now_null & (now != old))
        # In the order in which the rows came: nothing, the first result, or the old one and the new one.
        number = np.where(new, 1, np.where(changed, 2, 0))[rows.back]
        chosen = np.repeat(np.arange(len(number)), number)
        if not len(chosen):
            return
        second = np.zeros(len(chosen), bool)
        second[1:] = chosen[1:] == chosen[:-1]
        kinds = np.where(number[chosen] == 1, INSERT, np.where(second, UPDATE_AFTER, UPDATE_BEFORE)).astype(np.int8)
        old_ones = kinds == UPDATE_BEFORE
        at = rows.back[chosen]
        made = [columns[key].take(pa.array(chosen)) for key in self.plan.keys]
        for ((now, now_null), (old, old_null)), kind in zip(told, self._types, strict=True):
            values, nulls = np.where(old_ones, old[at], now[at]), np.where(old_ones, old_null[at], now_null[at])
            made.append(pa.array(values.astype(kind.to_pandas_dtype()), kind, mask=nulls))
        self.output.emit(pack(made, kinds))

    def _result(self, place: int, held: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return results of an aggregate, and where they are NULL."""
        value, seen = held[:, place, VALUE], held[:, place, SEEN]
        name = self.plan.calls[place].function
        if name == "COUNT":
            return value, np.zeros(len(value), bool)
        if name == "AVG":
            # Java divides towards zero.
            value = np.sign(value) * (np.abs(value) // np.maximum(seen, 1))
        return value, seen == 0


def _arguments(call: AggregateCall, columns: tuple[Any, ...], length: int) -> tuple[Any, Any]:
    """Return the values that an aggregate sees, and which of them count."""
    counts = np.ones(length, bool)
    values = np.zeros(length, np.int64)
    if call.args:
        column = columns[call.args[0]]
        if column.null_count:
            counts = column.is_valid().to_numpy(zero_copy_only=False)
        if call.function != "COUNT":
            filled = pc.fill_null(column, 0) if column.null_count else column
            values = filled.to_numpy(zero_copy_only=False).astype(np.int64)
    if call.filter is not None:
        counts = counts & pc.fill_null(columns[call.filter], fill_value=False).to_numpy(zero_copy_only=False)
    return values, counts
