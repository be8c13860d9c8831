"""One job that sends values over every edge and into every state: each value through each pair of them."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING

from tests.values.coverage import CELLS
from tests.values.edges import EDGES, copies, group
from tests.values.fingerprints import fingerprint
from tests.values.states import HELD_AT_THE_END, STATES

if TYPE_CHECKING:
    from tests.values.runs import Run

    from flott.datastream import DataStream

JOB = f"{__name__}:matrix"


def matrix(values: DataStream) -> list[DataStream]:
    """Emit ``(edge, state, value)`` for every edge and every state."""
    arrived = [edge(values).map(named(name)) for name, edge in EDGES.items()]
    together = reduce(union, arrived)
    return [reduce(union, [state(together).map(named_too(name)) for name, state in STATES.items()])]


def union(one, other):
    return one.union(other)


def named(edge):
    return lambda value: (edge, group(value), value)


def named_too(state):
    return lambda pair: (pair[0], state, pair[1])


def check(run: Run, outcome: list[list[str]], runner: str) -> None:
    """Assert that each value came out once for each edge and state, as it went in."""
    found: dict[tuple[str, str], Counter[str]] = {(edge, state): Counter() for edge in EDGES for state in STATES}
    for edge, state, value in outcome:
        found[edge, state][value] += 1
    sent = Counter(map(fingerprint, run.values))
    keys = len(set(map(group, run.values)))
    for (edge, state), came in found.items():
        expected = Counter({value: count * copies(edge, run.parallelism) for value, count in sent.items()})
        place = f"edge {edge!r}, state {state!r} on {runner}"
        assert not came - expected, f"{place}: {list(came - expected)} came out, missing are {list(expected - came)}"
        missing = (expected - came).total()
        held = keys if state in HELD_AT_THE_END else 0
        assert missing <= held, f"{place}: {list(expected - came)} did not come out"
        CELLS[edge, state, runner] += came.total()
