"""Runs the automaton: one event, or the passing of time, on the partial matches of one key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.decider import IGNORE, TAKE, Decider
from flott.cep.dewey import FIRST, Version, increase
from flott.cep.match_queue import NEVER_STARTED, START, PartialMatch, add, take_first
from flott.cep.nfa import StateKind
from flott.cep.prune import make_prune
from flott.cep.run import Run
from flott.cep.shared_buffer import EVENT

if TYPE_CHECKING:
    from flott.cep.decider import Decision
    from flott.cep.nfa import Nfa
    from flott.cep.shared_buffer import NodeId
    from flott.runtime.clock import Clock

__all__ = ["Match", "Matcher"]

Match = dict[str, list[Any]]
"""Events by the name of the stage that took them."""


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
        self._decider = Decider(nfa, clock)
        self.leaves = self._decider.leaves
        self._stages = [state.stage for state in nfa.states]
        self._final = [state.kind is StateKind.FINAL for state in nfa.states]
        self._stop = [state.kind is StateKind.STOP for state in nfa.states]
        self._pending = [state.kind is StateKind.PENDING for state in nfa.states]
        self._gaps = {position: state.gap for position, state in enumerate(nfa.states) if state.gap is not None}
        self._skips = nfa.skip.skips
        self._prune = make_prune(nfa)
        self.timed = bool(nfa.window or self._gaps)
        """Whether partial matches time out."""

    def new_run(self) -> Run:
        """Return a run in which nothing has started."""
        return Run([(NEVER_STARTED, self.nfa.start, None, FIRST, 0, 0)])

    # -- an event ----------------------------------------------------------------------------------------------

    def process(
        self, run: Run, event: Any, stamp: int, starts: Any = True, memory: list[bool | None] | None = None
    ) -> list[Match]:
        """Show an event to all partial matches; return the matches that are found.

        ``starts`` is false for an event of which it is known that no match starts with it. ``memory`` holds the
        answers of simple conditions (``leaves``), as far as they are known already.
        """
        decider = self._decider
        before = run.partials
        decider.look_at(event, stamp, run.buffer, len(before), memory)
        frame, decide = decider.frame, decider.decide
        number = run.next_event
        run.next_event = number + 1
        partials: list[PartialMatch] = []
        run.partials = partials
        found: list[PartialMatch] = []
        for partial in before:
            if partial[START] == NEVER_STARTED and not starts:
                add(partials, partial)
                continue
            frame.partial = partial
            decision = decide(partial[1])
            steps = decision[0]
            if len(steps) != 1:
                if steps or partial[START] == NEVER_STARTED:
                    self._branch(run, partial, decision, number, found)
                else:
                    run.buffer.release(partial[2], partial[3])
            elif steps[0][0] == TAKE:
                self._take(run, partial, decision, number, found)
            elif steps[0][2] == partial[1]:
                add(partials, partial)
            else:
                self._branch(run, partial, decision, number, found)
        if self._skips:
            return self._settle(run, found) if found or run.completed else []
        return [self._emit(run, take_first(found)) for _ in range(len(found))]

    def _take(
        self, run: Run, partial: PartialMatch, decision: Decision, number: int, found: list[PartialMatch]
    ) -> None:
        """Let a partial match take the event and do nothing else. The same as a branch, but this is what most do."""
        start, state, node, version, start_time, _ = partial
        _, source, target = decision[0][0]
        if decision[3] or self._decider.may_end[target]:
            self._branch(run, partial, decision, number, found)
            return
        frame = self._decider.frame
        stamp = frame.stamp
        after = (*version, 0)
        at = run.buffer.extend(self._stages[source], frame.event, number, node, version, after)
        grown = found if self._final[target] else run.partials
        if start == NEVER_STARTED:
            add(grown, (number, target, at, after, stamp, stamp))
            add(run.partials, (NEVER_STARTED, state, None, increase(version, 1), 0, 0))
        else:
            add(grown, (start, target, at, after, start_time, stamp))

    def _branch(
        self, run: Run, partial: PartialMatch, decision: Decision, number: int, found: list[PartialMatch]
    ) -> None:
        """Let one partial match become what the event makes of it: nothing, one, or several."""
        start, state, node, version, start_time, last_time = partial
        steps, takes, ignores, stops = decision
        starting = start == NEVER_STARTED
        # As in the Dewey scheme: the branches of one match get versions that differ, the one that stays the highest.
        staying = ignores + max(1, takes) if takes or ignores else 0
        takes_left = others = max(0, takes - 1)
        grown: list[PartialMatch] = []
        buffer, frame, decider = run.buffer, self._decider.frame, self._decider
        stamp = frame.stamp
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
            if self._stop[target]:
                continue
            first, first_time = (number, stamp) if starting else (start, start_time)
            at = buffer.put(self._stages[source], frame.event, number, node, taken)
            after = (*taken, 0)
            self._grow(run, grown, found, (first, target, at, after, first_time, stamp))
            final = decider.final_after(target) if decider.may_end[target] else None
            if final is not None:
                self._grow(run, grown, found, (first, final, at, after, first_time, stamp))
        if starting:
            grown.append((NEVER_STARTED, state, None, increase(version, staying), 0, 0))
        else:
            buffer.release(node, version)
        for match in grown:
            if stops:
                buffer.release(match[2], match[3])
            else:
                add(run.partials, match)

    def _grow(self, run: Run, grown: list[PartialMatch], found: list[PartialMatch], match: PartialMatch) -> None:
        if match[2] is not None:
            run.buffer.lock(match[2], match[3])
        if self._final[match[1]]:
            add(found, match)
        else:
            grown.append(match)

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
            if self._pending[state]:
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
