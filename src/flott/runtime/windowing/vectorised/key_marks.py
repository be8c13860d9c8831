"""Marks: a number for each key of a column, by which rows of keys are found in other columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

FACTOR = 0x9E3779B97F4A7C15


def key_marks(keys: Any) -> NDArray[np.int64]:
    """Return a number for each key, the same for equal ones. Different keys may have the same, but rarely do.

    >>> marks = key_marks(pa.array(["ann", "bob", None, "ann", ""]))
    >>> bool(marks[0] == marks[3]), len(set(marks.tolist()))
    (True, 4)
    >>> key_marks(pa.array([7, -1])).tolist()
    [7, -1]
    """
    if pa.types.is_boolean(keys.type):
        keys = keys.cast(pa.int8())
    if pa.types.is_integer(keys.type):
        whole: NDArray[np.int64] = keys.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        return whole
    return _marks_of_texts(keys)


def distinct(marks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return marks in order, each once: by sorting, which beats the hashing of ``np.unique`` by far."""
    ordered = np.sort(marks)
    return ordered[np.append(ordered[1:] != ordered[:-1], True)] if len(ordered) else ordered


def _marks_of_texts(keys: Any) -> NDArray[np.int64]:
    """Sum up the bytes of each text, each times a power of a large odd number, modulo 2 to the 64."""
    binary = keys.cast(pa.large_binary())
    _, offsets, data = binary.buffers()
    ends = np.frombuffer(offsets, np.int64)[binary.offset : binary.offset + len(binary) + 1]
    first, last = int(ends[0]), int(ends[-1])
    lengths = np.diff(ends)
    marks = lengths.astype(np.uint64)
    if last > first:
        values = np.frombuffer(data, np.uint8)[first:last].astype(np.uint64) + np.uint64(1)
        values *= _powers(int(lengths.max()))[np.arange(last - first) - np.repeat(ends[:-1] - first, lengths)]
        filled = lengths > 0
        marks[filled] += np.add.reduceat(values, ends[:-1][filled] - first)
    if keys.null_count:
        marks[keys.is_null().to_numpy(zero_copy_only=False)] = np.uint64(FACTOR)
    return marks.view(np.int64)


def _powers(count: int) -> NDArray[np.uint64]:
    return np.cumprod(np.full(count, FACTOR, np.uint64), dtype=np.uint64)
