"""After-match skip strategies: which partial matches a found match puts an end to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

__all__ = ["AfterMatchSkipStrategy", "SkipKind"]


class SkipKind(Enum):
    """The five strategies."""

    NO_SKIP = "no_skip"
    TO_NEXT = "skip_to_next"
    PAST_LAST_EVENT = "skip_past_last_event"
    TO_FIRST = "skip_to_first"
    TO_LAST = "skip_to_last"


@dataclass(frozen=True, slots=True)
class AfterMatchSkipStrategy:
    """Says which partial matches end when a match is found.

    >>> AfterMatchSkipStrategy.skip_past_last_event()
    skip_past_last_event()
    >>> AfterMatchSkipStrategy.skip_to_first("b").throw_exception_on_miss()
    skip_to_first('b').throw_exception_on_miss()
    """

    kind: SkipKind
    pattern_name: str | None = None
    throws_on_miss: bool = False

    @staticmethod
    def no_skip() -> AfterMatchSkipStrategy:
        """Every possible match is emitted."""
        return AfterMatchSkipStrategy(SkipKind.NO_SKIP)

    @staticmethod
    def skip_to_next() -> AfterMatchSkipStrategy:
        """Ends every partial match that started with the event the found match started with."""
        return AfterMatchSkipStrategy(SkipKind.TO_NEXT)

    @staticmethod
    def skip_past_last_event() -> AfterMatchSkipStrategy:
        """Ends every partial match that started before the found match ended: no event is in two matches."""
        return AfterMatchSkipStrategy(SkipKind.PAST_LAST_EVENT)

    @staticmethod
    def skip_to_first(pattern_name: str) -> AfterMatchSkipStrategy:
        """Ends every partial match that started before the first event of a stage of the found match."""
        return AfterMatchSkipStrategy(SkipKind.TO_FIRST, pattern_name)

    @staticmethod
    def skip_to_last(pattern_name: str) -> AfterMatchSkipStrategy:
        """Ends every partial match that started before the last event of a stage of the found match."""
        return AfterMatchSkipStrategy(SkipKind.TO_LAST, pattern_name)

    def throw_exception_on_miss(self) -> AfterMatchSkipStrategy:
        """Fail the job when the stage to skip to has no event in a match, or when that event starts the match."""
        if self.pattern_name is None:
            raise TypeError(f"{self!r} goes to no stage, so it can't miss one; this is for skip_to_first and _last")
        return replace(self, throws_on_miss=True)

    @property
    def skips(self) -> bool:
        """Whether a match ends anything at all."""
        return self.kind is not SkipKind.NO_SKIP

    def __repr__(self) -> str:
        name = "" if self.pattern_name is None else repr(self.pattern_name)
        return f"{self.kind.value}({name})" + (".throw_exception_on_miss()" if self.throws_on_miss else "")
