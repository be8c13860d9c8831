"""Finds out what an event does in a state of the automaton, once for all partial matches where that is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.checks import compile_check
from flott.cep.conditions import leaves_of
from flott.cep.frame import Frame
from flott.cep.nfa import Action, StateKind

if TYPE_CHECKING:
    from flott.cep.nfa import Nfa
    from flott.cep.shared_buffer import SharedBuffer
    from flott.runtime.clock import Clock

__all__ = ["IGNORE", "TAKE", "Decider", "Decision"]

TAKE, IGNORE, PROCEED = Action.TAKE.value, Action.IGNORE.value, Action.PROCEED.value

Decision = tuple[list[tuple[int, int, int]], int, int, bool]
"""What an event does in a state: (action, from state, to state) of each transition it takes, after all PROCEEDs;
how many of them TAKE; how many IGNORE and go elsewhere; and whether one of them stops the match."""

MANY = 2
"""With more partial matches than this, what is found out for one is remembered for the others."""


class Decider:
    """Asks the conditions of transitions about the event at hand."""

    def __init__(self, nfa: Nfa, clock: Clock) -> None:
        self._nfa = nfa
        self.leaves = tuple(leaf for leaf in nfa.leaves() if not leaf.iterative)
        """The simple conditions, in the order of their answers in the frame's memory."""
        positions = {id(leaf): position for position, leaf in enumerate(self.leaves)}
        self._unasked: list[bool | None] = [None] * len(self.leaves)
        self._table = [
            [(edge.action.value, edge.target, compile_check(edge.condition, positions)) for edge in state.transitions]
            for state in nfa.states
        ]
        self._final = [state.kind is StateKind.FINAL for state in nfa.states]
        self._stop = [state.kind is StateKind.STOP for state in nfa.states]
        self._plain = [self._is_plain(position) for position in range(len(nfa.states))]
        self.may_end = [self._reaches_final(position) for position in range(len(nfa.states))]
        """For each state: whether the match may end there, because all that could follow is optional."""
        self.frame = Frame(clock, nfa.stages)
        self._remembers = False

    def look_at(
        self, event: Any, stamp: int, buffer: SharedBuffer, partials: int, memory: list[bool | None] | None = None
    ) -> None:
        """Take the next event, for so many partial matches of one key; ``memory`` holds answers known already."""
        frame = self.frame
        frame.event = event
        frame.stamp = stamp
        frame.buffer = buffer
        frame.memory = self._unasked.copy() if memory is None else memory
        self._remembers = partials > MANY
        if self._remembers:
            frame.decisions = {}
            frame.finals = {}

    def decide(self, state: int) -> Decision:
        """Find out what the event does in a state, for the partial match in the frame."""
        frame = self.frame
        remembers = self._remembers and self._plain[state]
        if remembers:
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
                    stops = stops or self._stop[target]
                elif target != state:
                    ignores += 1
        decision = steps, takes, ignores, stops
        if remembers:
            frame.decisions[state] = decision
        return decision

    def final_after(self, state: int) -> int | None:
        """Return the final state, if the match may end in ``state`` with the event at hand."""
        frame = self.frame
        remembers = self._remembers and self._plain[state]
        if remembers and state in frame.finals:
            return frame.finals[state]
        final = None
        stack = [state]
        while stack and final is None:
            for action, target, check in self._table[stack.pop()]:
                if action == PROCEED and (check is None or check(frame)):
                    if self._final[target]:
                        final = target
                        break
                    stack.append(target)
        if remembers:
            frame.finals[state] = final
        return final

    # What is known beforehand

    def _is_plain(self, state: int) -> bool:
        """Say whether what an event does in a state is the same for every partial match."""
        return not any(
            leaf.iterative
            for position in self._proceeding_from(state)
            for edge in self._nfa.states[position].transitions
            for leaf in leaves_of(edge.condition)
        )

    def _reaches_final(self, state: int) -> bool:
        return any(self._final[position] for position in self._proceeding_from(state) - {state})

    def _proceeding_from(self, state: int) -> set[int]:
        seen = {state}
        stack = [state]
        while stack:
            for edge in self._nfa.states[stack.pop()].transitions:
                if edge.action is Action.PROCEED and edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
        return seen
