"""What it costs to emit a record that its function keeps: nanoseconds of CPU time, against pipeline.object-reuse.

``PYTHONPATH=src python benchmarks/emission_cost.py``: each figure is the least of many rounds, so that a busy machine
changes it little. ``FLOTT_PURE=1`` measures without compiled code.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from flott.common import Row
from flott.runtime.emission import emission

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDS = 20_000
ROUNDS = 60


@dataclass
class Order:
    """A record as programs have it."""

    user: str
    amount: float


KEPT: dict[str, Callable[[], Any]] = {
    "tuple of strings and numbers": lambda: ("ann", 1, 2.5),
    "dict with 3 keys": lambda: {"user": "ann", "n": 1, "price": 2.5},
    "dict with 10 keys": lambda: {f"f{number}": number for number in range(10)},
    "Row with 3 names": lambda: Row(user="ann", n=1, price=2.5),
    "Row without names": lambda: Row("ann", 1, 2.5),
    "list of 3 numbers": lambda: [1, 2, 3],
    "tuple with a list": lambda: ("ann", [1, 2, 3]),
    "dataclass": lambda: Order("ann", 2.5),
    "dict of dicts": lambda: {"user": {"name": "ann"}, "cart": {"n": 1}},
}


def cost(make: Callable[[], Any], *, object_reuse: bool) -> float:
    """Return the nanoseconds of a map that returns one object for each record."""
    map_into, kept, records = emission(object_reuse=object_reuse).map_into, make(), list(range(RECORDS))
    rounds = []
    for _ in range(ROUNDS):
        values: list[Any] = []
        before = thread_time_ns()
        map_into(values, lambda _: kept, records)
        rounds.append(thread_time_ns() - before)
    return min(rounds) / RECORDS


def main() -> None:
    """Print a line for each kind of record."""
    for name, make in KEPT.items():
        copied, reused = cost(make, object_reuse=False), cost(make, object_reuse=True)
        sys.stdout.write(f"{name:30} {copied - reused:6.0f} ns a record ({copied:.0f} instead of {reused:.0f})\n")


if __name__ == "__main__":
    main()
