"""Rows under numbers: whoever moves them around moves numbers, and makes columns in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.table.arrow_types import column_of_plain
from flott.table.runtime.changes import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from flott.table.runtime.changes import Row


class RowPool:
    """The rows of a batch, numbered from 0, and after them rows from state.

    A row that is wanted often is thus made into values of columns once, or never if it came with the batch.

    >>> pool = RowPool([pa.array([7, 8])], [pa.int64()], 2)
    >>> pool.add([(9,)])
    [2]
    >>> pool.columns(np.array([1, 2, 1]))[0].to_pylist()
    [8, 9, 8]
    """

    __slots__ = ("_columns", "_length", "_types", "rows")

    def __init__(self, columns: Sequence[Any], types: Sequence[Any], length: int) -> None:
        self._columns = columns
        self._types = types
        self._length = length
        self.rows = rows_of(columns, length)

    def add(self, rows: list[Row]) -> list[int]:
        """Number more rows."""
        start = len(self.rows)
        self.rows += rows
        return list(range(start, len(self.rows)))

    def columns(self, numbers: NDArray[np.int64]) -> list[Any]:
        """Return the columns of the rows with these numbers."""
        stored = numbers >= self._length
        # Of the rows from state, only those that are wanted.
        wanted, places = np.unique(numbers[stored], return_inverse=True)
        chosen = numbers.copy()
        chosen[stored] = places + self._length
        more = list(zip(*map(self.rows.__getitem__, wanted.tolist()), strict=True)) or [()] * len(self._types)
        return [
            pa.concat_arrays([column.cast(kind), column_of_plain(list(values), kind)]).take(pa.array(chosen))
            for column, values, kind in zip(self._columns, more, self._types, strict=True)
        ]
