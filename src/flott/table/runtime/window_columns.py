"""Windows in columns: what goes into the vectorised windows of the engine, and what comes out of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.runtime.columns import ColumnBatch, RecordShape
from flott.runtime.operator import Operator
from flott.table.runtime.changes import pack, unpack
from flott.table.runtime.window_expand import times_of

if TYPE_CHECKING:
    from flott.runtime.batch import Batch

KEY = "key"
ONE_KEY = 0
MILLI = 1000


@dataclass(frozen=True, slots=True)
class Argument:
    """A column that is aggregated: where it is, and only of which rows."""

    name: str
    column: int | None
    """None: every row counts."""
    filter: int | None


class ToWindows(Operator):
    """Stamps rows with event time, makes one key of all key columns, and blanks what a FILTER leaves out."""

    def __init__(self, time: int, keys: tuple[int, ...], arguments: tuple[Argument, ...]) -> None:
        self.time = time
        self.keys = keys
        self.arguments = arguments

    def open(self) -> None:
        self._shape = RecordShape(
            (KEY, *(f"k{number}" for number in range(len(self.keys))), *(one.name for one in self.arguments))
        )

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        if kinds is not None and kinds.any():
            raise FlottError(f"{self.context.title}: a window can't take rows back; aggregate without windows instead")
        times = times_of(columns[self.time], self.context.title)
        keys = [columns[position] for position in self.keys]
        made = [one_key(keys, len(batch)), *keys, *(self._argument(one, columns, len(batch)) for one in self.arguments)]
        self.output.emit(ColumnBatch(tuple(made), self._shape, times))

    def _argument(self, one: Argument, columns: tuple[Any, ...], length: int) -> Any:
        values = pa.array(np.ones(length, np.int64)) if one.column is None else columns[one.column]
        if one.filter is None:
            return values
        return pc.if_else(columns[one.filter], values, pa.scalar(None, values.type))


def one_key(columns: list[Any], length: int) -> Any:
    """Return one column of keys, equal where all key columns are.

    >>> one_key([pa.array(["a", None]), pa.array([1, 2])], 2).to_pylist()
    ['v1:av1:1', 'nv1:2']
    """
    if not columns:
        return pa.array(np.full(length, ONE_KEY, np.int64))
    if len(columns) == 1 and (pa.types.is_string(columns[0].type) or pa.types.is_integer(columns[0].type)):
        return columns[0]
    return text_key(columns)


def text_key(columns: list[Any]) -> Any:
    """Return one column of texts, equal where all columns are; NULL is equal to NULL."""
    parts = []
    for column in columns:
        text = column if pa.types.is_string(column.type) else column.cast(pa.string())
        size = pc.utf8_length(text).cast(pa.string())
        written = pc.binary_join_element_wise("v", size, ":", text, "")
        parts.append(pc.fill_null(written, "n"))
    return parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, "")


class FromWindows(Operator):
    """Takes the results of windows, and puts the columns in the order and types of the plan."""

    def __init__(self, outputs: tuple[tuple[str, Any], ...]) -> None:
        self.outputs = outputs
        """The name of each column, and its Arrow type."""

    def process(self, batch: Batch) -> None:
        made = []
        for name, kind in self.outputs:
            column = batch.column("end" if name == "time" else name)  # type: ignore[attr-defined]
            if name == "time":
                column = pc.subtract(column, 1)
            if name in {"start", "end", "time"}:
                column = pc.multiply(column, MILLI)
            made.append(column if column.type == kind else column.cast(kind, safe=False))
        self.output.emit(pack(made, None))
