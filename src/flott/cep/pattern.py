"""Pattern: a sequence of events to look for, built stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.conditions import ALWAYS, And, Condition, Leaf, OfType, Or, leaf
from flott.cep.errors import MalformedPatternError
from flott.cep.quantifier import ConsumingStrategy, Quantifier, QuantifierKind, Times, WithinType
from flott.cep.skip_strategy import AfterMatchSkipStrategy
from flott.common.time import TimeInterval, to_milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from flott.cep.group_pattern import GroupPattern

__all__ = ["Pattern"]

_STRICT = ConsumingStrategy.STRICT
_RELAXED = ConsumingStrategy.SKIP_TILL_NEXT
_ANY = ConsumingStrategy.SKIP_TILL_ANY


class Pattern:
    """A pattern, seen from its last stage: each stage points at the one before.

    ``begin`` and then ``next``, ``followed_by`` and ``followed_by_any`` add stages; the other methods say more about
    the stage added last, and return it.

    >>> from flott.common import Duration
    >>> pattern = (
    ...     Pattern.begin("small")
    ...     .where(lambda payment: payment.amount < 10)
    ...     .next("more")
    ...     .where(lambda payment: payment.amount < 10)
    ...     .one_or_more()
    ...     .greedy()
    ...     .next("large")
    ...     .where(lambda payment: payment.amount > 500)
    ...     .within(Duration.of_minutes(1))
    ... )
    >>> pattern
    begin(small) next(more){1,}+ next(large) within 60000 ms
    """

    def __init__(
        self,
        name: str,
        previous: Pattern | None,
        strategy: ConsumingStrategy,
        after_match_skip_strategy: AfterMatchSkipStrategy | None = None,
    ) -> None:
        self._name = _checked_name(name)
        self._previous = previous
        self._quantifier = Quantifier(strategy)
        self._skip = after_match_skip_strategy or AfterMatchSkipStrategy.no_skip()
        self._condition: Condition | None = None
        self._until: Leaf | None = None
        self._times: Times | None = None
        self._windows: dict[WithinType, int] = {}
        self._check_names()

    # -- stages ------------------------------------------------------------------------------------------

    @staticmethod
    def begin(
        name: str | Pattern, after_match_skip_strategy: AfterMatchSkipStrategy | None = None
    ) -> Pattern | GroupPattern:
        """Starts a pattern with a named stage, or with a group: a whole pattern as one stage.

        Args:
            name: The name of the first stage, or the pattern that makes the group.
            after_match_skip_strategy: What a found match puts an end to; nothing unless said.
        """
        if after_match_skip_strategy is not None and not isinstance(after_match_skip_strategy, AfterMatchSkipStrategy):
            raise MalformedPatternError(
                f"begin({name!r}, ...): {after_match_skip_strategy!r} is no skip strategy; "
                "give one such as AfterMatchSkipStrategy.skip_past_last_event()"
            )
        return _stage(name, None, _STRICT, after_match_skip_strategy)

    def next(self, name: str | Pattern) -> Pattern | GroupPattern:
        """Adds a stage whose event comes directly after: strict contiguity."""
        return _stage(name, self, _STRICT, self._skip)

    def followed_by(self, name: str | Pattern) -> Pattern | GroupPattern:
        """Adds a stage whose event comes later; events that do not fit are skipped: relaxed contiguity."""
        return _stage(name, self, _RELAXED, self._skip)

    def followed_by_any(self, name: str | Pattern) -> Pattern | GroupPattern:
        """Adds a stage that takes each later event that fits, one match for each: non-deterministic contiguity."""
        return _stage(name, self, _ANY, self._skip)

    def not_next(self, name: str) -> Pattern:
        """Adds a stage that must not occur directly after."""
        return self._negated("not_next", name, ConsumingStrategy.NOT_NEXT)

    def not_followed_by(self, name: str) -> Pattern:
        """Adds a stage that must not occur until the next one; as the last stage, until the time of ``within``."""
        return self._negated("not_followed_by", name, ConsumingStrategy.NOT_FOLLOW)

    def _negated(self, call: str, name: Any, strategy: ConsumingStrategy) -> Pattern:
        if isinstance(name, Pattern):
            raise MalformedPatternError(f"{call}(...) takes a name, not a group: a group can't be negated")
        if self.may_be_absent():
            raise MalformedPatternError(
                f"{call}('{name}') can't come after {self!r}, which may be absent; use two patterns, "
                "one with and one without the optional stage"
            )
        return Pattern(name, self, strategy, self._skip)

    # -- conditions ----------------------------------------------------------------------------------------

    def where(self, condition: Any) -> Self:
        """Adds a condition that an event must meet; several must all be met.

        Args:
            condition: A callable of (event) or (event, ctx), a condition object, or a column expression.
        """
        given = leaf(f"where(...) of stage '{self._name}'", condition, self._name)
        self._condition = given if self._condition is None else And(self._condition, given)
        return self

    def or_where(self, condition: Any) -> Self:
        """Adds a condition that will do instead of those before."""
        given = leaf(f"or_where(...) of stage '{self._name}'", condition, self._name)
        self._condition = given if self._condition is None else Or(self._condition, given)
        return self

    def subtype(self, subtype_class: type) -> Self:
        """Takes only events of a class."""
        if not isinstance(subtype_class, type):
            raise MalformedPatternError(f"subtype({subtype_class!r}) of stage '{self._name}': give a class")
        given = Leaf(OfType(subtype_class), False, f"is {subtype_class.__qualname__}")
        self._condition = given if self._condition is None else And(self._condition, given)
        return self

    def until(self, until_condition: Any) -> Self:
        """Ends a loop at the first event that meets a condition; so that its state can be dropped."""
        if self._until is not None:
            raise MalformedPatternError(f"until(...) of stage '{self._name}' was already given; write it once")
        if self._quantifier.kind is not QuantifierKind.LOOPING:
            raise MalformedPatternError(
                f"until(...) is for loops, and stage '{self._name}' is none; "
                "first write one_or_more() or times_or_more(n)"
            )
        self._until = leaf(f"until(...) of stage '{self._name}'", until_condition, f"until of {self._name}")
        return self

    def within(self, window_time: TimeInterval, within_type: WithinType = WithinType.FIRST_AND_LAST) -> Self:
        """Limits the time from the first to the last event, or from the previous event to the one of this stage.

        An event exactly ``window_time`` later is too late. A pattern has one limit from first to last, the least given.
        """
        window = _checked_time(f"within(...) of stage '{self._name}'", window_time)
        self._windows[WithinType(within_type)] = window
        return self

    # -- quantifiers ---------------------------------------------------------------------------------------

    def optional(self) -> Self:
        """Lets the stage be absent."""
        previous = self._previous
        if previous is not None and previous._quantifier.greedy:  # noqa: SLF001 - of its own class
            raise MalformedPatternError(
                f"stage '{self._name}' can't be optional after the greedy stage '{previous._name}': "  # noqa: SLF001
                "where the greedy stage ends could not be told"
            )
        self._quantifier = self._quantifier.as_optional()
        return self

    def one_or_more(self, window_time: TimeInterval | None = None) -> Self:
        """Lets the stage occur once or more, at most ``window_time`` apart."""
        return self._repeat("one_or_more()", QuantifierKind.LOOPING, 1, 1, window_time)

    def times_or_more(self, times: int, window_time: TimeInterval | None = None) -> Self:
        """Lets the stage occur so many times or more, at most ``window_time`` apart."""
        return self._repeat(f"times_or_more({times!r})", QuantifierKind.LOOPING, times, times, window_time)

    def times(
        self,
        from_times: int,
        to_times: int | TimeInterval | None = None,
        window_time: TimeInterval | None = None,
    ) -> Self:
        """Lets the stage occur exactly so many times, or between two numbers, at most ``window_time`` apart.

        ``times(3, Duration.of_seconds(5))`` is exactly three times, as in Flink.
        """
        if to_times is not None and not isinstance(to_times, int):
            to_times, window_time = None, to_times
        call = f"times({from_times!r})" if to_times is None else f"times({from_times!r}, {to_times!r})"
        most = from_times if to_times is None else to_times
        if from_times == 0 and to_times is not None and most != 0:
            return self._repeat(call, QuantifierKind.TIMES, 1, most, window_time, optional=True)
        return self._repeat(call, QuantifierKind.TIMES, from_times, most, window_time)

    def greedy(self) -> Self:
        """Lets the stage take as many events as there are before the next one begins."""
        self._check_repeatable("greedy()")
        self._quantifier = self._quantifier.as_greedy()
        return self

    def consecutive(self) -> Self:
        """Lets the events of a repeated stage follow directly upon each other."""
        self._quantifier = self._quantifier.with_inner(_STRICT)
        return self

    def allow_combinations(self) -> Self:
        """Lets a repeated stage leave out events that fit: every combination is a match."""
        self._quantifier = self._quantifier.with_inner(_ANY)
        return self

    def _repeat(
        self,
        call: str,
        kind: QuantifierKind,
        least: int,
        most: int,
        window_time: TimeInterval | None,
        *,
        optional: bool = False,
    ) -> Self:
        self._check_repeatable(call)
        if not all(type(number) is int for number in (least, most)) or not 0 < least <= most:
            raise MalformedPatternError(
                f"{call} of stage '{self._name}': give whole numbers from 1 on, the smaller first; "
                "for a stage that may be absent add optional()"
            )
        gap = None if window_time is None else _checked_time(f"{call} of stage '{self._name}'", window_time)
        self._quantifier = self._quantifier.repeated(kind, optional=optional)
        self._times = Times(least, most, gap)
        return self

    def _check_repeatable(self, call: str) -> None:
        if self._quantifier.strategy.negates:
            raise MalformedPatternError(f"{call} can't be applied to the NOT stage '{self._name}'")

    # -- what it says -------------------------------------------------------------------------------------

    def get_name(self) -> str:
        """Returns the name of the stage."""
        return self._name

    def get_previous(self) -> Pattern | None:
        """Returns the stage before, or None."""
        return self._previous

    def get_quantifier(self) -> Quantifier:
        """Returns how often the stage occurs, and how it follows the one before."""
        return self._quantifier

    def get_times(self) -> Times | None:
        """Returns the numbers of a repeated stage, or None."""
        return self._times

    def get_condition(self) -> Condition:
        """Returns the condition of the stage."""
        return ALWAYS if self._condition is None else self._condition

    def get_until_condition(self) -> Leaf | None:
        """Returns the condition that ends the loop, or None."""
        return self._until

    def get_window_size(self, within_type: WithinType = WithinType.FIRST_AND_LAST) -> int | None:
        """Returns a time limit in milliseconds, or None."""
        return self._windows.get(within_type)

    def get_after_match_skip_strategy(self) -> AfterMatchSkipStrategy:
        """Returns what a found match puts an end to."""
        return self._skip

    def may_be_absent(self) -> bool:
        """Says whether a match may have no event of this stage."""
        return self._quantifier.optional

    def explain(self, format: str = "text") -> str:
        """Returns the automaton that looks for this pattern, as ``text`` or as a ``mermaid`` picture."""
        from flott.cep.compile_nfa import compile_nfa
        from flott.cep.explain import explain

        return explain(compile_nfa(self), format)

    def stages(self) -> list[Pattern]:
        """Returns the stages from the first to this one."""
        stages = [self]
        while stages[-1]._previous is not None:  # noqa: SLF001 - of its own class
            stages.append(stages[-1]._previous)  # noqa: SLF001
        return stages[::-1]

    def names(self) -> Iterator[str]:
        """Goes over the names of all stages up to this one, those inside groups too."""
        for stage in self.stages():
            yield from stage._own_names()  # noqa: SLF001 - of its own class

    def _own_names(self) -> Iterator[str]:
        yield self._name

    def _check_names(self) -> None:
        taken = set() if self._previous is None else set(self._previous.names())
        for name in self._own_names():
            if name in taken:
                raise MalformedPatternError(
                    f"the name '{name}' stands for two stages; give each stage of a pattern a name of its own"
                )
            taken.add(name)

    def __repr__(self) -> str:
        from flott.cep.explain import describe_pattern

        return describe_pattern(self)


def _stage(
    name: Any, previous: Pattern | None, strategy: ConsumingStrategy, skip: AfterMatchSkipStrategy | None
) -> Pattern | GroupPattern:
    from flott.cep.group_pattern import GroupPattern

    if isinstance(name, Pattern):
        return GroupPattern(name, previous, strategy, skip)
    return Pattern(name, previous, strategy, skip)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name or name.startswith("$"):
        raise MalformedPatternError(f"a stage has a name, such as 'start', and not {name!r}")
    return name


def _checked_time(call: str, given: TimeInterval) -> int:
    try:
        window = to_milliseconds(given)
    except TypeError as error:
        raise MalformedPatternError(f"{call}: {error}") from None
    if window <= 0:
        raise MalformedPatternError(f"{call}: give a time above zero, not {given!r}")
    return window
