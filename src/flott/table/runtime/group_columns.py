"""Groups in columns: how each row changes the result of its group, all rows of a batch at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.operator import Operator
from flott.runtime.state.kinds import GROUP_SUMS, MAP_STATE, VALUE_STATE
from flott.runtime.state.seen_values import SeenValues
from flott.runtime.state.values import ValueState
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import AggregateCall
from flott.table.runtime.changes import DELETE, GONE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, key_column, pack, unpack
from flott.table.runtime.distinct_rows import new_values
from flott.table.runtime.key_codes import hashed_by_arrow, key_codes
from flott.table.runtime.segments import Segments
from flott.table.runtime.text_ranks import TextRanks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.table.runtime.group_aggregate import GroupPlan

FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
EDGES = {"MIN": np.iinfo(np.int64).max, "MAX": np.iinfo(np.int64).min}
"""What is not smaller, or not larger, than any value."""
VALUE, SEEN = 0, 1
"""What is kept of an aggregate: its count, sum or extreme, and how many values went into it."""
ROWS = AggregateCall("COUNT", (), t.DataTypes.BIGINT())
"""Kept where rows are taken back: a group without rows is no more."""


def fits_columns(plan: GroupPlan) -> bool:
    """Say whether all aggregates of a plan are of whole numbers, or extremes of texts.

    Where rows are taken back, only what a number can be taken from again: an extreme needs the others.
    """
    return all(_fits(call, plan) for call in plan.calls)


def _fits(call: AggregateCall, plan: GroupPlan) -> bool:
    if call.function not in FUNCTIONS or call.user is not None:
        return False
    if plan.retracting and (call.distinct or call.function in EDGES):
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
        # Groups whose rows are taken back were saved in another form once: that name with another kind is refused.
        name, kind = ("groups", GROUP_SUMS) if self.plan.retracting else ("sums", VALUE_STATE)
        self._state: ValueState = backend.part(name, kind, partial(ValueState, backend, name))
        self._calls = (*self.plan.calls, ROWS) if self.plan.retracting else self.plan.calls
        self._types = [to_arrow_type(call.type) for call in self.plan.calls]
        self._seen: dict[int, SeenValues] = {
            # The least and the largest are the same of distinct values as of all.
            place: backend.part(f"distinct-{place}", MAP_STATE, partial(SeenValues, backend, f"distinct-{place}"))
            for place, call in enumerate(self.plan.calls)
            if call.distinct and call.function not in EDGES
        }

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        if self.plan.retracting:
            gone = np.zeros(len(batch), bool) if kinds is None else np.isin(kinds, GONE)
            self._change(columns, np.where(gone, -1, 1))
        else:
            self._add(columns, len(batch))

    def _add(self, columns: tuple[Any, ...], length: int) -> None:
        keys, codes = key_codes(columns, self.plan.keys, length)
        found, known = self._read(keys)
        arguments = [_arguments(call, columns, len(codes)) for call in self._calls]
        for place, seen in self._seen.items():
            column, counts = columns[self.plan.calls[place].args[0]], arguments[place][1]
            arguments[place] = arguments[place][0], new_values(column, counts, codes, keys, seen)
        texts = self._texts(columns, found, arguments)
        rows = Segments(codes, len(keys))
        after, before = self._run(arguments, rows, self._held(found))
        self._write(keys, after[rows.ends], texts)
        self._emit(columns, rows, after, before, known, texts)

    def _change(self, columns: tuple[Any, ...], signs: NDArray[np.int64]) -> None:
        """Add rows and take rows back, as their signs say."""
        keys, codes = key_codes(columns, self.plan.keys, len(signs))
        found, known = self._read(keys)
        held = self._held(found)
        rows = Segments(codes, len(keys))
        left = rows.sums(signs[rows.order]) + held[rows.codes, -1, VALUE]
        if (left < 0).any():
            # Who takes back what was never there, or too long ago, changes nothing.
            counted = _counted(codes.tolist(), signs.tolist(), held[:, -1, VALUE].tolist())
            if len(counted):
                self._change(tuple(column.take(pa.array(counted)) for column in columns), signs[counted])
            return
        owners = np.arange(len(keys))
        if not left.all():
            # What comes after a group's last row belongs to a new group of the same key.
            rows, owners = rows.split_after(left == 0)
            first = np.append(True, owners[1:] != owners[:-1])
            held, known = np.where(first[:, None, None], held[owners], 0), known[owners] & first
        arguments = [_arguments(call, columns, len(codes)) for call in self._calls]
        after, before = self._run(arguments, rows, held, signs)
        self._write(keys, after[rows.ends[np.searchsorted(owners, np.arange(len(keys)), "right") - 1]], {})
        self._emit(columns, rows, after, before, known, {})

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
        nothing = [0] * (2 * len(self._calls))
        values = self._state.values_of(keys)
        found = [list(nothing if value is None else value) for value in values]
        return found, np.array([value is not None for value in values], bool)

    def _held(self, found: list[list[Any]]) -> NDArray[np.int64]:
        return np.array(found, np.int64).reshape(len(found), len(self._calls), 2)

    def _write(self, keys: list[Any], last: NDArray[np.int64], texts: dict[int, TextRanks]) -> None:
        rows: list[list[Any]] = last.reshape(len(keys), 2 * len(self._calls)).tolist()
        for place, ranks in texts.items():
            for row, text in zip(rows, ranks.texts(last[:, place, VALUE]), strict=True):
                row[2 * place] = text
        self._state.update_all(keys, (row if row[-1] else None for row in rows) if self.plan.retracting else rows)

    # What each row changes

    def _run(
        self,
        arguments: list[tuple[Any, Any]],
        rows: Segments,
        held: NDArray[np.int64],
        signs: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what groups hold after each row and before it, group by group."""
        after = np.empty((len(rows.codes), len(self._calls), 2), np.int64)
        ordered = np.int64(1) if signs is None else signs[rows.order]
        for place, call in enumerate(self._calls):
            values, counts = (part[rows.order] for part in arguments[place])
            value, seen = held[:, place, VALUE], held[:, place, SEEN]
            after[:, place, SEEN] = rows.sums(counts.astype(np.int64) * ordered) + seen[rows.codes]
            if call.function == "COUNT":
                after[:, place, VALUE] = after[:, place, SEEN]
            elif call.function in EDGES:
                edge = EDGES[call.function]
                first = np.where(seen > 0, value, edge)
                after[:, place, VALUE] = rows.extremes(
                    np.where(counts, values, edge), first, largest=call.function == "MAX"
                )
            else:
                after[:, place, VALUE] = rows.sums(np.where(counts, values, 0) * ordered) + value[rows.codes]
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
        gone = after[:, -1, VALUE] == 0 if self.plan.retracting else np.zeros(len(new), bool)
        # In the order in which the rows came: nothing, the first result or the last, or the old one and the new one.
        number = np.where(new | gone, 1, np.where(changed, 2, 0))[rows.back]
        chosen = np.repeat(np.arange(len(number)), number)
        if not len(chosen):
            return
        second = np.zeros(len(chosen), bool)
        second[1:] = chosen[1:] == chosen[:-1]
        at = rows.back[chosen]
        alone = np.where(gone[at], DELETE, INSERT)
        kinds = np.where(number[chosen] == 1, alone, np.where(second, UPDATE_AFTER, UPDATE_BEFORE)).astype(np.int8)
        old_ones = np.isin(kinds, GONE)
        made = [key_column(columns[key]).take(pa.array(chosen)) for key in self.plan.keys]
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


def _counted(codes: list[int], signs: list[int], left: list[int]) -> list[int]:
    """Return which rows change their groups, of which ``left`` rows are left: not those taken from none.

    >>> _counted([0, 0, 0, 1], [-1, 1, -1, -1], [0, 1])
    [1, 2, 3]
    """
    counted = []
    for place, (code, sign) in enumerate(zip(codes, signs, strict=True)):
        if left[code] + sign >= 0:
            left[code] += sign
            counted.append(place)
    return counted


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
