"""Panes: stretches of time whose records belong to the same windows."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np

from flott.runtime.windowing.assigners import (
    CumulativeEventTimeWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.windowing.windows import TimeWindow

MOST_PANES = 4096
"""A window of more panes than this is better kept as a whole."""

MANY_PANES = 10_000


class PaneGrid:
    """How time is cut so that every window of an assigner is made of whole panes.

    >>> from flott.runtime.windowing.assigners import SlidingEventTimeWindows
    >>> grid = PaneGrid(SlidingEventTimeWindows.of(10, 4))
    >>> grid.length, grid.panes_of_times(np.array([11, 12])).tolist()
    (2, [10, 12])
    >>> grid.windows(10)
    [TimeWindow(start=4, end=14), TimeWindow(start=8, end=18)]
    """

    def __init__(self, assigner: Any) -> None:
        self.assigner = assigner
        self.length, self.offset = _length_and_offset(assigner)
        self._windows: dict[int, list[TimeWindow]] = {}

    @staticmethod
    def fits(assigner: Any) -> bool:
        """Say whether the windows of an assigner are made of panes, and not of too many."""
        kind = type(assigner)
        if kind is TumblingEventTimeWindows:
            return bool(assigner.stagger_offset == 0)
        if kind is SlidingEventTimeWindows:
            # Between windows that leave gaps, each record has to be looked at to know which ones are late.
            slide, size = assigner._slide, assigner._size  # noqa: SLF001 - the two know each other
            return bool(slide <= size and size // gcd(slide, size) <= MOST_PANES)
        return kind is CumulativeEventTimeWindows and assigner._max_size // assigner._step <= MOST_PANES  # noqa: SLF001

    def panes_of_times(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the pane of each timestamp starts."""
        low, high = int(times.min()), int(times.max())
        first = low - (low - self.offset) % self.length
        if high < first + self.length:
            return np.full(len(times), first, np.int64)
        return times - (times - self.offset) % self.length

    def windows(self, pane: int) -> list[TimeWindow]:
        """Return the windows of a pane, those that end first before the others."""
        known = self._windows.get(pane)
        if known is None:
            if len(self._windows) >= MANY_PANES:
                self._windows.clear()
            windows = self.assigner.assign_windows(None, pane, None)
            known = self._windows[pane] = sorted(windows, key=lambda window: window.end)
        return known

    def panes(self, window: TimeWindow) -> range:
        """Return the panes of a window, in the order of time."""
        return range(window.start, window.end, self.length)


def _length_and_offset(assigner: Any) -> tuple[int, int]:
    if isinstance(assigner, CumulativeEventTimeWindows):
        return assigner._step, assigner._offset  # noqa: SLF001 - the two know each other
    size = assigner._size  # noqa: SLF001
    return gcd(size, getattr(assigner, "_slide", size)), assigner._offset  # noqa: SLF001
