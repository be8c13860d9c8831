"""Functions over pairs of records, and over the records of a window from two streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function
from flott.runtime.operators.interval_join import JoinContext

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.datastream.output_tag import OutputTag

__all__ = ["CoGroupFunction", "FlatJoinFunction", "JoinFunction", "ProcessJoinFunction"]


class JoinFunction(Function):
    """Makes one record of two that belong together.

    >>> class Priced(JoinFunction):
    ...     def join(self, first, second):
    ...         return first["item"], second["price"]
    """

    @abstractmethod
    def join(self, first: Any, second: Any) -> Any:
        """Returns what a pair becomes."""


class FlatJoinFunction(Function):
    """Makes any number of records of two that belong together."""

    @abstractmethod
    def join(self, first: Any, second: Any) -> Iterable[Any] | None:
        """Returns, or yields, what a pair becomes."""


class CoGroupFunction(Function):
    """Makes any number of records of those that two streams have for one key in one window; one side may be empty.

    >>> class LeftJoin(CoGroupFunction):
    ...     def co_group(self, first, second):
    ...         for left in first:
    ...             for right in second or [None]:
    ...                 yield left, right
    """

    @abstractmethod
    def co_group(self, first: list[Any], second: list[Any]) -> Iterable[Any] | None:
        """Returns, or yields, what the records of both sides become."""


class ProcessJoinFunction(Function):
    """Works on each pair of records whose times are near each other.

    >>> class Clicked(ProcessJoinFunction):
    ...     def process_element(self, left, right, ctx):
    ...         yield left, ctx.get_right_timestamp() - ctx.get_left_timestamp()
    """

    class Context(ABC):
        """What a call knows besides the two records."""

        @abstractmethod
        def get_left_timestamp(self) -> int | None:
            """Returns the timestamp of the left record; None in an outer join, if there is no left record."""

        @abstractmethod
        def get_right_timestamp(self) -> int | None:
            """Returns the timestamp of the right record; None in an outer join, if there is no right record."""

        @abstractmethod
        def get_timestamp(self) -> int:
            """Returns the timestamp that the results get: the later one of the two."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output, with the timestamp of the results."""

    @abstractmethod
    def process_element(self, left: Any, right: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a pair; returns or yields any number of results."""


# The engine's context does not know the API, so the API claims it.
ProcessJoinFunction.Context.register(JoinContext)
