"""Hands matches to the user's function, and what it makes of them to the outputs."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.runtime.operators.results import Results, not_results

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.cep.matcher import Match
    from flott.runtime.clock import Clock
    from flott.runtime.context import OperatorContext
    from flott.runtime.operator import Output

__all__ = ["MatchContext", "MatchOutput"]


class MatchContext:
    """What a call of the user's function knows besides the match."""

    __slots__ = ("_clock", "_results", "_stamped", "stamp")

    def __init__(self, clock: Clock, results: Results, *, stamped: bool) -> None:
        self._clock = clock
        self._results = results
        self._stamped = stamped
        self.stamp = 0

    def timestamp(self) -> int:
        """Return when the match was completed, or timed out."""
        return self.stamp

    def current_processing_time(self) -> int:
        """Return the time of day."""
        return self._clock.now()

    def output(self, tag: Any, value: Any) -> None:
        """Send a value to a side output."""
        self._results.add_side(tag, value, self.stamp if self._stamped else None)


class MatchOutput:
    """Calls the user's function and gathers its results. In processing time they have no timestamps."""

    def __init__(self, function: Any, context: OperatorContext, who: str, *, stamped: bool) -> None:
        self._process = function.process_match
        self._timed_out: Callable[[Match, MatchContext], Any] | None = getattr(
            function, "process_timed_out_match", None
        )
        self._who = who
        self._stamped = stamped
        self.results = Results(context.emission)
        self._context = MatchContext(context.clock, self.results, stamped=stamped)

    def matches(self, matches: list[Match], stamp: int) -> None:
        """Hand over complete matches."""
        for match in matches:
            self._call(self._process, match, stamp)

    def timeouts(self, timeouts: list[tuple[Match, int]]) -> None:
        """Hand over partial matches with the time when they timed out; dropped if the function does not want them."""
        if self._timed_out is not None:
            for match, stamp in timeouts:
                self._call(self._timed_out, match, stamp)

    def _call(self, function: Callable[[Match, MatchContext], Any], match: Match, stamp: int) -> None:
        results = self.results
        self._context.stamp = stamp
        try:
            produced = function(match, self._context)
            if produced is not None:
                results.extend(results.values, produced)
        except TypeError as error:
            raise not_results(error, self._who, match) or error from None
        stamps = results.stamps
        if stamps is not None:
            stamps.extend(repeat(stamp if self._stamped else None, len(results.values) - len(stamps)))

    def emit(self, output: Output) -> None:
        """Hand the results on."""
        if self.results.values or self.results.sides:
            self.results.emit(output)
