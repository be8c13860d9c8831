"""Aggregate functions of the user's, as the engine calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.operator import Operator, close_all
from flott.table.arrow_types import column_of_plain, to_arrow_type
from flott.table.functions.aggregates import Aggregate
from flott.table.python_values import column_from_python, plain_from_python, to_python
from flott.table.types import RowType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.expr import AggregateCall
    from flott.table.types import DataType


def user_aggregate(call: AggregateCall, inputs: Sequence[DataType]) -> Aggregate:
    """Return how an AggregateFunction works on its arguments, which come as a tuple; NULLs are among them."""
    user = call.user
    if user.func_type == "pandas":
        return _of_series(user, [inputs[position] for position in call.args])
    function = user.func

    def add(acc: list[Any], value: Any) -> None:
        function.accumulate(acc[0], *value)

    def retract(acc: list[Any], value: Any) -> None:
        function.retract(acc[0], *value)

    return Aggregate(
        lambda: [function.create_accumulator()],
        add,
        retract if user.retracts else None,
        lambda acc: plain_from_python(function.get_value(acc[0]), user.result_type),
    )


def _of_series(user: Any, kinds: list[DataType]) -> Aggregate:
    """Return how a pandas function works: the rows are kept, and it sees all of them when the result is wanted."""
    function = user.func

    def result(acc: list[Any]) -> Any:
        columns = zip(*acc, strict=True) if acc else ((),) * len(kinds)
        series = []
        for values, kind in zip(columns, kinds, strict=True):
            cells = column_from_python(list(values), kind)
            series.append(_frame(cells) if isinstance(kind, RowType) else cells.to_pandas())
        try:
            accumulator = function.create_accumulator()
            function.accumulate(accumulator, *series)
            made = function.get_value(accumulator)
        except USER_CODE_RAISES as error:
            raise FlottError(f"function {user.name}: {type(error).__name__}: {error}") from error
        return plain_from_python(made, user.result_type)

    return Aggregate(list, list.append, list.remove, result)


def _frame(cells: Any) -> Any:
    """Return rows as pandas has them: a DataFrame with a column for each field."""
    return pa.Table.from_arrays(cells.flatten(), names=[field.name for field in cells.type]).to_pandas()


def seen_by_user(value: Any, kind: DataType) -> Any:
    """Return a value that a stateful operator has kept as functions of the user's see it."""
    return None if value is None else to_python(column_of_plain([value], to_arrow_type(kind)), kind)[0]


class UserAggregates(Operator):
    """Opens and closes the aggregate functions of the user's that the calls of a plan name."""

    plan: Any

    def open(self) -> None:
        for user in self._users():
            user.open(self.context)

    def close(self) -> None:
        close_all(self._users())

    def _users(self) -> list[Any]:
        found = {id(call.user): call.user for call in self.plan.calls if call.user is not None}
        return list(found.values())
