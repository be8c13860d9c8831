"""MATCH_RECOGNIZE around the operator of CEP: columns become events, conditions look at them, matches become rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.cep.conditions import IterativeCondition
from flott.cep.functions import PatternProcessFunction
from flott.errors import FlottError
from flott.runtime.columns import ColumnBatch, RecordShape
from flott.runtime.operator import Operator
from flott.table.functions.aggregates import aggregate
from flott.table.runtime.changes import INSERT, ChangesOut, unpack
from flott.table.runtime.row_expressions import row_function
from flott.table.runtime.user_aggregate import seen_by_user, user_aggregate
from flott.table.runtime.window_columns import text_key
from flott.table.runtime.window_expand import times_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.cep.frame import Frame
    from flott.runtime.batch import Batch
    from flott.table.expr import Expr
    from flott.table.plan.match import Glance
    from flott.table.types import DataType

KEY = "key"
"""The column of the partition, behind those of the row."""
NOTHING: list[Any] = []
"""The rows of a variable that has none."""


class ToEvents(Operator):
    """Makes events of rows: plain values, the partition as one key, and the time as their timestamp."""

    def __init__(self, width: int, partition: tuple[int, ...], time: int | None) -> None:
        self.width = width
        self.partition = partition
        self.time = time

    def open(self) -> None:
        self._shape = RecordShape((*(f"c{place}" for place in range(self.width)), KEY), tuples=True)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        if kinds is not None and kinds.any():
            raise FlottError(f"{self.context.title}: MATCH_RECOGNIZE can't take rows back")
        times = None if self.time is None else times_of(columns[self.time], self.context.title)
        keys = [columns[place] for place in self.partition]
        key = text_key(keys) if keys else pa.array([""] * len(batch))
        self.output.emit(ColumnBatch((*map(_plain, columns), key), self._shape, times))


def _plain(column: Any) -> Any:
    """Return a column of the values that stateful operators see."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        return column.cast(pa.int64())
    return column.cast(pa.int32()) if pa.types.is_date32(kind) else column


class Looks:
    """Takes values from the rows that a match holds."""

    def __init__(self, glances: tuple[Glance, ...], inputs: tuple[DataType, ...], variables: tuple[str, ...]) -> None:
        self._variables = variables
        self._takes = [_take(one, inputs) for one in glances]
        self._of = [one.variable for one in glances]
        self._all = None in self._of

    def at(self, match: dict[str, list[Any]], own: str | None = None, row: Any = None) -> list[Any]:
        """Return all values; ``row`` is tried for the variable ``own``, and counts as one of its rows."""
        held: dict[Any, list[Any]] = dict(match)
        if own is not None:
            held[own] = [*held.get(own, NOTHING), row]
        if self._all:
            before = [one for name in self._variables for one in match.get(name, NOTHING)]
            held[None] = before if own is None else [*before, row]
        return [take(held.get(name, NOTHING)) for take, name in zip(self._takes, self._of, strict=True)]


def _take(glance: Glance, inputs: tuple[DataType, ...]) -> Callable[[list[Any]], Any]:
    column = glance.column
    if glance.call is not None:
        return _aggregated(glance, inputs)
    offset = glance.offset
    place = offset if glance.first else -1 - offset

    def take(rows: list[Any]) -> Any:
        return rows[place][column] if len(rows) > offset else None

    return take


def _aggregated(glance: Glance, inputs: tuple[DataType, ...]) -> Callable[[list[Any]], Any]:
    call, column = glance.call, glance.column
    if call is None:
        raise TypeError(f"{glance!r} is no aggregate")
    argument = None if column is None else inputs[column]
    how = (
        user_aggregate(call, inputs)
        if call.user is not None
        else aggregate(call.function, argument, call.type, retracting=False)
    )
    users, positions = call.user is not None, call.args

    def take(rows: list[Any]) -> Any:
        accumulator = how.create()
        for row in rows:
            if users:
                value: Any = tuple(seen_by_user(row[position], inputs[position]) for position in positions)
            else:
                value = True if column is None else row[column]
            if value is not None:
                how.add(accumulator, value)
        return how.result(accumulator)

    return take


@dataclass(frozen=True, slots=True, eq=False)
class MatchShape:
    """What conditions and measures must know of the rows."""

    inputs: tuple[DataType, ...]
    variables: tuple[str, ...]
    zone: str


class Defined(IterativeCondition):
    """A condition of DEFINE that looks at the rows which the match holds already."""

    def __init__(self, variable: str, condition: Expr, glances: tuple[Glance, ...], shape: MatchShape) -> None:
        self.variable = variable
        self.condition = condition
        self.glances = glances
        self.shape = shape

    def open(self, runtime_context: Any) -> None:
        shape = self.shape
        self._looks = Looks(self.glances, shape.inputs, shape.variables)
        self._holds = row_function(self.condition, [one.type for one in self.glances], shape.zone)

    def filter(self, event: Any, ctx: Frame) -> bool:  # type: ignore[override]
        return self._holds(self._looks.at(ctx.events_by_pattern(), self.variable, event)) is True


class Measures(PatternProcessFunction):
    """Makes one row of each match: the partition, and what is looked at."""

    def __init__(self, partition: tuple[int, ...], glances: tuple[Glance, ...], shape: MatchShape) -> None:
        self.partition = partition
        self.glances = glances
        self.shape = shape

    def open(self, runtime_context: Any) -> None:
        self._looks = Looks(self.glances, self.shape.inputs, self.shape.variables)

    def process_match(self, match: dict[str, list[Any]], ctx: PatternProcessFunction.Context) -> Iterable[Any]:
        row = next(rows[0] for rows in match.values())
        return [(*(row[place] for place in self.partition), *self._looks.at(match))]


class FromMatches(Operator):
    """Makes columns of the rows of matches."""

    def __init__(self, types: tuple[Any, ...]) -> None:
        self.types = types

    def process(self, batch: Batch) -> None:
        out = ChangesOut(self.types, append_only=True)
        for row in batch.values:
            out.add(INSERT, row)
        made = out.take()
        if made is not None:
            self.output.emit(made)
