"""Groups in two phases: each batch is aggregated where it is, and only the partial results are exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.operator import Operator
from flott.table.arrow_types import plain_values
from flott.table.runtime.changes import pack, unpack
from flott.table.runtime.group_aggregate import GroupAggregate
from flott.table.runtime.window_aggregate import WindowAggregate

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.expr import AggregateCall
    from flott.table.functions.aggregates import Aggregate
    from flott.table.runtime.group_aggregate import GroupPlan

SUMS = {"SUM", "AVG"}


@dataclass(frozen=True, slots=True)
class LocalPlan:
    """What is aggregated before the exchange; all inputs are rows that are only added."""

    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    types: tuple[Any, ...]
    """The Arrow types of the output: keys, the number of rows, and for each call its parts."""


class LocalGroupAggregate(Operator):
    """Aggregates each batch: a row for each group, with the number of its rows and the parts of each aggregate."""

    def __init__(self, plan: LocalPlan) -> None:
        self.plan = plan

    def process(self, batch: Batch) -> None:
        columns, _ = unpack(batch)
        length = len(batch)
        ones = pa.array(np.ones(length, np.int64))
        arrays = [columns[key] for key in self.plan.keys]
        names = [f"k{place}" for place in range(len(arrays))]
        wanted: list[tuple[str, str, Any]] = [("rows", "sum", None)]
        for place, call in enumerate(self.plan.calls):
            name = f"a{place}"
            values = columns[call.args[0]] if call.args else ones
            if call.filter is not None:
                values = pc.if_else(columns[call.filter], values, pa.scalar(None, values.type))
            arrays.append(_summable(values) if call.function in SUMS else values)
            names.append(name)
            if call.function in SUMS:
                wanted.append((name, "sum", pc.ScalarAggregateOptions(skip_nulls=True, min_count=1)))
            if call.function in SUMS or call.function == "COUNT":
                wanted.append((name, "count", pc.CountOptions(mode="only_valid")))
            if call.function in {"MIN", "MAX"}:
                wanted.append((name, call.function.lower(), pc.ScalarAggregateOptions(min_count=1)))
        table = pa.table([*arrays, ones], names=[*names, "rows"])
        heads = names[: len(self.plan.keys)]
        made = table.group_by(heads, use_threads=False).aggregate(wanted)
        order = [*heads, *(f"{name}_{function}" for name, function, _ in wanted)]
        pairs = zip(order, self.plan.types, strict=True)
        self.output.emit(pack([_typed(made.column(name), kind) for name, kind in pairs], None))


def _summable(values: Any) -> Any:
    """Return numbers as wide as sums are: a sum that leaves 64 bits wraps, as Java's."""
    return values.cast(pa.float64() if pa.types.is_floating(values.type) else pa.int64())


def _typed(column: Any, kind: Any) -> Any:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole if whole.type == kind else whole.cast(kind)


class Parts:
    """The partial results of a batch: how many rows each stands for, and the parts of each aggregate."""

    def __init__(self, plan: GroupPlan, columns: tuple[Any, ...]) -> None:
        self.rows = plain_values(columns[len(plan.keys)])
        self._calls = plan.calls
        self._parts = [[plain_values(columns[part]) for part in call.args] for call in plan.calls]

    def merge(self, number: int, aggregates: list[Aggregate], accumulators: list[Any]) -> None:
        """Put a partial result into the accumulators of its group."""
        for one, call, acc, some in zip(aggregates, self._calls, accumulators, self._parts, strict=True):
            first = some[0][number]
            if call.function in SUMS:
                acc[0] += first or 0
                acc[1] += some[1][number]
            elif call.function == "COUNT":
                acc[0] += first
            elif first is not None:
                one.add(acc, first)


class GlobalGroupAggregate(GroupAggregate):
    """Puts the partial results of each group together; the arguments of a call are the columns of its parts."""

    def _arguments(self, columns: tuple[Any, ...]) -> Any:
        return Parts(self.plan, columns)

    def _change(self, number: int, arguments: Any, *, remove: bool) -> bool:
        """Add a partial result to its group."""
        group = self._state.value()
        if group is None:
            group = [0, [one.create() for one in self._aggregates], None]
        group[0] += arguments.rows[number]
        arguments.merge(number, self._aggregates, group[1])
        self._state.update(group)
        return not remove


class GlobalWindowAggregate(WindowAggregate):
    """Puts the partial results of each group of a window together."""

    def arguments(self, columns: tuple[Any, ...]) -> Any:
        return Parts(self.plan, columns)

    def add(self, number: int, arguments: Any, group: list[Any]) -> None:
        arguments.merge(number, self._accumulators.aggregates, group[0])
