"""PatternStream: the matches of a pattern in a stream, waiting to be made into results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from flott.cep.compile_nfa import compile_nfa
from flott.cep.operator import CepOperator
from flott.cep.selecting import PATTERN_PROCESS, selecting
from flott.datastream import KeyedStream, OutputTag
from flott.datastream._checks.arity import check_arity
from flott.datastream._checks.picklable import check_picklable
from flott.datastream._typed_values import declared
from flott.datastream.functions import NullByteKeySelector
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.cep.functions import (
        PatternFlatSelectFunction,
        PatternFlatTimeoutFunction,
        PatternProcessFunction,
        PatternSelectFunction,
        PatternTimeoutFunction,
    )
    from flott.cep.matcher import Match
    from flott.cep.pattern import Pattern
    from flott.common.typeinfo import TypeInformation
    from flott.datastream import DataStream

__all__ = ["PatternStream"]


class PatternStream:
    """What ``CEP.pattern`` returns. Nothing is looked for until the matches are selected or processed.

    In event time, which is the default, events wait for the watermark and are looked at in order.
    """

    def __init__(self, stream: DataStream, pattern: Pattern, comparator: Any = None) -> None:
        self._stream = stream
        self._nfa = compile_nfa(pattern)
        for leaf in self._nfa.leaves():
            check_picklable(f"the condition '{leaf.text}'", leaf.function)
        self._comparator = None if comparator is None else _compare(comparator)
        self._event_time = True
        self._late_tag: OutputTag | None = None

    def in_event_time(self) -> PatternStream:
        """Looks at events in the order of their timestamps, when the watermark has passed them."""
        return self._with(event_time=True)

    def in_processing_time(self) -> PatternStream:
        """Looks at events as they come."""
        return self._with(event_time=False)

    def side_output_late_data(self, late_data_output_tag: OutputTag) -> PatternStream:
        """Sends events that come after the watermark to a side output instead of dropping them."""
        if not isinstance(late_data_output_tag, OutputTag):
            raise GraphError(f"side_output_late_data({late_data_output_tag!r}): give the OutputTag, OutputTag('late')")
        return self._with(late_tag=late_data_output_tag)

    def process(
        self, pattern_process_function: PatternProcessFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        """Makes results of matches with a PatternProcessFunction; side outputs and the time are at hand.

        One that is a TimedOutPartialMatchHandler too gets the partial matches that time out.
        """
        function = PATTERN_PROCESS.take("process(...)", pattern_process_function)
        return self._apply(function, declared("process(...)", output_type))

    @overload
    def select(
        self, function: PatternSelectFunction | Callable[[Match], Any], /, *, output_type: TypeInformation | None = None
    ) -> DataStream: ...

    @overload
    def select(
        self,
        timed_out_tag: OutputTag,
        timeout_function: PatternTimeoutFunction | Callable[[Match, int], Any],
        function: PatternSelectFunction | Callable[[Match], Any],
        /,
        *,
        output_type: TypeInformation | None = None,
    ) -> DataStream: ...

    def select(self, *functions: Any, output_type: TypeInformation | None = None) -> DataStream:
        """Makes one result of each match.

        ``select(function)``, or ``select(tag, timeout_function, function)`` to send one result of each partial match
        that times out to a side output; the timeout function gets the partial match and the time when it timed out.
        """
        return self._select("select", functions, output_type)

    @overload
    def flat_select(
        self,
        function: PatternFlatSelectFunction | Callable[[Match], Iterable[Any] | None],
        /,
        *,
        output_type: TypeInformation | None = None,
    ) -> DataStream: ...

    @overload
    def flat_select(
        self,
        timed_out_tag: OutputTag,
        timeout_function: PatternFlatTimeoutFunction | Callable[[Match, int], Iterable[Any] | None],
        function: PatternFlatSelectFunction | Callable[[Match], Iterable[Any] | None],
        /,
        *,
        output_type: TypeInformation | None = None,
    ) -> DataStream: ...

    def flat_select(self, *functions: Any, output_type: TypeInformation | None = None) -> DataStream:
        """Makes any number of results of each match; and of each partial match that times out, as ``select`` does."""
        return self._select("flat_select", functions, output_type)

    # -- how it is done --------------------------------------------------------------------------------------

    def _select(self, call: str, functions: tuple[Any, ...], output_type: TypeInformation | None) -> DataStream:
        match functions:
            case (function,):
                tag = timeout = None
            case (OutputTag() as tag, timeout, function):
                pass
            case _:
                raise GraphError(
                    f"{call}(...): give the function of the matches, or an OutputTag, the function of the partial "
                    f"matches that time out, and the function of the matches: {call}(tag, timed_out, function)"
                )
        chosen = selecting(f"{call}(...)", function, timeout, tag, flat=call == "flat_select")
        return self._apply(chosen, declared(f"{call}(...)", output_type))

    def _apply(self, function: PatternProcessFunction, output_type: TypeInformation) -> DataStream:
        stream = self._stream
        keyed = stream if isinstance(stream, KeyedStream) else stream.key_by(NullByteKeySelector())
        operator = CepOperator(
            self._nfa,
            function,
            keyed.get_key_selector(),
            comparator=self._comparator,
            event_time=self._event_time,
            late_tag=self._late_tag,
        )
        name = "CepOperator" if keyed is stream else "GlobalCepOperator"
        result = keyed._apply(name, operator, output_type, keyed.get_key_selector())  # noqa: SLF001 - how steps are added
        return result if keyed is stream else result.force_non_parallel()

    def _with(self, *, event_time: bool | None = None, late_tag: OutputTag | None = None) -> PatternStream:
        changed = object.__new__(PatternStream)
        changed.__dict__.update(self.__dict__)
        if event_time is not None:
            changed._event_time = event_time
        if late_tag is not None:
            changed._late_tag = late_tag
        return changed


def _compare(comparator: Any) -> Callable[[Any, Any], int]:
    """Take a comparator: a callable of two events, or an object with ``compare``."""
    compare: Callable[[Any, Any], int] = getattr(comparator, "compare", comparator)
    if not callable(compare):
        raise GraphError(
            f"CEP.pattern(...): {comparator!r:.100} is no comparator; give a function of two events that says which "
            "comes first, by a number below, at or above zero"
        )
    check_arity("CEP.pattern(...)", compare, ("one", "other"), "lambda one, other: one.number - other.number")
    check_picklable("the comparator", compare)
    return compare
