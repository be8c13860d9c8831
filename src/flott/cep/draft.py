"""States while an automaton is being built: with names of their own, and transitions that may still change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.cep.conditions import ALWAYS, Not, both
from flott.cep.nfa import Action, Nfa, State, StateKind, Transition

if TYPE_CHECKING:
    from flott.cep.conditions import Condition
    from flott.cep.skip_strategy import AfterMatchSkipStrategy

__all__ = ["Drafts", "Edge", "StateDraft"]

DELIMITER = ":"


@dataclass(slots=True, eq=False)
class Edge:
    """A transition that may still change."""

    action: Action
    target: StateDraft
    condition: Condition


@dataclass(slots=True, eq=False)
class StateDraft:
    """A state that may still get transitions."""

    name: str
    stage: str
    kind: StateKind
    edges: list[Edge] = field(default_factory=list)
    gap: int | None = None

    def take(self, target: StateDraft, condition: Condition) -> None:
        """Take an event and go to ``target``."""
        self.edges.append(Edge(Action.TAKE, target, condition))

    def ignore(self, target: StateDraft, condition: Condition) -> None:
        """Pass over an event and go to ``target``."""
        self.edges.append(Edge(Action.IGNORE, target, condition))

    def proceed(self, target: StateDraft, condition: Condition = ALWAYS) -> None:
        """Look at the event in ``target`` instead."""
        self.edges.append(Edge(Action.PROCEED, target, condition))

    def only_unless(self, condition: Condition) -> None:
        """Let every transition hold only where ``condition`` does not: a greedy stage goes first."""
        for edge in self.edges:
            edge.condition = both(edge.condition, Not(condition))


class Drafts:
    """All states of one automaton."""

    def __init__(self) -> None:
        self.states: list[StateDraft] = []
        self._names: set[str] = set()
        self._stops: dict[str, StateDraft] = {}

    def state(self, name: str, kind: StateKind, stage: str | None = None) -> StateDraft:
        """Make a state; the second of a name gets a number."""
        unique = name
        number = 0
        while unique in self._names:
            unique = f"{name}{DELIMITER}{number}"
            number += 1
        self._names.add(unique)
        draft = StateDraft(unique, stage or name, kind)
        self.states.append(draft)
        return draft

    def stop(self, name: str, condition: Condition) -> StateDraft:
        """Return the stop state of a NOT stage: there is one, wherever it is entered from."""
        stop = self._stops.get(name)
        if stop is None:
            stop = self._stops[name] = self.state(name, StateKind.STOP)
            stop.take(stop, condition)
        return stop

    def copy(self, state: StateDraft) -> StateDraft:
        """Make a second state with the same transitions; those to itself lead to the copy."""
        twin = self.state(state.stage, state.kind)
        twin.edges = [
            Edge(edge.action, twin if edge.target is state else edge.target, edge.condition) for edge in state.edges
        ]
        return twin

    def copy_without_stops(self, state: StateDraft, stops: set[str]) -> StateDraft:
        """Make a second state from which some stop states are not entered, nor from where it proceeds to."""
        twin = self.state(state.name, state.kind, state.stage)
        for edge in state.edges:
            target = edge.target
            if edge.action is Action.PROCEED:
                if target.kind is StateKind.STOP and target.name in stops:
                    continue
                if target.kind is not StateKind.STOP:
                    target = self.copy_without_stops(target, stops)
            elif target is state:
                target = twin
            twin.edges.append(Edge(edge.action, target, edge.condition))
        return twin

    def freeze(self, start: StateDraft, window: int, skip: AfterMatchSkipStrategy) -> Nfa:
        """Return the automaton, without what can't be reached."""
        states = self._reachable(start)
        positions = {id(state): position for position, state in enumerate(states)}
        takes = {
            id(state)
            for state in states
            if state.kind is not StateKind.STOP and any(edge.action is Action.TAKE for edge in state.edges)
        }
        stages = tuple(dict.fromkeys(state.stage for state in reversed(states) if id(state) in takes))
        frozen = tuple(
            State(
                state.name,
                stages.index(state.stage) if id(state) in takes else -1,
                StateKind.START if state is start else state.kind,
                tuple(Transition(edge.action, positions[id(edge.target)], edge.condition) for edge in state.edges),
                state.gap,
            )
            for state in states
        )
        return Nfa(frozen, positions[id(start)], stages, window, skip)

    def _reachable(self, start: StateDraft) -> list[StateDraft]:
        seen = {id(start)}
        stack = [start]
        while stack:
            for edge in stack.pop().edges:
                if id(edge.target) not in seen:
                    seen.add(id(edge.target))
                    stack.append(edge.target)
        return [state for state in self.states if id(state) in seen]
