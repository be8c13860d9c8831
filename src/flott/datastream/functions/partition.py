"""Functions of all records of a partition at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function
from flott.datastream.functions.wrappers import FunctionWrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["MapPartitionFunction", "MapPartitionFunctionWrapper"]


class MapPartitionFunction(Function):
    """Makes any number of results of all the records of a partition.

    >>> class Longest(MapPartitionFunction):
    ...     def map_partition(self, values):
    ...         yield max(values, key=len)
    >>> list(Longest().map_partition(["to", "be"]))
    ['to']
    """

    @abstractmethod
    def map_partition(self, values: Iterable[Any]) -> Iterable[Any] | None:
        """Returns or yields the results; a subtask that got no record asks for those of none."""


class MapPartitionFunctionWrapper(FunctionWrapper):
    """A MapPartitionFunction made of a callable.

    >>> MapPartitionFunctionWrapper(sorted).map_partition([2, 1])
    [1, 2]
    """

    map_partition: Callable[[Any], Any]

    def __init__(self, func: Callable[[Any], Any]) -> None:
        super().__init__(func)
        self.map_partition = func
