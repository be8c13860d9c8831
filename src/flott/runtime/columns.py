"""Records in columns: a batch as Arrow arrays, which becomes Python objects only for whoever asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.common.types import rows_of
from flott.runtime.batch import Batch
from flott.runtime.column_keys import key_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

TIMES = "__time__"
"""The column of timestamps, while a batch travels."""


@dataclass(frozen=True, slots=True)
class RecordShape:
    """What a record of a column batch is as a Python object: a Row with these names, or a plain tuple."""

    names: tuple[str, ...]
    tuples: bool = False

    def records(self, columns: Sequence[Any]) -> list[Any]:
        """Return records from lists of the values of their fields."""
        return list(zip(*columns, strict=True)) if self.tuples else list(rows_of(self.names, columns))


class ColumnBatch(Batch):
    """Named columns of equal length, and a column of timestamps or none.

    ``values`` and ``stamps`` are there as in every batch, made when they are first asked for.

    >>> batch = ColumnBatch.of({"user": ["ann", "bob"], "amount": [3, 4]}, times=[10, 20])
    >>> len(batch), batch.stamps, batch.values
    (2, [10, 20], [Row(user='ann', amount=3), Row(user='bob', amount=4)])
    """

    __slots__ = ("_records", "_stamps", "arrays", "shape", "times")

    columnar = True

    def __init__(self, arrays: tuple[Any, ...], shape: RecordShape, times: NDArray[np.int64] | None = None) -> None:
        self.arrays = arrays
        """A ``pyarrow.Array`` per field, in the order of the shape's names."""
        self.shape = shape
        self.times = times
        self._records: list[Any] | None = None
        self._stamps: list[int | None] | None = None

    @staticmethod
    def of(
        columns: Mapping[str, Any], times: Sequence[int] | NDArray[np.int64] | None = None, *, tuples: bool = False
    ) -> ColumnBatch:
        """Make a batch of columns by name: Arrow or numpy arrays, or lists."""
        arrays = tuple(as_array(column) for column in columns.values())
        stamps = None if times is None else np.asarray(times, np.int64)
        return ColumnBatch(arrays, RecordShape(tuple(columns), tuples), stamps)

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __repr__(self) -> str:
        return f"ColumnBatch({', '.join(self.shape.names)}; {len(self)} records)"

    # As records

    @property
    def values(self) -> list[Any]:  # type: ignore[override]
        """The records, as Python objects."""
        if self._records is None:
            self._records = self.shape.records([array.to_pylist() for array in self.arrays])
        return self._records

    @property
    def stamps(self) -> list[int | None] | None:  # type: ignore[override]
        """The timestamps, as Python numbers."""
        if self._stamps is None and self.times is not None:
            self._stamps = self.times.tolist()
        return self._stamps

    # As columns

    def column(self, name: str) -> Any:
        """Return the column of a field."""
        return self.arrays[self.shape.names.index(name)]

    def has(self, name: str | int) -> bool:
        """Say whether there is a column of that name."""
        return name in self.shape.names

    def stamped(self, times: NDArray[np.int64]) -> ColumnBatch:
        """Return the same records with other timestamps."""
        return ColumnBatch(self.arrays, self.shape, times)

    def view(self) -> ColumnBatch:
        """Return a batch over the same columns, which makes objects of its own where somebody asks for them."""
        return ColumnBatch(self.arrays, self.shape, self.times)

    def highest(self) -> int | None:
        """Return the largest timestamp."""
        return None if self.times is None or not len(self.times) else int(self.times.max())

    def take(self, positions: NDArray[np.intp]) -> ColumnBatch:
        """Return the records at some positions."""
        indices = pa.array(positions)
        times = None if self.times is None else self.times[positions]
        return ColumnBatch(tuple(array.take(indices) for array in self.arrays), self.shape, times)

    def scatter(self, name: str, parallelism: int, max_parallelism: int) -> Iterator[tuple[int, ColumnBatch]]:
        """Cut the batch into one per subtask that owns keys of it, order kept."""
        targets = key_groups(self.column(name), max_parallelism) * parallelism // max_parallelism
        for target in range(parallelism):
            positions = np.flatnonzero(targets == target)
            if len(positions) == len(self):
                yield target, self
            elif len(positions):
                yield target, self.take(positions)

    # Travelling

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        names = [f"{number}" for number in range(len(self.arrays))]
        arrays = list(self.arrays)
        if self.times is not None:
            names.append(TIMES)
            arrays.append(pa.array(self.times))
        batch = pa.RecordBatch.from_arrays(arrays, names=names)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return _arrived, (sink.getvalue().to_pybytes(), self.shape)


def _arrived(data: bytes, shape: RecordShape) -> ColumnBatch:
    batch = pa.ipc.open_stream(data).read_next_batch()
    times = batch.column(TIMES).to_numpy() if batch.schema.names[-1] == TIMES else None
    return ColumnBatch(tuple(batch.columns[: len(shape.names)]), shape, times)


def as_array(column: Any) -> Any:
    """Return an Arrow array in one piece."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    return column if isinstance(column, pa.Array) else pa.array(column)
