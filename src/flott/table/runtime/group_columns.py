"""Groups that only gain rows, in columns: how each row changes the result of its group, all rows of a batch at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.operator import Operator
from flott.runtime.state.seen_values import SeenValues
from flott.runtime.state.values import ValueState
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.runtime.changes import INSERT, UPDATE_AFTER, UPDATE_BEFORE, pack, unpack
from flott.table.runtime.distinct_rows import new_values
from flott.table.runtime.key_codes import hashed_by_arrow, key_codes
from flott.table.runtime.segments import Segments
from flott.table.runtime.text_ranks import TextRanks

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
    """Say whether all aggregates of a plan are of whole numbers, or extremes of texts, and nothing is taken back."""
    return not plan.retracting and all(_fits(call, plan) for call in plan.calls)


def _fits(call: AggregateCall, plan: GroupPlan) -> bool:
    if call.function not in FUNCTIONS or call.user is not None:
        return False
    if not call.args:
        return True
    kind = plan.inputs[call.args[0]]
    if call.function == "COUNT":
        return not call.distinct or hashed_by_arrow(to_arrow_type(kind))
    return isinstance(kind, t.IntegralType) or (call.function in EDGES and t.is_text(kind))


class GroupColumns(Operator):
    """Tells the same changes as ``GroupAggregate``: one, or the old result and the new one, for each row."""

    def __init__(self, plan: GroupPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        backend = self.context.keyed("what groups hold")
        self._state: ValueState = backend.part("sums", "value state", lambda: ValueState(backend, "sums"))
        self._types = [to_arrow_type(call.type) for call in self.plan.calls]
        self._seen: dict[int, SeenValues] = {
            # The least and the largest are the same of distinct values as of all.
            place: backend.part(f"distinct-{place}", "map state", partial(SeenValues, backend, f"distinct-{place}"))
            for place, call in enumerate(self.plan.calls)
            if call.distinct and call.function not in EDGES
        }

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        keys, codes = key_codes(columns, self.plan.keys, len(batch))
        found, known = self._read(keys)
        arguments = [_arguments(call, columns, len(codes)) for call in self.plan.calls]
        for place, seen in self._seen.items():
            column, counts = columns[self.plan.calls[place].args[0]], arguments[place][1]
            arguments[place] = arguments[place][0], new_values(column, counts, codes, keys, seen)
        texts = self._texts(columns, found, arguments)
        held = np.array(found, np.int64).reshape(len(keys), len(self.plan.calls), 2)
        rows = Segments(codes, len(keys))
        after, before = self._run(arguments, rows, held)
        self._write(keys, after[rows.ends], texts)
        self._emit(columns, rows, after, before, known, texts)

    def _texts(
        self, columns: tuple[Any, ...], found: list[list[Any]], arguments: list[tuple[Any, Any]]
    ) -> dict[int, TextRanks]:
        """Put numbers in the same order where aggregates look at texts, in what groups hold as in what comes."""
        texts: dict[int, TextRanks] = {}
        for place, call in enumerate(self.plan.calls):
            if call.function in EDGES and pa.types.is_string(self._types[place]):
                held = [one[2 * place] if one[2 * place + 1] else None for one in found]
                texts[place] = ranks = TextRanks(columns[call.args[0]], held)
                arguments[place] = ranks.values, arguments[place][1]
                for one, rank in zip(found, ranks.held.tolist(), strict=True):
                    one[2 * place] = rank
        return texts

    # What is kept

    def _read(self, keys: list[Any]) -> tuple[list[list[Any]], NDArray[np.bool_]]:
        """Return what groups hold, a row each, and which of them were there before."""
        nothing = [0] * (2 * len(self.plan.calls))
        values = self._state.values_of(keys)
        found = [list(nothing if value is None else value) for value in values]
        return found, np.array([value is not None for value in values], bool)

    def _write(self, keys: list[Any], last: NDArray[np.int64], texts: dict[int, TextRanks]) -> None:
        rows: list[list[Any]] = last.reshape(len(keys), 2 * len(self.plan.calls)).tolist()
        for place, ranks in texts.items():
            for row, text in zip(rows, ranks.texts(last[:, place, VALUE]), strict=True):
                row[2 * place] = text
        self._state.update_all(keys, rows)

    # What each row changes

    def _run(
        self, arguments: list[tuple[Any, Any]], rows: Segments, held: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what groups hold after each row and before it, group by group."""
        after = np.empty((len(rows.codes), len(self.plan.calls), 2), np.int64)
        for place, call in enumerate(self.plan.calls):
            values, counts = (part[rows.order] for part in arguments[place])
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
        texts: dict[int, TextRanks],
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
        for place, ((now, now_null), (old, old_null)) in enumerate(told):
            values, nulls = np.where(old_ones, old[at], now[at]), np.where(old_ones, old_null[at], now_null[at])
            kind = self._types[place]
            if place in texts:
                made.append(texts[place].column(values, nulls))
            else:
                made.append(pa.array(values.astype(str(kind)), kind, mask=nulls))
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
        if call.function != "COUNT" and not pa.types.is_string(column.type):
            filled = pc.fill_null(column, 0) if column.null_count else column
            values = filled.to_numpy(zero_copy_only=False).astype(np.int64)
    if call.filter is not None:
        counts = counts & pc.fill_null(columns[call.filter], fill_value=False).to_numpy(zero_copy_only=False)
    return values, counts
