"""What the harness has sent through which edge, into which state, on which runner: counted by what came out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CELLS: Counter[tuple[str, str, str]] = Counter()
"""Edge, state and runner → records that were compared."""


def empty_cells(edges: Iterable[str], states: Iterable[str], runner: str) -> list[tuple[str, str]]:
    """Return the pairs of edge and state through which nothing has come on a runner."""
    states = list(states)
    return [(edge, state) for edge in edges for state in states if not CELLS[edge, state, runner]]


def table(edges: Iterable[str], states: Iterable[str]) -> Iterator[str]:
    """Return a table of each runner: records by edge and state."""
    edges = list(edges)
    width = max(map(len, states := list(states))) + 2
    for runner in sorted({runner for _, _, runner in CELLS}):
        yield f"records compared on {runner}, by state and edge"
        yield " " * width + "".join(f"{edge:>12}" for edge in edges)
        for state in states:
            yield f"{state:<{width}}" + "".join(f"{CELLS[edge, state, runner]:>12}" for edge in edges)
