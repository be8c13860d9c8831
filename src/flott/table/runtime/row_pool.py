"""Rows under numbers: changes are told by number, and made of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.table.arrow_types import column_of_plain
from flott.table.runtime.changes import pack, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.runtime.columns import ColumnBatch
    from flott.table.runtime.changes import Row


class RowPool:
    """The rows of a batch, numbered from 0, and after them rows from state.

    A row that is told often is thus made into values of columns once, or never if it came with the batch.

    >>> pool = RowPool([pa.array([7, 8])], [pa.int64()], 2)
    >>> pool.add([(9,)])
    [2]
    >>> pool.kinds += [0, 3, 0]
    >>> pool.told += [1, 1, 2]
    >>> pool.take().values
    [(8, 0), (8, 3), (9, 0)]
    """

    __slots__ = ("_columns", "_length", "_types", "kinds", "places", "rows", "told")

    def __init__(self, columns: Sequence[Any], types: Sequence[Any], length: int) -> None:
        self._columns = columns
        self._types = types
        self._length = length
        self.rows = rows_of(columns, length)
        self.kinds: list[int] = []
        self.told: list[int] = []
        """The numbers of the rows of the changes."""
        self.places: list[int] = []
        """Where the changes say so, the places of their rows."""

    def add(self, rows: list[Row]) -> list[int]:
        """Number more rows."""
        start = len(self.rows)
        self.rows += rows
        return list(range(start, len(self.rows)))

    def tell(self, kind: int, number: int) -> None:
        """Add a change."""
        self.kinds.append(kind)
        self.told.append(number)

    def take(self) -> ColumnBatch | None:
        """Return the changes as a batch; None if there are none."""
        if not self.told:
            return None
        told = np.array(self.told, np.int64)
        stored = told >= self._length
        # Of the rows from state, only those that are told.
        wanted, places = np.unique(told[stored], return_inverse=True)
        told[stored] = places + self._length
        more = list(zip(*map(self.rows.__getitem__, wanted.tolist()), strict=True)) or [()] * len(self._types)
        made = [
            pa.concat_arrays([column.cast(kind), column_of_plain(list(values), kind)]).take(pa.array(told))
            for column, values, kind in zip(self._columns, more, self._types, strict=True)
        ]
        if self.places:
            made.append(pa.array(self.places, pa.int64()))
        return pack(made, np.array(self.kinds, np.int8))
