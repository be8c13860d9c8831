"""Runs the automaton: one event, or the passing of time, on the partial matches of one key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flott.cep.checks import compile_check
from flott.cep.conditions import leaves_of
from flott.cep.dewey import FIRST, Version, increase
from flott.cep.frame import Frame
from flott.cep.match_queue import NEVER_STARTED, START, PartialMatch, add, take_first
from flott.cep.nfa import Action, StateKind
from flott.cep.prune import make_prune
from flott.cep.shared_buffer import EVENT, SharedBuffer

if TYPE_CHECKING:
    from flott.cep.nfa import Nfa
    from flott.cep.shared_buffer import NodeId
    from flott.runtime.clock import Clock

__all__ = ["Match", "Matcher", "Run"]

Match = dict[str, list[Any]]
"""Events by the name of the stage that took them."""

TAKE, IGNORE, PROCEED = Action.TAKE.value, Action.IGNORE.value, Action.PROCEED.value
Steps = tuple[tuple[int, int, int], ...]
"""(action, from state, to state) of each transition that an event takes, after all PROCEEDs."""


class Decision(NamedTuple):
    """What an event does in a state."""

    steps: Steps
    takes: int
    ignores: int
    """IGNOREs that lead elsewhere."""
    stops: bool
    waits: bool
    """Nothing but passing over the event and staying."""


class Run:
    """The partial matches of one key, with the events they hold."""

    __slots__ = ("buffer", "completed", "next_event", "partials", "timer")

    def __init__(
        self,
        partials: list[PartialMatch],
        completed: list[PartialMatch] | None = None,
        next_event: int = 0,
        entries: dict[int, list[Any]] | None = None,
        timer: int | None = None,
    ) -> None:
        self.partials = partials
        """A queue; the state from which new matches start is always in it."""
        self.completed = completed or []
        """Complete, but an earlier start may still become a match: only with a skip strategy."""
        self.next_event = next_event
        self.buffer = SharedBuffer({} if entries is None else entries)
        self.timer = timer
        """When the next of them times out, as far as a timer was registered."""

    @property
    def idle(self) -> bool:
        """Whether nothing has started: such a run need not be kept."""
        return len(self.partials) == 1 and not self.completed


class Matcher:
    """An automaton ready to run.

    >>> from flott.cep.compile_nfa import compile_nfa
    >>> from flott.cep.pattern import Pattern
    >>> from flott.runtime.clock import ManualClock
    >>> pattern = Pattern.begin("a").where(lambda e: e == "a").followed_by("b").where(lambda e: e == "b")
    >>> matcher = Matcher(compile_nfa(pattern), ManualClock())
    >>> run = matcher.new_run()
    >>> [matcher.process(run, event, time) for time, event in enumerate("acb")]
    [[], [], [{'a': ['a'], 'b': ['b']}]]
    """

    def __init__(self, nfa: Nfa, clock: Clock) -> None:
        self.nfa = nfa
        self.leaves = tuple(leaf for leaf in nfa.leaves() if not leaf.iterative)
        """The simple conditions, in the order of their answers in a frame's memory."""
        positions = {id(leaf): position for position, leaf in enumerate(self.leaves)}
        self._table = [
            tuple(
                (edge.action.value, edge.target, compile_check(edge.condition, positions)) for edge in state.transitions
            )
            for state in nfa.states
        ]
        self._stages = [state.stage for state in nfa.states]
        self._kinds = [state.kind for state in nfa.states]
        self._gaps = {position: state.gap for position, state in enumerate(nfa.states) if state.gap is not None}
        self._plain = [self._is_plain(position) for position in range(len(nfa.states))]
        self._may_end = [self._reaches_final(position) for position in range(len(nfa.states))]
        self._skips = nfa.skip.skips
        self._prune = make_prune(nfa)
        self._frame = Frame(clock, nfa.stages)
        self.timed = bool(nfa.window or self._gaps)
        """Whether partial matches time out."""

    def new_run(self) -> Run:
        """Return a run in which nothing has started."""
        return Run([(NEVER_STARTED, self.nfa.start, None, FIRST, 0, 0)])

    # -- an event ----------------------------------------------------------------------------------------------

    def process(self, run: Run, event: Any, stamp: int, memory: list[bool | None] | None = None) -> list[Match]:
        """Show an event to all partial matches; return the matches that are found.

        ``memory`` holds answers of simple conditions that are known already.
        """
        frame = self._frame
        frame.event = event
        frame.stamp = stamp
        frame.memory = [None] * len(self.leaves) if memory is None else memory
        frame.decisions = {}
        frame.finals = {}
        frame.buffer = run.buffer
        number = run.next_event
        run.next_event = number + 1
        partials: list[PartialMatch] = []
        found: list[PartialMatch] = []
        for partial in run.partials:
            frame.partial = partial
            decision = self._decide(partial[1])
            if decision.waits:
                add(partials, partial)
            else:
                self._follow(run, partial, decision, number, partials, found)
        run.partials = partials
        if self._skips:
            return self._settle(run, found) if found or run.completed else []
        return [self._emit(run, take_first(found)) for _ in range(len(found))]

    def _decide(self, state: int) -> Decision:
        """Find out what the event does in a state."""
        frame = self._frame
        known: Decision | None = frame.decisions.get(state)
        if known is not None:
            return known
        steps: list[tuple[int, int, int]] = []
        takes = ignores = 0
        stops = False
        stack = [state]
        while stack:
            source = stack.pop()
            for action, target, check in self._table[source]:
                if check is not None and not check(frame):
                    continue
                if action == PROCEED:
                    stack.append(target)
                    continue
                steps.append((action, source, target))
                if action == TAKE:
                    takes += 1
                    stops = stops or self._kinds[target] is StateKind.STOP
                elif target != state:
                    ignores += 1
        waits = len(steps) == 1 and steps[0][0] == IGNORE and not ignores
        decision = Decision(tuple(steps), takes, ignores, stops, waits)
        if self._plain[state]:
            frame.decisions[state] = decision
        return decision

    def _follow(
        self,
        run: Run,
        partial: PartialMatch,
        decision: Decision,
        number: int,
        partials: list[PartialMatch],
        found: list[PartialMatch],
    ) -> None:
        """Let one partial match become what the event makes of it: nothing, one, or several."""
        start, state, node, version, start_time, last_time = partial
        steps, takes, ignores, stops, _ = decision
        starting = start == NEVER_STARTED
        # As in the Dewey scheme: the branches of one match get versions that differ, the last to stay the highest.
        staying = ignores + max(1, takes) if takes or ignores else 0
        takes_left = others = max(0, takes - 1)
        grown: list[PartialMatch] = []
        buffer, stamp = run.buffer, self._frame.stamp
        for action, source, target in steps:
            if action == IGNORE:
                if starting:
                    continue
                if target == state:
                    branch = increase(version, staying)
                else:
                    branch = (*increase(version, others + ignores), 0)
                    ignores -= 1
                self._grow(run, grown, found, (start, target, node, branch, start_time, last_time))
                continue
            taken = increase(version, takes_left)
            takes_left -= 1
            if self._kinds[target] is StateKind.STOP:
                continue
            first, first_time = (number, stamp) if starting else (start, start_time)
            at = buffer.put(self._stages[source], self._frame.event, number, node, taken)
            after = (*taken, 0)
            self._grow(run, grown, found, (first, target, at, after, first_time, stamp))
            final = self._final_after(target)
            if final is not None:
                self._grow(run, grown, found, (first, final, at, after, first_time, stamp))
        if starting:
            grown.append((NEVER_STARTED, state, None, increase(version, staying), 0, 0))
        elif node is not None:
            buffer.release(node, version)
        for match in grown:
            if stops:
                buffer.release(match[2], match[3])
            else:
                add(partials, match)

    def _grow(self, run: Run, grown: list[PartialMatch], found: list[PartialMatch], match: PartialMatch) -> None:
        if match[2] is not None:
            run.buffer.lock(match[2], match[3])
        if self._kinds[match[1]] is StateKind.FINAL:
            add(found, match)
        else:
            grown.append(match)

    def _final_after(self, state: int) -> int | None:
        """Return the final state, if the match may end in ``state``: what else could follow is optional."""
        if not self._may_end[state]:
            return None
        frame = self._frame
        if state in frame.finals:
            return frame.finals[state]
        final = None
        stack = [state]
        while stack and final is None:
            for action, target, check in self._table[stack.pop()]:
                if action == PROCEED and (check is None or check(frame)):
                    if self._kinds[target] is StateKind.FINAL:
                        final = target
                        break
                    stack.append(target)
        if self._plain[state]:
            frame.finals[state] = final
        return final

    # -- time ----------------------------------------------------------------------------------------------------

    def advance(self, run: Run, now: int) -> tuple[list[Match], list[tuple[Match, int]]]:
        """Let time pass: return the matches this completes, and what timed out, with the time when it did."""
        timed_out: list[tuple[Match, int]] = []
        if not self._any_due(run, now):
            return [], timed_out
        window, gaps = self.nfa.window, self._gaps
        partials: list[PartialMatch] = []
        found: list[PartialMatch] = []
        for partial in run.partials:
            start, state, node, version, start_time, last_time = partial
            gap = gaps.get(state)
            if start == NEVER_STARTED:
                add(partials, partial)
                continue
            if gap is not None and now - last_time >= gap:
                ended = last_time + gap
            elif window and now - start_time >= window:
                ended = start_time + window
            else:
                add(partials, partial)
                continue
            if self._kinds[state] is StateKind.PENDING:
                add(found, partial)
                continue
            timed_out.append((self._events(run, node, version), ended))
            run.buffer.release(node, version)
        run.partials = partials
        return self._settle(run, found), timed_out

    def _any_due(self, run: Run, now: int) -> bool:
        deadline = self.deadline(run)
        return deadline is not None and deadline <= now

    def deadline(self, run: Run) -> int | None:
        """Return when the next partial match times out; None if none ever does."""
        earliest = run.partials[0]
        if not self.timed or earliest[START] == NEVER_STARTED:
            return None
        window, gaps = self.nfa.window, self._gaps
        deadline: int | None = earliest[4] + window if window else None
        if gaps:
            for partial in run.partials:
                gap = gaps.get(partial[1])
                if (
                    gap is not None
                    and partial[START] != NEVER_STARTED
                    and (deadline is None or partial[5] + gap < deadline)
                ):
                    deadline = partial[5] + gap
        return deadline

    # -- matches -------------------------------------------------------------------------------------------------

    def _settle(self, run: Run, found: list[PartialMatch]) -> list[Match]:
        """Emit complete matches as long as none can come that started earlier; each ends what it skips."""
        completed, partials = run.completed, run.partials
        for match in found:
            add(completed, match)
        matches: list[Match] = []
        while completed and (not partials or completed[0][START] <= partials[0][START]):
            match = take_first(completed)
            path = run.buffer.path(match[2], match[3])
            self._prune(path, run)
            matches.append(self._emit(run, match))
        return matches

    def _emit(self, run: Run, match: PartialMatch) -> Match:
        events = self._events(run, match[2], match[3])
        run.buffer.release(match[2], match[3])
        return events

    def _events(self, run: Run, node: NodeId | None, version: Version) -> Match:
        match: Match = {}
        names, entries = self.nfa.stages, run.buffer.entries
        for number, stage in run.buffer.path(node, version):
            match.setdefault(names[stage], []).append(entries[number][EVENT])
        return match

    # -- what is known beforehand ----------------------------------------------------------------------------------

    def _is_plain(self, state: int) -> bool:
        """Say whether what an event does in a state is the same for every partial match."""
        return not any(
            leaf.iterative
            for position in self._proceeding_from(state)
            for edge in self.nfa.states[position].transitions
            for leaf in leaves_of(edge.condition)
        )

    def _reaches_final(self, state: int) -> bool:
        return any(self._kinds[position] is StateKind.FINAL for position in self._proceeding_from(state) - {state})

    def _proceeding_from(self, state: int) -> set[int]:
        seen = {state}
        stack = [state]
        while stack:
            for edge in self.nfa.states[stack.pop()].transitions:
                if edge.action is Action.PROCEED and edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
        return seen
