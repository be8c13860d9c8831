"""Hands on rows once for each of several groupings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from flott.runtime.operator import Operator
from flott.table.runtime.changes import pack, unpack

if TYPE_CHECKING:
    from flott.runtime.batch import Batch


class Expand(Operator):
    """Blanks the keys that are not in a grouping, and puts the grouping's number behind the keys."""

    def __init__(self, keys: int, sets: tuple[frozenset[int], ...]) -> None:
        self.keys = keys
        self.sets = sets

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length, keys = len(batch), self.keys
        for number, kept in enumerate(self.sets):
            heads = [
                column if place in kept else pa.nulls(length, column.type)
                for place, column in enumerate(columns[:keys])
            ]
            own = pa.array(np.full(length, number, np.int64))
            self.output.emit(pack([*heads, own, *columns[keys:]], kinds))
