"""Dewey numbers: versions of partial matches that grow out of each other, as plain tuples.

A match that takes an event gets a digit more; matches that part ways differ in a digit. So a version tells which of
the ways through the shared buffer is one's own.
"""

from __future__ import annotations

__all__ = ["FIRST", "Version", "add_stage", "increase", "is_compatible"]

Version = tuple[int, ...]

FIRST: Version = (1,)


def increase(version: Version, by: int) -> Version:
    """Return a sibling.

    >>> increase((1, 0), 2)
    (1, 2)
    """
    return (*version[:-1], version[-1] + by) if by else version


def add_stage(version: Version) -> Version:
    """Return the first child.

    >>> add_stage((1, 2))
    (1, 2, 0)
    """
    return (*version, 0)


def is_compatible(version: Version, with_edge: Version) -> bool:
    """Say whether a match of ``version`` may go back over an edge: the edge is its own, or an ancestor's.

    >>> is_compatible((1, 2, 0), (1, 2)), is_compatible((1, 2), (1, 0)), is_compatible((1, 0), (1, 2))
    (True, True, False)
    """
    length, other = len(version), len(with_edge)
    if length > other:
        return version[:other] == with_edge
    return length == other and version[:-1] == with_edge[:-1] and version[-1] >= with_edge[-1]
