"""Deals operator state out to the subtasks of a restored job, whose parallelism may be another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.state.operator_state import CarriedStates, OperatorStates

if TYPE_CHECKING:
    from collections.abc import Sequence


NOTHING = OperatorStates().pack("")


def split_evenly(lists: Sequence[list[Any]], parallelism: int, start: int = 0) -> tuple[list[list[Any]], int]:
    """Spread the elements of all lists evenly; return a list per subtask, and where the next state should start.

    Neighbours stay together and the order is kept. What can't be divided goes, one more each, to subtasks from
    ``start`` on, so that of several states not always the first subtasks get more.

    >>> split_evenly([[1, 2, 3], [4, 5]], 3)
    ([[1, 2], [3, 4], [5]], 2)
    >>> split_evenly([["a"]], 3, start=2)
    ([[], [], ['a']], 0)
    """
    together = [element for one in lists for element in one]
    share, over = divmod(len(together), parallelism)
    dealt: list[list[Any]] = [[] for _ in range(parallelism)]
    position = 0
    for turn in range(parallelism):
        size = share + (turn < over)
        dealt[(start + turn) % parallelism] = together[position : position + size]
        position += size
    return dealt, (start + over) % parallelism


def union_of(lists: Sequence[list[Any]], parallelism: int) -> list[list[Any]]:
    """Give every subtask all elements.

    >>> union_of([[1], [2, 3]], 2)
    [[1, 2, 3], [1, 2, 3]]
    """
    together = [element for one in lists for element in one]
    return [list(together) for _ in range(parallelism)]


def copies_of(maps: Sequence[dict[Any, Any]], parallelism: int) -> list[dict[Any, Any]]:
    """Give every subtask a copy: its own, or if it is new, that of another in turn.

    >>> copies_of([{"a": 1}, {"a": 1}], 3)
    [{'a': 1}, {'a': 1}, {'a': 1}]
    """
    return [dict(maps[subtask % len(maps)]) for subtask in range(parallelism)]


def redistribute(before: Sequence[OperatorStates], parallelism: int) -> list[OperatorStates]:
    """Deal out the states of all former subtasks; with the same parallelism, each keeps its split lists and maps."""
    after = [OperatorStates() for _ in range(parallelism)]
    start = 0
    for name in _names([states.split for states in before]):
        lists = [states.split.get(name, []) for states in before]
        if len(before) == parallelism:
            dealt = lists
        else:
            dealt, start = split_evenly(lists, parallelism, start)
        for states, elements in zip(after, dealt, strict=True):
            states.split[name] = list(elements)
    for name in _names([states.union for states in before]):
        unions = union_of([states.union.get(name, []) for states in before], parallelism)
        for states, elements in zip(after, unions, strict=True):
            states.union[name] = elements
    for name in _names([states.broadcast for states in before]):
        holders = [states.broadcast[name] for states in before if name in states.broadcast]
        for states, entries in zip(after, copies_of(holders, parallelism), strict=True):
            states.broadcast[name] = entries
    return after


def redistribute_carried(carried: Sequence[Any], parallelism: int, title: str) -> list[Any]:
    """Deal out what the former subtasks of an operator carried: its operator states, and nothing else of it."""
    if not any(isinstance(one, CarriedStates) for one in carried):
        return [None] * parallelism
    # A subtask that never ran has carried nothing.
    all_carried = [one if isinstance(one, CarriedStates) else CarriedStates(NOTHING) for one in carried]
    states = redistribute([OperatorStates.unpack(one.states) for one in all_carried], parallelism)
    rests = redistribute_carried([one.rest for one in all_carried], parallelism, title)
    number = max(one.number for one in all_carried)
    return [CarriedStates(own.pack(title), rest, number) for own, rest in zip(states, rests, strict=True)]


def _names(states: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names in all of them, in a fixed order."""
    return sorted({name for one in states for name in one})
