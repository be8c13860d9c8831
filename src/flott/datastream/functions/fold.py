"""Functions that fold records into a value which starts as something: Flink 1's fold, as an aggregate."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NoReturn

from flott.datastream.functions.aggregates import AggregateFunction
from flott.datastream.functions.base import Function
from flott.datastream.functions.wrappers import FunctionWrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream.functions.base import RuntimeContext

__all__ = ["FoldAggregate", "FoldFunction", "FoldFunctionWrapper"]


class FoldFunction(Function):
    """Folds one value after the other into an accumulator, which may be of another type.

    >>> class Joined(FoldFunction):
    ...     def fold(self, accumulator, value):
    ...         return f"{accumulator}-{value}"
    >>> Joined().fold("start", 1)
    'start-1'
    """

    @abstractmethod
    def fold(self, accumulator: Any, value: Any) -> Any:
        """Returns the accumulator with a value in it."""


class FoldFunctionWrapper(FunctionWrapper):
    """A FoldFunction made of a callable.

    >>> FoldFunctionWrapper(lambda total, order: total + order[1]).fold(1, ("ann", 2))
    3
    """

    fold: Callable[[Any, Any], Any]

    def __init__(self, func: Callable[[Any, Any], Any]) -> None:
        super().__init__(func)
        self.fold = func


class FoldAggregate(AggregateFunction):
    """A fold as an aggregate: the accumulator is the result.

    What comes out is a copy, so that a function that changes its accumulator in place does not change results.

    >>> words = FoldAggregate([], FoldFunctionWrapper(lambda gathered, word: [*gathered, word]))
    >>> words.get_result(words.add("a", words.create_accumulator()))
    ['a']
    """

    def __init__(self, initial: Any, function: FoldFunction | FoldFunctionWrapper) -> None:
        self.initial = initial
        self.function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        self.function.open(runtime_context)

    def close(self) -> None:
        self.function.close()

    def create_accumulator(self) -> Any:
        return deepcopy(self.initial)

    def add(self, value: Any, accumulator: Any) -> Any:
        return self.function.fold(accumulator, value)

    def get_result(self, accumulator: Any) -> Any:
        return deepcopy(accumulator)

    def merge(self, acc_a: Any, acc_b: Any) -> NoReturn:
        raise TypeError("two folded values can't be made one; use an AggregateFunction, which can say how, or reduce")
