"""Puts rows into windows: a row for each of its windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.table.runtime.changes import pack, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.table.plan.nodes import Windows

MILLI = 1000


def times_of(column: Any, title: str) -> NDArray[np.int64]:
    """Return event time in milliseconds; each row must have one."""
    if column.null_count:
        raise FlottError(f"{title}: event time is NULL in a row; leave such rows out: WHERE at IS NOT NULL")
    return np.asarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False) // MILLI, np.int64)


def windows_of(
    windows: Windows, times: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """Return for each row and window: the row's position, and the window's start and end.

    >>> from flott.table.plan.nodes import Windows
    >>> [part.tolist() for part in windows_of(Windows("HOP", 10, 5), np.array([7]))]
    [[0, 0], [0, 5], [10, 15]]
    """
    size, slide, offset = windows.size, windows.slide, windows.offset
    positions = np.arange(len(times))
    if windows.kind == "TUMBLE":
        starts = times - (times - offset) % size
        return positions, starts, starts + size
    if windows.kind == "HOP":
        count = -(-size // slide)
        last = times - (times - offset) % slide
        starts = (last[:, None] - np.arange(count - 1, -1, -1) * slide).ravel()
        where = np.repeat(positions, count)
        inside = starts + size > times[where]
        return where[inside], starts[inside], starts[inside] + size
    start = times - (times - offset) % size
    steps = size // slide
    ends = (start[:, None] + np.arange(1, steps + 1) * slide).ravel()
    where = np.repeat(positions, steps)
    inside = ends > times[where]
    return where[inside], start[where][inside], ends[inside]


class WindowExpand(Operator):
    """Hands on each row once for each of its windows, with the window's bounds as columns."""

    def __init__(self, time: int, windows: Windows, kind: Any, *, processing: bool = False) -> None:
        self.time = time
        self.processing = processing
        """Whether a row is in the windows of the moment at which it comes here."""
        self.windows = windows
        self.kind = kind
        """The Arrow type of the window's own event time."""

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        if self.processing:
            times = np.full(len(batch), self.context.clock.now(), np.int64)
        else:
            times = times_of(columns[self.time], self.context.title)
        where, starts, ends = windows_of(self.windows, times)
        if not len(where):
            return
        indices = pa.array(where)
        wide = [column.take(indices) for column in columns]
        bound = pa.timestamp("us")
        for micros, kind in ((starts * MILLI, bound), (ends * MILLI, bound), ((ends - 1) * MILLI, self.kind)):
            wide.append(pa.array(micros, pa.int64()).cast(kind))
        self.output.emit(pack(wide, None if kinds is None else kinds[where]))
