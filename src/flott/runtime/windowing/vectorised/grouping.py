"""Grouping in memory: which rows belong to the same key and pane, and sums, minima and the like over them.

Keys become numbers from 0 on, by a dictionary; then every aggregate is one pass of numpy over an array that is
addressed by these numbers. That is several times faster than sorting, or than hashing key and pane together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.errors import FlottError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL_RANGE = 65_536
FEW_PANES = 64
SAFE_SUM = 2**62


class Groups:
    """Rows grouped by key and pane; the groups are in the order of panes."""

    def __init__(self, keys: Any, panes: NDArray[np.int64], length: int) -> None:
        codes, distinct, low = key_codes(keys)
        width = len(distinct) if distinct is not None else int(codes.max()) + 1
        starts, places = _places(panes, length)
        size = width * len(starts)
        if places is not None:
            codes = places * width + codes
        if size > max(8 * len(codes), SMALL_RANGE * FEW_PANES):
            used, codes = np.unique(codes, return_inverse=True)
            counts = np.bincount(codes, minlength=len(used))
            present, size = used, len(used)
            self._chosen: NDArray[np.intp] | None = None
        else:
            counts = np.bincount(codes, minlength=size)
            present = np.flatnonzero(counts)
            self._chosen = None if len(present) == size else present
        self._codes = codes
        self._size = size
        self.counts: NDArray[np.int64] = self._pick(counts).astype(np.int64, copy=False)
        """How many rows each group has."""
        used_keys = present % width if places is not None else present
        self.keys: Any = (
            pa.array(used_keys + low, keys.type) if distinct is None else distinct.take(pa.array(used_keys))
        )
        self.panes: NDArray[np.int64] = (
            starts[present // width] if places is not None else np.full(len(present), starts[0], np.int64)
        )

    def __len__(self) -> int:
        return len(self.counts)

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of each group: of whole numbers exactly, or not at all."""
        if values.dtype.kind == "f":
            return self._pick(np.bincount(self._codes, values, self._size))
        sums = np.zeros(self._size, np.int64)
        np.add.at(sums, self._codes, values)
        if may_overflow(values):
            about: NDArray[Any] = np.bincount(self._codes, values.astype(np.float64), self._size)
            check_sums(about)
        return self._pick(sums)

    def min(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the smallest value of each group."""
        floating = values.dtype.kind == "f"
        least = np.full(self._size, np.nan if floating else np.iinfo(np.int64).max, values.dtype)
        (np.fmin if floating else np.minimum).at(least, self._codes, values)
        return self._pick(least)

    def max(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value of each group."""
        floating = values.dtype.kind == "f"
        most = np.full(self._size, np.nan if floating else np.iinfo(np.int64).min, values.dtype)
        (np.fmax if floating else np.maximum).at(most, self._codes, values)
        return self._pick(most)

    def first(self) -> NDArray[np.intp]:
        """Return the position of the first row of each group."""
        positions = np.empty(self._size, np.intp)
        # Where an index comes twice, the last assignment counts: so the rows are gone over backwards.
        positions[self._codes[::-1]] = np.arange(len(self._codes) - 1, -1, -1)
        return self._pick(positions)

    def _pick(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._chosen is None else values[self._chosen]


def may_overflow(values: NDArray[np.int64]) -> bool:
    """Say whether sums of these numbers have to be looked at more closely."""
    return max(abs(int(values.min())), abs(int(values.max()))) * len(values) >= SAFE_SUM


def check_sums(about: NDArray[np.float64]) -> None:
    """Raise an error if one of these sums, as floating point numbers, is too large for 64 bits."""
    if np.abs(about).max() >= SAFE_SUM:
        raise sum_too_large()


def sum_too_large() -> FlottError:
    """Return the error that says so."""
    return FlottError(
        "a sum of whole numbers does not fit in 64 bits; declare the field as Types.DOUBLE(), or key by a "
        "function instead of a field name, so that Python's numbers of any size are used"
    )


def key_codes(keys: Any) -> tuple[NDArray[np.intp], Any, int]:
    """Return a number for each key, and the keys by number; None for them if a number is a key less ``low``."""
    if pa.types.is_integer(keys.type) and keys.null_count == 0:
        values = keys.to_numpy(zero_copy_only=False)
        low, high = int(values.min()), int(values.max())
        if high - low < max(2 * len(values), SMALL_RANGE):
            return (values.astype(np.int64, copy=False) - low).astype(np.intp, copy=False), None, low
    encoded = keys.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.intp), encoded.dictionary, 0


def _places(panes: NDArray[np.int64], length: int) -> tuple[NDArray[np.int64], NDArray[np.intp] | None]:
    """Return the panes that may occur, in order, and the place among them of each row's; None if there is but one."""
    low, high = int(panes.min()), int(panes.max())
    if low == high:
        return np.array([low], np.int64), None
    spread = (high - low) // length + 1
    if spread <= FEW_PANES:
        return low + np.arange(spread, dtype=np.int64) * length, ((panes - low) // length).astype(np.intp, copy=False)
    return np.unique(panes, return_inverse=True)
