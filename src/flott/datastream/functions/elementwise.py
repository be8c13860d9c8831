"""Functions that look at one record at a time: map, flat map, filter, and those of two streams."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CoFlatMapFunction", "CoMapFunction", "FilterFunction", "FlatMapFunction", "MapFunction"]


class MapFunction(Function):
    """Turns a record into another one.

    >>> class Double(MapFunction):
    ...     def map(self, value):
    ...         return 2 * value
    >>> Double().map(21)
    42
    """

    @abstractmethod
    def map(self, value: Any) -> Any:
        """Returns what a record becomes."""


class FlatMapFunction(Function):
    """Turns a record into any number of records, also none.

    >>> class Words(FlatMapFunction):
    ...     def flat_map(self, value):
    ...         yield from value.split()
    >>> list(Words().flat_map("to be"))
    ['to', 'be']
    """

    @abstractmethod
    def flat_map(self, value: Any) -> Iterable[Any] | None:
        """Returns, or yields, what a record becomes; None is none."""


class FilterFunction(Function):
    """Says which records stay.

    >>> class Even(FilterFunction):
    ...     def filter(self, value):
    ...         return value % 2 == 0
    >>> Even().filter(3)
    False
    """

    @abstractmethod
    def filter(self, value: Any) -> bool:
        """Says whether a record stays."""


class CoMapFunction(Function):
    """Turns the records of two connected streams into records of one."""

    @abstractmethod
    def map1(self, value: Any) -> Any:
        """Returns what a record of the first stream becomes; None is none."""

    @abstractmethod
    def map2(self, value: Any) -> Any:
        """Returns what a record of the second stream becomes; None is none."""


class CoFlatMapFunction(Function):
    """Turns the records of two connected streams into any number of records of one."""

    @abstractmethod
    def flat_map1(self, value: Any) -> Iterable[Any] | None:
        """Returns, or yields, what a record of the first stream becomes."""

    @abstractmethod
    def flat_map2(self, value: Any) -> Iterable[Any] | None:
        """Returns, or yields, what a record of the second stream becomes."""
