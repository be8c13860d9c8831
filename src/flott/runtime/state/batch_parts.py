"""Some of the entries of a batch, as batches of their own."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flott.runtime.native import entries
from flott.runtime.state.points import PointBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def widths_of(batch: PointBatch) -> NDArray[np.uint64]:
    """Return how many bytes each entry of a batch takes.

    >>> from flott.runtime.state.points import batch_of
    >>> widths_of(batch_of([b"a", b"b"], [b"one", None])).tolist()
    [14, 11]
    """
    return np.diff(batch.starts, append=np.uint64(len(batch.data)))


def chosen(batch: PointBatch, numbers: NDArray[Any]) -> PointBatch:
    """Return some entries of a batch.

    >>> from flott.runtime.state.points import batch_of
    >>> list(chosen(batch_of([b"a", b"b", b"c"], [b"1", b"22", b"3"]), np.array([0, 2])).entries())
    [(b'a', b'1'), (b'c', b'3')]
    """
    if len(numbers) == len(batch.starts):
        return batch
    return gathered(batch.data, batch.starts[numbers], widths_of(batch)[numbers])


def gathered(data: Any, starts: NDArray[np.uint64], widths: NDArray[np.uint64]) -> PointBatch:
    """Return entries that begin anywhere in some bytes, one behind the other."""
    if entries is not None:
        content = entries.gather(data, starts, widths)
    else:
        ends = (starts + widths).tolist()
        content = b"".join(data[begin:end] for begin, end in zip(starts.tolist(), ends, strict=True))
    return PointBatch(np.cumsum(widths) - widths, content)


def cut(batch: PointBatch, size: int) -> Iterator[PointBatch]:
    """Cut a batch into parts of about so many bytes; an entry stays in one piece, and a part has one at least.

    >>> from flott.runtime.state.points import batch_of
    >>> [len(part.starts) for part in cut(batch_of([b"a", b"b", b"c"], [b"1", b"2" * 50, b"3"]), 20)]
    [2, 1]
    """
    total = len(batch.starts)
    bounds: NDArray[Any] = np.searchsorted(batch.starts, np.arange(0, len(batch.data), size, dtype=np.uint64))
    for first, end in pairwise([*np.unique(bounds[bounds < total]).tolist(), total]):
        starts = batch.starts[first:end]
        stop = int(batch.starts[end]) if end < total else len(batch.data)
        yield PointBatch(starts - starts[0], batch.data[int(starts[0]) : stop])
