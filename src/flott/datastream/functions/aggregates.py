"""Functions that make one value of many: reduce and aggregate."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from flott.datastream.functions.base import Function

__all__ = ["AggregateFunction", "ReduceFunction"]


class ReduceFunction(Function):
    """Makes one value of two of the same type, over and over.

    >>> class Largest(ReduceFunction):
    ...     def reduce(self, value1, value2):
    ...         return max(value1, value2)
    >>> Largest().reduce(3, 5)
    5
    """

    @abstractmethod
    def reduce(self, value1: Any, value2: Any) -> Any:
        """Returns the value of both: what was reduced so far, and the next one."""


class AggregateFunction(Function):
    """Gathers values in an accumulator, from which the result is made when it is asked for.

    >>> class Average(AggregateFunction):
    ...     def create_accumulator(self):
    ...         return 0, 0
    ...
    ...     def add(self, value, accumulator):
    ...         return accumulator[0] + value, accumulator[1] + 1
    ...
    ...     def get_result(self, accumulator):
    ...         return accumulator[0] / accumulator[1]
    ...
    ...     def merge(self, acc_a, acc_b):
    ...         return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]
    >>> average = Average()
    >>> average.get_result(average.add(2, average.add(1, average.create_accumulator())))
    1.5
    """

    @abstractmethod
    def create_accumulator(self) -> Any:
        """Returns a new accumulator, with nothing in it."""

    @abstractmethod
    def add(self, value: Any, accumulator: Any) -> Any:
        """Returns the accumulator with a value added; it may be the same object, changed."""

    @abstractmethod
    def get_result(self, accumulator: Any) -> Any:
        """Returns the result of what was gathered."""

    @abstractmethod
    def merge(self, acc_a: Any, acc_b: Any) -> Any:
        """Returns two accumulators as one; session windows need it when they grow together."""
