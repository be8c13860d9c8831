"""Grouping by sessions: stretches of time of a key that overlap or touch are one run.

Rows are sorted by key and time; a run ends where the next stretch starts after all before it have ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.windowing.vectorised.grouping import check_sums, key_codes, may_overflow

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 2**62


class Runs:
    """Rows grouped by key and session; the groups are in the order of keys and times.

    >>> runs = Runs(pa.array(["a", "b", "a", "a"]), np.array([0, 3, 20, 8]), np.array([10, 13, 30, 18]))
    >>> runs.keys.to_pylist(), runs.panes.tolist(), runs.ends.tolist(), runs.counts.tolist()
    (['a', 'a', 'b'], [0, 20, 3], [18, 30, 13], [2, 1, 1])
    """

    def __init__(self, keys: Any, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        codes, distinct, low = key_codes(keys)
        base, places = _places(codes, starts, ends)
        order = np.argsort(base + places[0])
        base = base[order]
        # A key's places are all above those of the keys before, so that one running maximum does for all.
        furthest = np.maximum.accumulate(base + places[1][order])
        begins = np.concatenate([[True], (base + places[0][order])[1:] > furthest[:-1]])
        self._order = order
        self._begins = np.flatnonzero(begins)
        first = codes[order[self._begins]]
        self.keys: Any = pa.array(first + low, keys.type) if distinct is None else distinct.take(pa.array(first))
        self.panes: NDArray[np.int64] = starts[order[self._begins]]
        """Where the sessions start."""
        self.ends: NDArray[np.int64] = self.max(ends)
        self.counts: NDArray[np.int64] = np.diff(self._begins, append=len(order)).astype(np.int64, copy=False)

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of each run: of whole numbers exactly, or not at all."""
        ordered = values[self._order]
        if values.dtype.kind != "f" and may_overflow(values):
            check_sums(np.add.reduceat(ordered.astype(np.float64), self._begins))
        sums: NDArray[Any] = np.add.reduceat(ordered, self._begins)
        return sums

    def min(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the smallest value of each run."""
        least = np.fmin if values.dtype.kind == "f" else np.minimum
        found: NDArray[Any] = least.reduceat(values[self._order], self._begins)
        return found

    def max(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value of each run."""
        most = np.fmax if values.dtype.kind == "f" else np.maximum
        found: NDArray[Any] = most.reduceat(values[self._order], self._begins)
        return found

    def first(self) -> NDArray[np.intp]:
        """Return the position of the row that starts each run."""
        positions: NDArray[np.intp] = self._order[self._begins]
        return positions


class Single:
    """Every row a group of its own, in the order they came in."""

    def __init__(self, keys: Any, starts: NDArray[np.int64]) -> None:
        self.keys = keys
        self.panes = starts
        self.counts = np.ones(len(starts), np.int64)

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values."""
        return values

    min = max = sum

    def first(self) -> NDArray[np.intp]:
        """Return the position of each row."""
        return np.arange(len(self.panes))


def _places(
    codes: NDArray[np.intp], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return where the places of each row's key begin, and at which of them it starts and ends."""
    low, high = int(starts.min()), int(ends.max())
    span = high - low + 1
    if (int(codes.max()) + 1) * span < MOST:
        return codes * span, (starts - low, ends - low)
    # Too far apart to be counted in milliseconds: their order is enough.
    _, ranks = np.unique(np.concatenate([starts, ends]), return_inverse=True)
    return codes * len(ranks), (ranks[: len(starts)], ranks[len(starts) :])
