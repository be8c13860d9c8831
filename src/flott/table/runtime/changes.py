"""Batches of changes: columns by position, and a column of row kinds unless all rows are additions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.runtime.columns import ColumnBatch, RecordShape
from flott.table.arrow_types import column_of_plain, plain_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

KIND = "$kind"
"""The column of row kinds, as RowKind numbers them."""

INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = 0, 1, 2, 3
GONE = (UPDATE_BEFORE, DELETE)
"""Changes that take a row back."""

Kinds: TypeAlias = "NDArray[np.int8] | None"
Row: TypeAlias = tuple[Any, ...]


@lru_cache(maxsize=1024)
def _shape(width: int, changing: bool) -> RecordShape:
    names = tuple(f"c{position}" for position in range(width))
    return RecordShape((*names, KIND) if changing else names, tuples=True)


def pack(columns: Sequence[Any], kinds: Kinds, times: NDArray[np.int64] | None = None) -> ColumnBatch:
    """Make a batch of columns.

    >>> batch = pack([pa.array([1, 2])], np.array([0, 3], np.int8))
    >>> batch.values
    [(1, 0), (2, 3)]
    """
    if kinds is None:
        return ColumnBatch(tuple(columns), _shape(len(columns), changing=False), times)
    return ColumnBatch((*columns, pa.array(kinds, pa.int8())), _shape(len(columns), changing=True), times)


def unpack(batch: Any) -> tuple[tuple[Any, ...], Kinds]:
    """Return the columns of a batch, and the kinds of its rows; None if all are additions."""
    if batch.shape.names[-1] == KIND:
        return batch.arrays[:-1], batch.arrays[-1].to_numpy(zero_copy_only=False)
    return batch.arrays, None


def rows_of(columns: Sequence[Any], length: int) -> list[Row]:
    """Return the rows of some columns, as stateful operators see them."""
    return list(zip(*map(plain_values, columns), strict=True)) if columns else [()] * length


def keys_of(columns: Sequence[Any], positions: Sequence[int], length: int) -> list[Any]:
    """Return the key of each row: the value of the one key column, or a tuple of several."""
    if len(positions) == 1:
        return plain_values(key_column(columns[positions[0]]))
    return rows_of([key_column(columns[position]) for position in positions], length)


def key_column(column: Any) -> Any:
    """Return a column of keys as what follows has it: 0.0 for -0.0, which is the same key.

    >>> key_column(pa.array([-0.0, 1.5])).to_pylist()
    [0.0, 1.5]
    """
    return pc.add(column, pa.scalar(0.0, column.type)) if pa.types.is_floating(column.type) else column


class ChangesOut:
    """Gathers rows that an operator makes, and turns them into a batch."""

    __slots__ = ("_append_only", "_types", "kinds", "rows")

    def __init__(self, types: Sequence[Any], *, append_only: bool) -> None:
        self._types = tuple(types)
        self._append_only = append_only
        self.rows: list[Row] = []
        self.kinds: list[int] = []

    def add(self, kind: int, row: Row) -> None:
        """Add a change."""
        self.kinds.append(kind)
        self.rows.append(row)

    def take(self) -> ColumnBatch | None:
        """Return what was gathered as a batch; None if it is nothing."""
        if not self.rows:
            return None
        columns = [
            column_of_plain(list(values), kind)
            for values, kind in zip(zip(*self.rows, strict=True), self._types, strict=True)
        ]
        kinds = None if self._append_only else np.array(self.kinds, np.int8)
        self.rows, self.kinds = [], []
        return pack(columns, kinds)
