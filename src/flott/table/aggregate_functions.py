"""Aggregate functions: of the rows of a group one value, or several rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.table.errors import TableError
from flott.table.types import DataTypes, RowField, RowType
from flott.table.user_defined_function import UserDefinedFunction, UserDefinedFunctionWrapper, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.table.types import DataType

__all__ = ["AggregateFunction", "TableAggregateFunction"]


class ImperativeAggregateFunction(UserDefinedFunction):
    """What aggregate functions have in common; with ``retract`` they work also where rows are taken back."""

    @abstractmethod
    def create_accumulator(self) -> Any:
        """Returns an accumulator of nothing: something that can be changed in place, such as a list."""

    @abstractmethod
    def accumulate(self, accumulator: Any, *args: Any) -> None:
        """Adds a row."""

    def retract(self, accumulator: Any, *args: Any) -> None:
        """Takes a row back."""
        raise RuntimeError(f"{type(self).__name__} has no method retract")

    def get_result_type(self) -> DataType | str | None:
        """Returns the type of the result, if ``udaf`` or ``udtaf`` is not told."""
        return None


class AggregateFunction(ImperativeAggregateFunction):
    """A function of all rows of a group that gives one value."""

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """Returns the result."""


class TableAggregateFunction(ImperativeAggregateFunction):
    """A function of all rows of a group that gives several rows."""

    @abstractmethod
    def emit_value(self, accumulator: Any) -> Iterable[Any]:
        """Yields the rows of the result: tuples, Rows, or values if there is only one column."""


class OfSeries(AggregateFunction):
    """A Python function of whole pandas series as an aggregate function: it is called once for all rows."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        accumulator.append(self.function(*args))

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0]


class UserDefinedAggregateFunctionWrapper(UserDefinedFunctionWrapper):
    """An aggregate function with its types, as ``udaf`` makes it."""

    kind = "aggregate"
    base: Any = AggregateFunction

    def __init__(
        self,
        func: Any,
        input_types: Any,
        result_type: Any,
        deterministic: bool | None,
        name: str | None,
        func_type: str = "general",
    ) -> None:
        super().__init__(func, name or getattr(func, "__name__", type(func).__name__), input_types, deterministic)
        if func_type not in {"general", "pandas"}:
            raise TableError(f"udaf(func_type='{func_type}'): it is 'general' (row by row) or 'pandas' (whole series)")
        self.func_type = func_type
        if func_type == "pandas" and not isinstance(self.func, AggregateFunction):
            self.func = OfSeries(self.func)
        if not isinstance(self.func, self.base):
            raise TableError(f"{'udaf' if self.kind == 'aggregate' else 'udtaf'}({func!r:.100}): "
                             f"give a {self.base.__name__}")  # fmt: skip
        found = type_of(result_type if result_type is not None else self.func.get_result_type())
        if found is None:
            raise TableError("udaf(…): say what it returns: udaf(…, result_type=DataTypes.BIGINT())")
        self.result_type = found
        own = type(self.func).retract is not ImperativeAggregateFunction.retract
        self.retracts = own or func_type == "pandas"


class UserDefinedTableAggregateFunctionWrapper(UserDefinedAggregateFunctionWrapper):
    """A table aggregate function with its types, as ``udtaf`` makes it."""

    kind = "table_aggregate"
    base = TableAggregateFunction

    def __init__(
        self, func: Any, input_types: Any, result_type: Any, deterministic: bool | None, name: str | None
    ) -> None:
        super().__init__(func, input_types, result_type, deterministic, name)
        if not isinstance(self.result_type, RowType):
            self.result_type = DataTypes.ROW([RowField("f0", self.result_type)])
        self.fields = self.result_type.fields
