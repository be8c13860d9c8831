"""What all functions of the user's have in common."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any

from flott.table.sql.type_text import parse_type
from flott.table.types import DataType

if TYPE_CHECKING:
    from flott.runtime.context import OperatorContext

__all__ = ["FunctionContext", "UserDefinedFunction"]


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


class UserDefinedFunctionWrapper:
    """A function of the user's with its types, ready to be called in expressions."""

    kind = ""
    """scalar, table, aggregate or table_aggregate."""

    def __init__(self, func: Any, name: str | None, input_types: Any, deterministic: bool | None) -> None:
        self.func = func() if isinstance(func, type) else func
        self.name = str(name or getattr(func, "__name__", type(self.func).__name__))
        self.input_types = types_of(input_types)
        self._deterministic = deterministic
        self.alias_names: tuple[str, ...] = ()

    def evaluator(self) -> Any:
        """Return what is called with the arguments."""
        return getattr(self.func, "eval", self.func)

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

    def alias(self, *alias_names: str) -> UserDefinedFunctionWrapper:
        """Give names to the columns of the result, for a call that takes whole rows."""
        self.alias_names = alias_names
        return self

    def __call__(self, *args: Any) -> Any:
        from flott.table.expression import user_call

        return user_call(self, args)


def type_of(given: DataType | str | None) -> DataType | None:
    """Return a type that may be given as text."""
    return parse_type(given) if isinstance(given, str) else given


def types_of(given: Any) -> list[DataType] | None:
    """Return types that may be given as texts, or as a single one."""
    if given is None:
        return None
    several = [given] if isinstance(given, (str, DataType)) else list(given)
    return [kind for one in several if (kind := type_of(one)) is not None]
