"""The automaton of a pattern, as plain data: states, and what an event does in each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from flott.cep.conditions import leaves_of

if TYPE_CHECKING:
    from flott.cep.conditions import Condition, Leaf
    from flott.cep.skip_strategy import AfterMatchSkipStrategy

__all__ = ["Action", "Nfa", "State", "StateKind", "Transition"]


class Action(IntEnum):
    """What a transition does with the event. Numbers, because they are compared for every event."""

    TAKE = 0
    """The event belongs to the match: go on with the next event in the target state."""
    IGNORE = 1
    """The event does not belong to the match: go on with the next event in the target state."""
    PROCEED = 2
    """Look at the same event again in the target state."""


class StateKind(Enum):
    """What it means to be in a state."""

    START = "Start"
    NORMAL = "Normal"
    PENDING = "Pending"
    """A match as soon as its time is up: it waits for what must not occur."""
    STOP = "Stop"
    """What must not occur has occurred: the partial match ends."""
    FINAL = "Final"


@dataclass(frozen=True, slots=True)
class Transition:
    """If the condition holds: do this with the event, and go to that state."""

    action: Action
    target: int
    condition: Condition


@dataclass(frozen=True, slots=True)
class State:
    """A state of the automaton. Stages that repeat have several, told apart by a number after their name."""

    name: str
    stage: int
    """Position of the stage in ``Nfa.stages``; events are kept under it. -1 where no event is taken."""
    kind: StateKind
    transitions: tuple[Transition, ...]
    gap: int | None = None
    """Most milliseconds from the previous event to the one that this state waits for."""


@dataclass(frozen=True, slots=True)
class Nfa:
    """A compiled pattern: its states, its time limits, and what a match puts an end to."""

    states: tuple[State, ...]
    start: int
    stages: tuple[str, ...]
    """The names under which a match shows its events."""
    window: int
    """Most milliseconds from the first to the last event; 0 if not limited."""
    skip: AfterMatchSkipStrategy

    def leaves(self) -> tuple[Leaf, ...]:
        """List the user's conditions, each once."""
        found: dict[int, Leaf] = {}
        for state in self.states:
            for transition in state.transitions:
                for one in leaves_of(transition.condition):
                    found.setdefault(id(one), one)
        return tuple(found.values())
