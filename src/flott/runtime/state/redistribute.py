"""Deals operator state out to the subtasks of a restored job, whose parallelism may be another one."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flott.runtime.keys import DEFAULT_MAX_PARALLELISM, subtask_of_group
from flott.runtime.state.carried import Carried
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


def union_of(before: Sequence[OperatorStates]) -> dict[str, list[Any]]:
    """Return the elements of the union lists of all subtasks, by name.

    >>> union_of([OperatorStates(union={"a": [1]}), OperatorStates(union={"a": [2, 3]})])
    {'a': [1, 2, 3]}
    """
    names = _names([states.union for states in before])
    return {name: [element for states in before for element in states.union.get(name, [])] for name in names}


def copies_of(maps: Sequence[dict[Any, Any]], parallelism: int) -> list[dict[Any, Any]]:
    """Give every subtask a copy: its own, or if it is new, that of another in turn.

    >>> copies_of([{"a": 1}, {"a": 1}], 3)
    [{'a': 1}, {'a': 1}, {'a': 1}]
    """
    return [dict(maps[subtask % len(maps)]) for subtask in range(parallelism)]


def redistribute(
    before: Sequence[OperatorStates], parallelism: int, max_parallelism: int = DEFAULT_MAX_PARALLELISM
) -> list[OperatorStates]:
    """Deal out the states of all former subtasks; with the same parallelism, each keeps its split lists and maps."""
    schemas = {name: schema for states in before for name, schema in states.schemas.items()}
    after = [OperatorStates(schemas=dict(schemas)) for _ in range(parallelism)]
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
        lists = [states.union.get(name, []) for states in before]
        # Each element has one owner; all are brought together when a function starts (`with_unions`).
        own = lists if len(before) == parallelism else split_evenly(lists, parallelism)[0]
        for states, elements in zip(after, own, strict=True):
            states.union[name] = list(elements)
    for name in _names([states.broadcast for states in before]):
        holders = [states.broadcast[name] for states in before if name in states.broadcast]
        for states, entries in zip(after, copies_of(holders, parallelism), strict=True):
            states.broadcast[name] = entries
    raw = [states.raw for states in before]
    for states, partitions in zip(
        after, raw if len(before) == parallelism else split_evenly(raw, parallelism, start)[0], strict=True
    ):
        states.raw.extend(partitions)
    for group, data in ((group, data) for states in before for group, data in states.raw_keyed.items()):
        after[subtask_of_group(group, parallelism, max_parallelism)].raw_keyed[group] = data
    return after


def redistribute_carried(
    carried: Sequence[Any], parallelism: int, title: str, max_parallelism: int = DEFAULT_MAX_PARALLELISM
) -> list[Any]:
    """Deal out what the former subtasks of an operator carried: its operator states, and nothing else of it."""
    if not any(isinstance(one, CarriedStates) for one in carried):
        return [None] * parallelism
    # A subtask that never ran has carried nothing.
    all_carried = [one if isinstance(one, CarriedStates) else CarriedStates(NOTHING) for one in carried]
    states = redistribute([OperatorStates.unpack(one.states) for one in all_carried], parallelism, max_parallelism)
    unions = packed_union(all_carried)
    rests = redistribute_carried([one.rest for one in all_carried], parallelism, title, max_parallelism)
    number = max(one.number for one in all_carried)
    return [CarriedStates(own.pack(title), rest, number, unions) for own, rest in zip(states, rests, strict=True)]


def with_unions(carried: Sequence[bytes]) -> list[bytes]:
    """Return what the subtasks of a vertex carry over, each with the elements of all in its union lists.

    What each subtask calls its own stays as it is, so that this may be done again.
    """
    unpacked = [Carried.unpack(one) for one in carried]
    kept_by = [one.operators for one in unpacked]
    shared = False
    for operator in {name for one in kept_by for name, kept in one.items() if isinstance(kept, CarriedStates)}:
        holders = [one for one in kept_by if isinstance(one.get(operator), CarriedStates)]
        if all(one[operator].unions is None for one in holders):
            continue
        shared = True
        union = packed_union([one[operator] for one in holders])
        for one in holders:
            one[operator] = replace(one[operator], unions=union)
    return [one.pack() for one in unpacked] if shared else list(carried)


def packed_union(carried: Sequence[CarriedStates]) -> bytes | None:
    """Return the elements of the union lists of all subtasks, pickled; None if there are no such lists."""
    union = union_of([OperatorStates.unpack(one.states) for one in carried])
    return pickle.dumps(union, 5) if union else None


def _names(states: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names in all of them, in a fixed order."""
    return sorted({name for one in states for name in one})
