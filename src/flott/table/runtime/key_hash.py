"""Spreads rows by the values of key columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flott.runtime.column_keys import group_memo, key_groups
from flott.runtime.partitioners import KeyGroupHash
from flott.table.runtime.key_codes import key_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.partitioners import Lane, Route


@dataclass(frozen=True, slots=True)
class KeyColumns:
    """Takes the key from a row: the value of the one key column, or a tuple of several."""

    positions: tuple[int, ...]

    def __call__(self, record: Any) -> Any:
        key = tuple(record[position] for position in self.positions)
        return key[0] if len(key) == 1 else key


@dataclass(frozen=True, slots=True)
class ColumnsHash(KeyGroupHash):
    """A row goes to the subtask that owns the group of its key."""

    @property
    def positions(self) -> tuple[int, ...]:
        """The key columns."""
        found: tuple[int, ...] = self.key_selector.positions  # type: ignore[attr-defined]
        return found

    def router(self, lane: Lane) -> Route:
        """Return a function that cuts a batch of columns into one batch per target."""
        positions = self.positions
        count, most = lane.downstream, lane.max_parallelism
        if count == 1:
            return lambda batch: iter([(0, batch)])

        def route(batch: Batch) -> Iterator[tuple[int, Batch]]:
            targets = _groups(batch, positions, most) * count // most
            for target in range(count):
                chosen = np.flatnonzero(targets == target)
                if len(chosen) == len(batch):
                    yield target, batch
                elif len(chosen):
                    yield target, batch.take(chosen)  # type: ignore[attr-defined]

        return route


def _groups(batch: Any, positions: tuple[int, ...], most: int) -> Any:
    columns = [batch.arrays[position] for position in positions]
    if len(columns) == 1:
        column = columns[0]
        if str(column.type) in {"int8", "int16", "int32", "int64", "string"}:
            return key_groups(column, most)
    keys, codes = key_codes(columns, range(len(columns)), len(batch))
    return group_memo(most).of_all(keys)[codes]
