"""Conditions made ready to run: each user's condition is asked at most once for an event, where that is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.conditions import ALWAYS, Always, And, Condition, Leaf, Not, Or, leaves_of
from flott.cep.nfa import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.cep.frame import Frame
    from flott.cep.nfa import Nfa

__all__ = ["compile_check", "compile_test", "start_condition"]


def compile_check(  # noqa: PLR0911 - one for each kind of condition
    condition: Condition, positions: dict[int, int]
) -> Callable[[Frame], bool] | None:
    """Return a function that asks a condition; None if it always holds.

    ``positions`` says, by identity, where in the frame's memory the answer of each of the user's conditions goes.
    """
    if isinstance(condition, Always):
        return None
    if isinstance(condition, Leaf):
        if condition.iterative:
            return _iterative(condition.test)
        return _simple(condition.test, positions[id(condition)])
    if isinstance(condition, Not):
        inside = compile_check(condition.condition, positions)
        if inside is None:
            return _never
        return lambda frame: not inside(frame)
    left, right = compile_check(condition.left, positions), compile_check(condition.right, positions)
    if isinstance(condition, And):
        if left is None or right is None:
            return right if left is None else left
        return lambda frame: left(frame) and right(frame)
    if left is None or right is None:
        return None
    return lambda frame: left(frame) or right(frame)


def _never(_frame: Frame) -> bool:
    return False


def _simple(test: Callable[[Any], Any], position: int) -> Callable[[Frame], bool]:
    def check(frame: Frame) -> bool:
        answer = frame.memory[position]
        if answer is None:
            answer = frame.memory[position] = bool(test(frame.event))
        return answer

    return check


def _iterative(test: Callable[[Any, Any], Any]) -> Callable[[Frame], bool]:
    def check(frame: Frame) -> bool:
        return bool(test(frame.event, frame))

    return check


def start_condition(nfa: Nfa) -> Condition:
    """Return what an event must meet to start a match; what depends on a match so far counts as met."""
    found: Condition | None = None
    todo: list[tuple[int, Condition]] = [(nfa.start, ALWAYS)]
    while todo:
        position, way = todo.pop()
        for transition in nfa.states[position].transitions:
            condition = transition.condition
            if any(one.iterative for one in leaves_of(condition)):
                condition = ALWAYS
            both = condition if way is ALWAYS else And(way, condition)
            if transition.action is Action.PROCEED:
                todo.append((transition.target, both))
            elif transition.action is Action.TAKE:
                found = both if found is None else Or(found, both)
    return ALWAYS if found is None else found


def compile_test(condition: Condition) -> Callable[[Any], Any]:
    """Return a function of the event alone that asks a condition without iterative parts."""
    if isinstance(condition, Leaf):
        return condition.test
    if isinstance(condition, Always):
        return lambda _event: True
    if isinstance(condition, Not):
        inside = compile_test(condition.condition)
        return lambda event: not inside(event)
    left, right = compile_test(condition.left), compile_test(condition.right)
    if isinstance(condition, And):
        return lambda event: left(event) and right(event)
    return lambda event: left(event) or right(event)
