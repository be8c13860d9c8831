"""What is done with matches: the user functions of CEP."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions import Function

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.datastream import OutputTag

__all__ = [
    "PatternFlatSelectFunction",
    "PatternFlatTimeoutFunction",
    "PatternProcessFunction",
    "PatternSelectFunction",
    "PatternTimeoutFunction",
    "TimedOutPartialMatchHandler",
]


class PatternProcessFunction(Function):
    """Called for each match; what it yields goes on, ``yield tag, value`` to a side output.

    >>> class Alert(PatternProcessFunction):
    ...     def process_match(self, match, ctx):
    ...         yield match["small"][0].card, ctx.timestamp()
    """

    class Context(ABC):
        """What a call knows besides the match."""

        @abstractmethod
        def timestamp(self) -> int:
            """Returns the timestamp of the event that completed the match, or when a partial match timed out."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output."""

    @abstractmethod
    def process_match(self, match: dict[str, list[Any]], ctx: Context) -> Iterable[Any] | None:
        """Makes results of a match: the events of each stage, in order, by the stage's name."""


class TimedOutPartialMatchHandler(ABC):
    """Mixed into a PatternProcessFunction that also wants the partial matches that time out.

    >>> from flott.datastream import OutputTag
    >>> class Alert(PatternProcessFunction, TimedOutPartialMatchHandler):
    ...     def process_match(self, match, ctx):
    ...         yield "paid"
    ...
    ...     def process_timed_out_match(self, match, ctx):
    ...         yield OutputTag("unpaid"), match["order"][0]
    """

    @abstractmethod
    def process_timed_out_match(
        self, match: dict[str, list[Any]], ctx: PatternProcessFunction.Context
    ) -> Iterable[Any] | None:
        """Makes results of what a partial match held when its time was up; for side outputs, as a rule."""


class PatternSelectFunction(Function):
    """Makes one result of each match."""

    @abstractmethod
    def select(self, pattern: dict[str, list[Any]]) -> Any:
        """Returns the result of a match."""


class PatternFlatSelectFunction(Function):
    """Makes any number of results of each match."""

    @abstractmethod
    def flat_select(self, pattern: dict[str, list[Any]]) -> Iterable[Any] | None:
        """Yields the results of a match."""


class PatternTimeoutFunction(Function):
    """Makes one result of each partial match that timed out."""

    @abstractmethod
    def timeout(self, pattern: dict[str, list[Any]], timeout_timestamp: int) -> Any:
        """Returns the result of a partial match whose time was up at ``timeout_timestamp``."""


class PatternFlatTimeoutFunction(Function):
    """Makes any number of results of each partial match that timed out."""

    @abstractmethod
    def timeout(self, pattern: dict[str, list[Any]], timeout_timestamp: int) -> Iterable[Any] | None:
        """Yields the results of a partial match whose time was up at ``timeout_timestamp``."""
