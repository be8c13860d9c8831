"""Partials: what records of a key in a pane amount to so far, in columns; and how they are made and merged."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from flott.runtime.columns import ColumnBatch, RecordShape
from flott.runtime.windowing.vectorised.grouping import Groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from flott.runtime.windowing.vectorised.aggregates import Part

KEY, PANE = "key", "pane"
ROWS: Part = ("rows", None)


class Grouping(Protocol):
    """Rows that were put into groups, each of one key; what follows is a value per group."""

    keys: Any
    panes: NDArray[np.int64]
    """Where the time of each group starts."""
    counts: NDArray[np.int64]

    def sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of each group."""

    def min(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the smallest value of each group."""

    def max(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value of each group."""

    def first(self) -> NDArray[np.intp]:
        """Return the position of the first row of each group."""


@dataclass(frozen=True, slots=True)
class Partials:
    """One row per key and pane: how many records, and a column per part of the aggregates."""

    keys: Any
    """A ``pyarrow.Array``."""
    panes: NDArray[np.int64]
    columns: dict[Part, Any]
    """``("first", field)`` as ``pyarrow.Array``, all others as numpy arrays."""

    def __len__(self) -> int:
        return len(self.panes)

    def slice(self, start: int, stop: int) -> Partials:
        """Return some of the rows, not copied."""
        columns = {
            part: column[start:stop] if part[0] != "first" else column.slice(start, stop - start)
            for part, column in self.columns.items()
        }
        return Partials(self.keys.slice(start, stop - start), self.panes[start:stop], columns)

    def take(self, positions: NDArray[np.intp]) -> Partials:
        """Return the rows at some positions."""
        indices = pa.array(positions)
        columns = {
            part: column[positions] if part[0] != "first" else column.take(indices)
            for part, column in self.columns.items()
        }
        return Partials(self.keys.take(indices), self.panes[positions], columns)

    def by_pane(self) -> list[tuple[int, Partials]]:
        """Cut into one per pane; the rows must be in the order of panes."""
        panes = self.panes
        cuts = [0, *(np.flatnonzero(panes[1:] != panes[:-1]) + 1).tolist(), len(panes)]
        return [(int(panes[start]), self.slice(start, stop)) for start, stop in pairwise(cuts) if stop > start]

    # On the way to the next subtask

    def as_batch(self, parts: Sequence[Part]) -> ColumnBatch:
        """Return the rows as a batch, keyed by its column ``key``."""
        names = (KEY, PANE, *(f"{kind}:{field}" for kind, field in parts))
        columns = [self.columns[part] for part in parts]
        arrays = (self.keys, pa.array(self.panes), *(pa.array(column) for column in columns))
        return ColumnBatch(arrays, RecordShape(names, tuples=True))

    @staticmethod
    def of_batch(batch: ColumnBatch, parts: Sequence[Part]) -> Partials:
        """Read the rows back from a batch."""
        keys, panes, *columns = batch.arrays
        found = {
            part: column if part[0] == "first" else column.to_numpy()
            for part, column in zip(parts, columns, strict=True)
        }
        return Partials(keys, panes.to_numpy(), found)


def concatenated(partials: Sequence[Partials]) -> Partials:
    """Return all rows of several, one after the other."""
    if len(partials) == 1:
        return partials[0]
    columns: dict[Part, Any] = {}
    for part in partials[0].columns:
        pieces = [one.columns[part] for one in partials]
        columns[part] = pa.concat_arrays(pieces) if part[0] == "first" else np.concatenate(pieces)
    keys = pa.concat_arrays([one.keys for one in partials])
    return Partials(keys, np.concatenate([one.panes for one in partials]), columns)


def merged(partials: Sequence[Partials], length: int, *, whole: int | None = None) -> Partials:
    """Merge the rows of each key and pane; with ``whole``, those of each key, as if all were of that one pane."""
    together = concatenated(partials)
    panes = together.panes if whole is None else np.full(len(together), whole, np.int64)
    return merged_by(Groups(together.keys, panes, length), together)


def merged_by(groups: Grouping, together: Partials) -> Partials:
    """Merge the rows of each group."""
    first: NDArray[np.intp] | None = None
    columns: dict[Part, Any] = {}
    for part, column in together.columns.items():
        kind = part[0]
        if kind == "first":
            first = groups.first() if first is None else first
            columns[part] = column.take(pa.array(first))
        else:
            combine = groups.min if kind == "min" else groups.max if kind == "max" else groups.sum
            columns[part] = combine(column)
    return Partials(groups.keys, groups.panes, columns)


def aggregated(groups: Grouping, fields: dict[str, Any], parts: Sequence[Part]) -> Partials:
    """Make partials of grouped records, from the columns of the fields that count."""
    filled: dict[str, tuple[Any, NDArray[np.int64]]] = {}
    columns: dict[Part, Any] = {}
    first: NDArray[np.intp] | None = None
    for part in parts:
        kind, field = part
        if field is None:
            columns[part] = groups.counts
        elif kind == "first":
            first = groups.first() if first is None else first
            columns[part] = fields[field].take(pa.array(first))
        else:
            if field not in filled:
                filled[field] = _filled(fields[field], groups)
            columns[part] = _column(kind, *filled[field], groups, fields[field])
    return Partials(groups.keys, groups.panes, columns)


def _filled(column: Any, groups: Grouping) -> tuple[Any, NDArray[np.int64]]:
    """Return which rows have a value (None if all do), and how many in each group."""
    if column.null_count == 0:
        return None, groups.counts
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    return valid, groups.sum(valid.astype(np.int64))


def _column(kind: str, valid: Any, counts: NDArray[np.int64], groups: Grouping, column: Any) -> NDArray[Any]:
    if kind == "filled":
        return counts
    floating = pa.types.is_floating(column.type)
    # What stands in for a missing value changes nothing: zero in a sum, the far end in a minimum or maximum.
    far = {"sum": 0, "min": np.iinfo(np.int64).max, "max": np.iinfo(np.int64).min}[kind]
    neutral = np.nan if floating and kind != "sum" else far
    values = column.cast(pa.float64() if floating else pa.int64())
    if valid is not None:
        values = values.fill_null(neutral)
    array = values.to_numpy(zero_copy_only=False)
    combine = groups.sum if kind == "sum" else groups.min if kind == "min" else groups.max
    return combine(array)
