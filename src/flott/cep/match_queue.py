"""Partial matches in a queue, the one that started first at the front.

A binary heap in a plain list, so that it can be stored as it is. Matches that started with the same event keep the
places that Flink's queue gives them: which of them counts as first decides what a skip strategy leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NEVER_STARTED", "START", "PartialMatch", "add", "keep", "take_first"]

PartialMatch = tuple[Any, ...]
"""(start event, state, node, version, start time, time of the last event). Plain tuples: there are many."""

START = 0
"""Position of the number of the start event in a partial match."""

NEVER_STARTED = 2**63
"""The start event of a match that has none yet: it is behind all others."""


def add(queue: list[PartialMatch], match: PartialMatch) -> None:
    """Put a match in."""
    position = len(queue)
    queue.append(match)
    start = match[START]
    while position:
        above = (position - 1) >> 1
        other = queue[above]
        if start >= other[START]:
            break
        queue[position] = other
        position = above
    queue[position] = match


def take_first(queue: list[PartialMatch]) -> PartialMatch:
    """Take out the match that started first."""
    first = queue[0]
    last = queue.pop()
    if queue:
        _sink(queue, 0, last)
    return first


def keep(queue: list[PartialMatch], wanted: Callable[[PartialMatch], bool]) -> None:
    """Drop the matches that are not wanted."""
    rest = [match for match in queue if wanted(match)]
    if len(rest) == len(queue):
        return
    queue[:] = rest
    for position in reversed(range(len(queue) >> 1)):
        _sink(queue, position, queue[position])


def _sink(queue: list[PartialMatch], position: int, match: PartialMatch) -> None:
    """Put a match where a free place is, or below."""
    start = match[START]
    size = len(queue)
    half = size >> 1
    while position < half:
        child = 2 * position + 1
        right = child + 1
        if right < size and queue[child][START] > queue[right][START]:
            child = right
        if start <= queue[child][START]:
            break
        queue[position] = queue[child]
        position = child
    queue[position] = match
