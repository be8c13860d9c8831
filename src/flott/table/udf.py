"""Functions of the user's in SQL and the Table API: scalar functions and aggregates."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.table.errors import NotYetError, TableError
from flott.table.sql.type_text import parse_type
from flott.table.types import DataType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.runtime.context import OperatorContext

__all__ = [
    "AggregateFunction", "FunctionContext", "ScalarFunction", "UserDefinedFunction", "udaf", "udf",
]  # fmt: skip


class FunctionContext:
    """What ``open`` gets: where the function runs."""

    def __init__(self, context: OperatorContext) -> None:
        self._context = context

    def get_metric_group(self) -> Any:
        """Returns the group in which the function registers its metrics."""
        return self._context.metrics

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Returns a parameter of the job."""
        return self._context.parameters.get(key, default_value)

    def get_index_of_this_subtask(self) -> int:
        """Returns the number of the subtask, from 0."""
        return self._context.subtask

    def get_number_of_parallel_subtasks(self) -> int:
        """Returns how many subtasks there are."""
        return self._context.parallelism


class UserDefinedFunction(ABC):  # noqa: B024 - its subclasses have the abstract methods
    """The base of all functions of the user's."""

    def open(self, function_context: FunctionContext) -> None:  # noqa: B027 - most need none
        """Prepares for work; called once per subtask."""

    def close(self) -> None:  # noqa: B027 - most need none
        """Releases what ``open`` took."""

    def is_deterministic(self) -> bool:
        """Says whether equal arguments always give equal results."""
        return True


class ScalarFunction(UserDefinedFunction):
    """A function of some values that gives one value."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Returns the result for the arguments of one row, or with func_type='pandas' for whole series."""


class AggregateFunction(UserDefinedFunction):
    """A function of all rows of a group that gives one value; with ``retract`` also where rows are taken back."""

    @abstractmethod
    def create_accumulator(self) -> Any:
        """Returns an accumulator of nothing: something that can be changed in place, such as a list."""

    @abstractmethod
    def accumulate(self, accumulator: Any, *args: Any) -> None:
        """Adds a row."""

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """Returns the result."""

    def retract(self, accumulator: Any, *args: Any) -> None:
        """Takes a row back."""
        raise RuntimeError(f"{type(self).__name__} has no method retract")


class UserDefinedScalarFunctionWrapper:
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
        self.func = func() if isinstance(func, type) else func
        self.input_types = _types(input_types)
        self.result_type = _type(result_type)
        if func_type not in {"general", "pandas"}:
            raise TableError(f"udf(func_type='{func_type}'): it is 'general' (row by row) or 'pandas' (whole series)")
        self.func_type = func_type
        self._deterministic = deterministic
        self.name = name or getattr(func, "__name__", type(self.func).__name__)

    def evaluator(self) -> Callable[..., Any]:
        """Return what is called with the arguments."""
        return self.func.eval if isinstance(self.func, ScalarFunction) else self.func

    def open(self, context: OperatorContext) -> None:
        """Open the function in a task."""
        if isinstance(self.func, UserDefinedFunction):
            self.func.open(FunctionContext(context))

    def close(self) -> None:
        """Close the function."""
        if isinstance(self.func, UserDefinedFunction):
            self.func.close()

    def is_deterministic(self) -> bool:
        """Say whether equal arguments always give equal results."""
        if self._deterministic is not None:
            return self._deterministic
        return self.func.is_deterministic() if isinstance(self.func, UserDefinedFunction) else True

    def __call__(self, *args: Any) -> Any:
        from flott.table.expression import user_call

        return user_call(self, args)


class UserDefinedAggregateFunctionWrapper:
    """An aggregate function with its types, as ``udaf`` makes it."""

    kind = "aggregate"

    def __init__(self, func: Any, result_type: Any, name: str | None) -> None:
        self.func = func() if isinstance(func, type) else func
        if not isinstance(self.func, AggregateFunction):
            raise TableError(f"udaf({func!r:.100}): give an AggregateFunction")
        found = result_type if result_type is not None else getattr(self.func, "get_result_type", lambda: None)()
        self.result_type = _type(found)
        if self.result_type is None:
            raise TableError("udaf(…): say what it returns: udaf(…, result_type=DataTypes.BIGINT())")
        self.name = name or type(self.func).__name__
        self.retracts = type(self.func).retract is not AggregateFunction.retract

    def __call__(self, *args: Any) -> Any:
        from flott.table.expression import user_call

        return user_call(self, args)


def udf(
    f: Any = None,
    input_types: Sequence[DataType | str] | DataType | str | None = None,
    result_type: DataType | str | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes a scalar function of a Python function or of a ScalarFunction.

    >>> from flott.table import DataTypes
    >>> @udf(result_type=DataTypes.BIGINT())
    ... def double(number):
    ...     return number * 2
    >>> double.name, double.result_type
    ('double', BIGINT)
    """

    def make(function: Any) -> UserDefinedScalarFunctionWrapper:
        if inspect.iscoroutinefunction(function):
            raise NotYetError("asynchronous functions can't be run in SQL yet; use AsyncDataStream")
        if not callable(function) and not isinstance(function, ScalarFunction):
            raise TableError(f"udf({function!r:.100}): give a Python function or a ScalarFunction")
        return UserDefinedScalarFunctionWrapper(function, input_types, result_type, func_type, deterministic, name)

    return make if f is None else make(f)


def udaf(
    f: Any = None,
    input_types: Sequence[DataType | str] | DataType | str | None = None,  # noqa: ARG001 - PyFlink's signature
    result_type: DataType | str | None = None,
    accumulator_type: DataType | str | None = None,  # noqa: ARG001 - PyFlink's signature
    deterministic: bool | None = None,  # noqa: ARG001 - PyFlink's signature
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Makes an aggregate function of an AggregateFunction."""
    if func_type != "general":
        raise NotYetError("pandas aggregates can't be run yet; write an AggregateFunction")

    def make(function: Any) -> UserDefinedAggregateFunctionWrapper:
        return UserDefinedAggregateFunctionWrapper(function, result_type, name)

    return make if f is None else make(f)


def _type(given: DataType | str | None) -> DataType | None:
    return parse_type(given) if isinstance(given, str) else given


def _types(given: Any) -> list[DataType] | None:
    if given is None:
        return None
    several = [given] if isinstance(given, (str, DataType)) else list(given)
    return [kind for one in several if (kind := _type(one)) is not None]
