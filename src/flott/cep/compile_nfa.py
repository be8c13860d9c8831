"""Compiles a pattern to an automaton, from its last stage back to its first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.cep.conditions import ALWAYS, And, Condition, Not, both
from flott.cep.draft import Drafts, StateDraft
from flott.cep.errors import MalformedPatternError
from flott.cep.group_pattern import GroupPattern
from flott.cep.nfa import StateKind
from flott.cep.quantifier import ConsumingStrategy, QuantifierKind, WithinType

if TYPE_CHECKING:
    from flott.cep.nfa import Nfa
    from flott.cep.pattern import Pattern
    from flott.cep.quantifier import Times

__all__ = ["compile_nfa"]

FINAL = "$endState$"


def compile_nfa(pattern: Pattern) -> Nfa:
    """Return the automaton that finds a pattern; raise if the pattern can't mean what it says."""
    skip = pattern.get_after_match_skip_strategy()
    if skip.pattern_name is not None and skip.pattern_name not in set(pattern.names()):
        raise MalformedPatternError(
            f"{skip!r} goes to a stage that the pattern does not have; its stages are {', '.join(pattern.names())}"
        )
    compiler = _Compiler(pattern)
    start = compiler.start_state()
    _check_windows(pattern, compiler)
    return compiler.drafts.freeze(start, compiler.window or 0, skip)


def _check_windows(pattern: Pattern, compiler: _Compiler) -> None:
    gaps = [state.gap for state in compiler.drafts.states if state.gap is not None]
    if compiler.window is not None and any(gap > compiler.window for gap in gaps):
        raise MalformedPatternError(
            f"two neighbouring events may be {max(gaps)} ms apart, but the whole match only {compiler.window} ms; "
            "make the time between first and last event the longer one"
        )
    last = pattern.get_quantifier().strategy is ConsumingStrategy.NOT_FOLLOW
    own_gap = pattern.get_window_size(WithinType.PREVIOUS_AND_CURRENT)
    if last and compiler.window is None and own_gap is None:
        raise MalformedPatternError(
            f"not_followed_by('{pattern.get_name()}') is the last stage, and there is no time limit: "
            "it could never be said that it does not occur; add within(...)"
        )


class _Compiler:
    """Walks back over the stages; ``current`` is the stage at hand, ``following`` the one after it."""

    def __init__(self, pattern: Pattern) -> None:
        self.drafts = Drafts()
        self.window: int | None = pattern.get_window_size()
        self.current = pattern
        self.following: Pattern | None = None
        self.group: GroupPattern | None = None
        self._first_of_loop: dict[GroupPattern, bool] = {}
        self._repeating: dict[Pattern, int | None] = {}
        """Stages of which a later occurrence is being made: how long after the one before it may come."""
        self._until_copies: dict[str, StateDraft] = {}

    def start_state(self) -> StateDraft:
        """Make all states, and return the first."""
        final = self.drafts.state(FINAL, StateKind.FINAL)
        return self._convert(self._middle_states(final))

    # -- the chain ---------------------------------------------------------------------------------------------

    def _middle_states(self, sink: StateDraft) -> StateDraft:
        """Make the states of all stages but the first of this chain."""
        while (previous := self.current.get_previous()) is not None:
            strategy = self.current.get_quantifier().strategy
            if strategy is ConsumingStrategy.NOT_FOLLOW:
                sink = self._not_followed(sink)
            elif strategy is ConsumingStrategy.NOT_NEXT:
                sink = self._not_next(sink)
            else:
                sink = self._convert(sink)
            self.following = self.current
            self.current = previous
            window = previous.get_window_size()
            if window is not None and (self.window is None or window < self.window):
                self.window = window
        return sink

    def _not_followed(self, sink: StateDraft) -> StateDraft:
        """As the last stage, a state that waits for the time to pass; else only stop states of its neighbours."""
        limited = self.window is not None or self._gap() is not None
        if not limited or sink.kind is not StateKind.FINAL:
            return sink
        waiting = self._state(StateKind.PENDING)
        forbidden = self._take_condition(self.current)
        waiting.proceed(self.drafts.stop(self.current.get_name(), forbidden), forbidden)
        waiting.ignore(waiting, Not(forbidden))
        return waiting

    def _not_next(self, sink: StateDraft) -> StateDraft:
        state = self._state(StateKind.NORMAL)
        forbidden = self._take_condition(self.current)
        stop = self.drafts.stop(self.current.get_name(), forbidden)
        if sink.kind is StateKind.FINAL:
            state.ignore(sink, Not(forbidden))  # a PROCEED would end the match one event too early
        else:
            state.proceed(sink, Not(forbidden))
        state.proceed(stop, forbidden)
        return state

    def _convert(self, sink: StateDraft) -> StateDraft:
        """Make the states of one stage, in front of ``sink``."""
        quantifier = self.current.get_quantifier()
        times = self.current.get_times()
        if quantifier.kind is QuantifierKind.LOOPING and times is not None:
            self._set_first_of_loop(False)
            self._repeating[self.current] = times.gap
            looping = self._looping(self._without_earlier_nots(sink))
            self._set_first_of_loop(True)
            first = self._times(looping, sink, times)
        elif quantifier.kind is QuantifierKind.TIMES and times is not None:
            first = self._times(sink, sink, times)
        else:
            first = self._once(
                sink, sink, self._take_condition(self.current), self._ignore_condition(), self._optional()
            )
        self._add_stops(first)
        return first

    # -- one stage ---------------------------------------------------------------------------------------------

    def _state(self, kind: StateKind) -> StateDraft:
        """Make a state of the current stage, which knows how long it may wait for its event."""
        state = self.drafts.state(self.current.get_name(), kind)
        state.gap = self._gap()
        return state

    def _gap(self) -> int | None:
        """Return how long after the previous event the one of this stage may come; a group's limit is its head's."""
        stages = [self.current] if self.group is None or not self._heads_group() else [self.current, self.group]
        limits = [stage.get_window_size(WithinType.PREVIOUS_AND_CURRENT) for stage in stages]
        limits += [self._repeating.get(stage) for stage in stages]
        return min((limit for limit in limits if limit is not None), default=None)

    def _once(
        self, sink: StateDraft, past: StateDraft | None, take: Condition, ignore: Condition | None, optional: bool
    ) -> StateDraft:
        """Make the state of one occurrence; ``past`` is where to go on when it is left out."""
        if isinstance(self.current, GroupPattern):
            return self._group(self.current, sink, past, optional)
        state = self._state(StateKind.NORMAL)
        taken = self._without_earlier_nots(sink)
        state.take(taken, take)
        if optional and past is not None:
            self._proceed_greedily(state, past)
        if ignore is not None:
            waiting = state
            if optional or self._heads_optional_group():
                # A twin without PROCEED, so that waiting does not leave the stage out again and again.
                waiting = self._state(StateKind.NORMAL)
                waiting.take(taken, take)
                waiting.ignore(waiting, ignore)
                self._add_stops(waiting)
            state.ignore(waiting, ignore)
        return state

    def _proceed_greedily(self, state: StateDraft, past: StateDraft) -> None:
        """Leave a stage out. If it is greedy and has an until, what ends the loop need not fail the greedy check."""
        until = self.current.get_until_condition()
        if not self.current.get_quantifier().greedy or until is None:
            state.proceed(past, self._free())
            return
        state.proceed(self._until_copies.get(past.name, past), both(self._free(), until))
        state.proceed(past, both(self._free(), Not(until)))

    def _times(self, sink: StateDraft, past: StateDraft, times: Times) -> StateDraft:
        """Make as many occurrences as may be, those beyond the least optional."""
        self._set_first_of_loop(False)
        until = self.current.get_until_condition()
        take = _unless(until, self._take_condition(self.current))
        if self.current.get_quantifier().greedy and times.least != times.most:
            if until is not None:
                self._until_copies[sink.name] = self.drafts.copy(sink)
            sink.only_unless(take)
        ignore = _unless_ignored(until, self._inner_ignore_condition())
        self._repeating[self.current] = times.gap
        for _ in range(times.most - times.least):
            sink = self._once(sink, past, take, ignore, True)
            self._add_stop_to_loop(sink)
        for _ in range(times.least - 1):
            sink = self._once(sink, None, take, ignore, False)
            self._add_stop_to_loop(sink)
        del self._repeating[self.current]
        self._set_first_of_loop(True)
        return self._once(sink, past, take, self._ignore_condition(), self._optional())

    # -- loops ---------------------------------------------------------------------------------------------------

    def _looping(self, sink: StateDraft) -> StateDraft:
        """Make a state that takes again and again, with a twin that waits in between without proceeding."""
        if isinstance(self.current, GroupPattern):
            return self._looping_group(self.current, sink)
        until = self.current.get_until_condition()
        ignore = _unless_ignored(until, self._inner_ignore_condition())
        take = _unless(until, self._take_condition(self.current))
        state = self._state(StateKind.NORMAL)
        if self.current.get_quantifier().greedy:
            if until is not None:
                copy = self._until_copies[sink.name] = self.drafts.copy(sink)
                state.proceed(copy, both(self._free(), until))
                state.proceed(sink, both(self._free(), Not(until)))
            else:
                state.proceed(sink, self._free())
            sink.only_unless(self._take_condition(self.current))
        else:
            state.proceed(sink, self._free())
        state.take(state, take)
        self._add_stop_to_loop(state)
        if ignore is not None:
            waiting = self._state(StateKind.NORMAL)
            waiting.take(state, take)
            waiting.ignore(waiting, ignore)
            state.ignore(waiting, ignore)
            self._add_stop_to_loop(waiting)
        return state

    # -- groups --------------------------------------------------------------------------------------------------

    def _group(self, group: GroupPattern, sink: StateDraft, past: StateDraft | None, optional: bool) -> StateDraft:
        free = self._free()
        first = self._inside(group, sink)
        if optional and past is not None:
            first.proceed(past, free)  # where the whole group is left out
        return first

    def _looping_group(self, group: GroupPattern, sink: StateDraft) -> StateDraft:
        if all(stage.may_be_absent() for stage in group.get_raw_pattern().stages()):
            raise MalformedPatternError(
                "a group that repeats without end must take an event each time, but all stages of "
                f"({group.get_raw_pattern()!r}) are optional; make one of them mandatory"
            )
        again = self.drafts.state(group.get_name(), StateKind.NORMAL)
        free = self._free()
        first = self._inside(group, again)
        first.proceed(sink, free)
        again.proceed(first, free)
        return first

    def _inside(self, group: GroupPattern, sink: StateDraft) -> StateDraft:
        """Make the states of the stages inside a group. At run time there are no groups, only these states."""
        outside = self.current, self.following, self.group
        self.group, self.current = group, group.get_raw_pattern()
        first = self._convert(self._middle_states(sink))
        self.current, self.following, self.group = outside
        return first

    def _set_first_of_loop(self, first: bool) -> None:
        if isinstance(self.current, GroupPattern):
            self._first_of_loop[self.current] = first

    def _heads_group(self) -> bool:
        return self.group is not None and self.current.get_previous() is None

    def _heads_optional_group(self) -> bool:
        group = self.group
        optional = group is not None and group.get_quantifier().optional and self._first_of_loop.get(group, True)
        return optional and self._heads_group()

    def _optional(self) -> bool:
        return self.current.get_quantifier().optional

    # -- NOT stages between others ---------------------------------------------------------------------------------

    def _earlier_nots(self) -> list[tuple[Condition, str]]:
        """List the NOT stages directly before the current one, or before optional stages in between."""
        found = []
        stage = self.current
        while (previous := stage.get_previous()) is not None:
            quantifier = previous.get_quantifier()
            negated = quantifier.strategy is ConsumingStrategy.NOT_FOLLOW
            if not negated and not quantifier.optional:
                break
            stage = previous
            if negated:
                found.append((self._take_condition(stage), stage.get_name()))
        return found

    def _add_stops(self, state: StateDraft) -> None:
        for condition, name in self._earlier_nots():
            state.proceed(self.drafts.stop(name, condition), condition)

    def _add_stop_to_loop(self, state: StateDraft) -> None:
        after = self.following
        if after is not None and after.get_quantifier().strategy is ConsumingStrategy.NOT_FOLLOW:
            condition = self._take_condition(after)
            state.proceed(self.drafts.stop(after.get_name(), condition), condition)

    def _without_earlier_nots(self, sink: StateDraft) -> StateDraft:
        """Once an optional stage took an event, what was forbidden before it is allowed again."""
        nots = {name for _, name in self._earlier_nots()}
        if not nots or not self._optional():
            return sink
        return self.drafts.copy_without_stops(sink, nots)

    # -- conditions --------------------------------------------------------------------------------------------------

    def _free(self) -> Condition:
        """Say when to go on without an event: always, but inside a group not when the group's loop ends."""
        until = None if self.group is None else self.group.get_until_condition()
        return ALWAYS if until is None else Not(until)

    def _take_condition(self, stage: Pattern) -> Condition:
        until = None if self.group is None else self.group.get_until_condition()
        return _unless(until, stage.get_condition())

    def _ignore_condition(self) -> Condition | None:
        strategy = self.current.get_quantifier().strategy
        if self._heads_group() and self.group is not None:
            quantifier = self.group.get_quantifier()
            first = self._first_of_loop.get(self.group, True)
            strategy = quantifier.strategy if first else quantifier.inner
        return self._ignored(strategy)

    def _inner_ignore_condition(self) -> Condition | None:
        strategy = self.current.get_quantifier().inner
        if self._heads_group() and self.group is not None:
            strategy = self.group.get_quantifier().inner
        return self._ignored(strategy)

    def _ignored(self, strategy: ConsumingStrategy) -> Condition | None:
        """Say which events may be passed over; None if none."""
        until = None if self.group is None else self.group.get_until_condition()
        if strategy is ConsumingStrategy.SKIP_TILL_NEXT:
            return _unless(until, Not(self.current.get_condition()))
        if strategy is ConsumingStrategy.SKIP_TILL_ANY:
            return ALWAYS if until is None else Not(until)
        return None


def _unless(until: Condition | None, condition: Condition) -> Condition:
    return condition if until is None else And(Not(until), condition)


def _unless_ignored(until: Condition | None, ignore: Condition | None) -> Condition | None:
    return None if ignore is None else _unless(until, ignore)
