"""Functions of the user's in SQL and the Table API, and how Python functions become such."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.table.aggregate_functions import (
    AggregateFunction,
    TableAggregateFunction,
    UserDefinedAggregateFunctionWrapper,
    UserDefinedTableAggregateFunctionWrapper,
)
from flott.table.errors import TableError
from flott.table.table_function import TableFunction, UserDefinedTableFunctionWrapper
from flott.table.user_defined_function import (
    FunctionContext,
    UserDefinedFunction,
    UserDefinedFunctionWrapper,
    type_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.types import DataType

__all__ = [
    "AggregateFunction", "AsyncScalarFunction", "FunctionContext", "ScalarFunction", "TableAggregateFunction",
    "TableFunction", "UserDefinedFunction", "udaf", "udf", "udtaf", "udtf",
]  # fmt: skip


class ScalarFunction(UserDefinedFunction):
    """A function of some values that gives one value."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Returns the result for the arguments of one row, or with func_type='pandas' for whole series."""


class AsyncScalarFunction(UserDefinedFunction):
    """A function of some values that gives one value after a while: several rows wait at the same time."""

    @abstractmethod
    async def eval(self, *args: Any) -> Any:
        """Returns the result for the arguments of one row."""


class UserDefinedScalarFunctionWrapper(UserDefinedFunctionWrapper):
    """A scalar function with its types, as ``udf`` makes it."""

    kind = "scalar"

    def __init__(
        self,
        func: Any,
        input_types: Any,
        result_type: Any,
        func_type: str,
        deterministic: bool | None,
        name: str | None,
    ) -> None:
        super().__init__(func, name, input_types, deterministic)
        self.result_type = type_of(result_type)
        if func_type not in {"general", "pandas"}:
            raise TableError(f"udf(func_type='{func_type}'): it is 'general' (row by row) or 'pandas' (whole series)")
        waits = isinstance(self.func, AsyncScalarFunction) or inspect.iscoroutinefunction(self.func)
        if waits and func_type == "pandas":
            raise TableError("udf(…, func_type='pandas'): an asynchronous function takes single values")
        self.func_type = "async" if waits else func_type


def udf(
    f: Any = None,
    input_types: Sequence[DataType | str] | DataType | str | None = None,
    result_type: DataType | str | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes a scalar function of a Python function, a coroutine, a ScalarFunction or an AsyncScalarFunction.

    >>> from flott.table import DataTypes
    >>> @udf(result_type=DataTypes.BIGINT())
    ... def double(number):
    ...     return number * 2
    >>> double.name, double.result_type
    ('double', BIGINT)
    """

    def make(function: Any) -> UserDefinedScalarFunctionWrapper:
        if not callable(function) and not isinstance(function, (ScalarFunction, AsyncScalarFunction)):
            raise TableError(f"udf({function!r:.100}): give a Python function or a ScalarFunction")
        return UserDefinedScalarFunctionWrapper(function, input_types, result_type, func_type, deterministic, name)

    return make if f is None else make(f)


def udtf(
    f: Any = None,
    input_types: Sequence[DataType | str] | DataType | str | None = None,
    result_types: Sequence[DataType | str] | DataType | str | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Makes a table function, which gives several rows, of a Python function or a TableFunction.

    >>> from flott.table import DataTypes
    >>> words = udtf(lambda text: text.split(), result_types=[DataTypes.STRING()])
    >>> [field.name for field in words.fields]
    ['f0']
    """

    def make(function: Any) -> UserDefinedTableFunctionWrapper:
        return UserDefinedTableFunctionWrapper(function, input_types, result_types, deterministic, name)

    return make if f is None else make(f)


def udaf(
    f: Any = None,
    input_types: Sequence[DataType | str] | DataType | str | None = None,
    result_type: DataType | str | None = None,
    accumulator_type: DataType | str | None = None,  # noqa: ARG001 - PyFlink's signature
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes an aggregate function of an AggregateFunction; of pandas series, also of a Python function.

    >>> from flott.table import DataTypes
    >>> @udaf(result_type=DataTypes.DOUBLE(), func_type="pandas")
    ... def mean(prices):
    ...     return prices.mean()
    >>> mean.name, mean.result_type
    ('mean', DOUBLE)
    """

    def make(function: Any) -> UserDefinedAggregateFunctionWrapper:
        return UserDefinedAggregateFunctionWrapper(function, input_types, result_type, deterministic, name, func_type)

    return make if f is None else make(f)


def udtaf(
    f: Any = None,
    input_types: Sequence[DataType | str] | DataType | str | None = None,
    result_type: DataType | str | None = None,
    accumulator_type: DataType | str | None = None,  # noqa: ARG001 - PyFlink's signature
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes a table aggregate function, which gives several rows for a group, of a TableAggregateFunction."""
    if func_type != "general":
        raise TableError("udtaf(func_type=…): a TableAggregateFunction works row by row; leave it out")

    def make(function: Any) -> UserDefinedTableAggregateFunctionWrapper:
        return UserDefinedTableAggregateFunctionWrapper(function, input_types, result_type, deterministic, name)

    return make if f is None else make(f)
