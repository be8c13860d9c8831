"""New rows under the names of their columns, for sinks that write columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.columns import ColumnBatch, RecordShape
from flott.runtime.operator import Operator
from flott.table.runtime.changes import unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.runtime.batch import Batch


class NamedColumns(Operator):
    """Takes rows that are only added, and hands on the same columns with names."""

    def __init__(self, names: Sequence[str]) -> None:
        self.shape = RecordShape(tuple(names))

    def process(self, batch: Batch) -> None:
        self.output.emit(ColumnBatch(tuple(unpack(batch)[0]), self.shape))
