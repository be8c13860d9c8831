"""Table functions: of some values, several rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable
from typing import Any

from flott.common.types import Row
from flott.table.errors import TableError
from flott.table.types import DataTypes, RowField, RowType
from flott.table.user_defined_function import UserDefinedFunction, UserDefinedFunctionWrapper, types_of

__all__ = ["TableFunction"]


class TableFunction(UserDefinedFunction):
    """A function of some values that gives several rows."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Yields the rows for the arguments of one row: tuples, Rows, or values if there is only one column."""


class UserDefinedTableFunctionWrapper(UserDefinedFunctionWrapper):
    """A table function with its types, as ``udtf`` makes it."""

    kind = "table"

    def __init__(
        self, func: Any, input_types: Any, result_types: Any, deterministic: bool | None, name: str | None
    ) -> None:
        if not callable(func) and not isinstance(func, TableFunction):
            raise TableError(f"udtf({func!r:.100}): give a Python function or a TableFunction")
        super().__init__(func, name, input_types, deterministic)
        kinds = types_of(result_types)
        if not kinds:
            raise TableError("udtf(…): say what it gives: udtf(…, result_types=[DataTypes.STRING(), DataTypes.INT()])")
        if len(kinds) == 1 and isinstance(kinds[0], RowType):
            kinds = kinds[0].field_types()
        self.fields = tuple(RowField(f"f{place}", kind) for place, kind in enumerate(kinds))
        self.result_type = DataTypes.ROW(list(self.fields))


def rows_of_result(result: Any) -> Iterable[tuple[Any, ...]]:
    """Return the rows that a table function gave: a list, a range or a generator holds several, all else is one.

    >>> list(rows_of_result(["a", ("b",)])), list(rows_of_result(None)), list(rows_of_result((1, 2)))
    ([('a',), ('b',)], [], [(1, 2)])
    """
    if result is None:
        return ()
    if isinstance(result, (list, range, Generator)):
        return map(_row, result)
    return (_row(result),)


def _row(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, Row) else (value,)
