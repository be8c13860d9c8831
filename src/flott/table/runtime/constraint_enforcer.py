"""What a table that is written to demands of its columns: NOT NULL, and the lengths of strings and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.table import types as t
from flott.table.lengths import has_length, of_length
from flott.table.nested_columns import part_types, parts, rebuilt
from flott.table.runtime.changes import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from flott.runtime.batch import Batch

NOT_NULL, LENGTH = "table.exec.sink.not-null-enforcer", "table.exec.sink.type-length-enforcer"
FIXED = (t.CharType, t.BinaryType)


@dataclass(frozen=True, slots=True)
class Constraints:
    """The columns of a table, and what becomes of rows that don't fit them."""

    table: str
    columns: tuple[t.RowField, ...]
    drop: bool = False
    """Whether rows with NULL in a column that is NOT NULL are left out; else they are an error."""
    lengths: str = "IGNORE"
    """IGNORE, TRIM_PAD or ERROR."""


class ConstraintEnforcer(Operator):
    """Checks rows before they are written."""

    def __init__(self, constraints: Constraints) -> None:
        self.constraints = constraints

    def process(self, batch: Batch) -> None:
        wanted = self.constraints
        columns, kinds = unpack(batch)
        kept = np.ones(len(batch), bool)
        for column, field in zip(columns, wanted.columns, strict=True):
            for name, nulls in missing(column, field.data_type, field.name):
                if not wanted.drop:
                    raise FlottError(
                        f"table '{wanted.table}': column '{name}' is NOT NULL, and a row has NULL in it; "
                        f"SET '{NOT_NULL}' = 'DROP' leaves such rows out"
                    )
                kept &= ~nulls
        if not kept.all():
            places = pa.array(np.flatnonzero(kept))
            columns = tuple(column.take(places) for column in columns)
            kinds = None if kinds is None else kinds[kept]
        if wanted.lengths != "IGNORE":
            columns = tuple(self._fitted(column, field) for column, field in zip(columns, wanted.columns, strict=True))
        if kept.any():
            self.output.emit(pack(columns, kinds))

    def _fitted(self, column: Any, field: t.RowField) -> Any:
        if self.constraints.lengths == "TRIM_PAD":
            return trimmed_and_padded(column, field.data_type)
        if unfit(column, field.data_type):
            raise FlottError(
                f"table '{self.constraints.table}': column '{field.name}' is {field.data_type!r}, and a row has a "
                f"value of another length in it; SET '{LENGTH}' = 'TRIM_PAD' makes it fit"
            )
        return column


def is_constrained(kind: t.DataType, *, lengths: bool) -> bool:
    """Return whether values of a type have to be checked."""
    if not kind.is_nullable or (lengths and has_length(kind)):
        return True
    return any(is_constrained(part, lengths=lengths) for _, part in part_types(kind))


def missing(column: Any, kind: t.DataType, name: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Go over the parts of a column that are NOT NULL: which of its values have NULL there, if any has."""
    if not kind.is_nullable and column.null_count:
        yield name, column.is_null().to_numpy(zero_copy_only=False)
    kinds = part_types(kind)
    if not any(is_constrained(part, lengths=False) for _, part in kinds):
        return
    children, owners = parts(column)
    for child, (end, part) in zip(children, kinds, strict=True):
        for inner, nulls in missing(child, part, f"{name}{end}"):
            found = np.zeros(len(column), bool)
            found[owners[nulls]] = True
            yield inner, found


def unfit(column: Any, kind: t.DataType) -> bool:
    """Return whether a value is longer than its type, or shorter than one of a fixed length."""
    if has_length(kind):
        lengths = pc.binary_length(column) if pa.types.is_binary(column.type) else pc.utf8_length(column)
        other = (pc.not_equal if isinstance(kind, FIXED) else pc.greater)(lengths, kind.length)  # type: ignore[attr-defined]
        return bool(pc.any(other).as_py())
    kinds = [part for _, part in part_types(kind)]
    if not any(is_constrained(part, lengths=True) for part in kinds):
        return False
    return any(unfit(child, part) for child, part in zip(parts(column)[0], kinds, strict=True))


def trimmed_and_padded(column: Any, kind: t.DataType) -> Any:
    """Return values cut to the length of their type, those of a fixed length filled up."""
    if has_length(kind):
        return of_length(column, kind)
    kinds = [part for _, part in part_types(kind)]
    if not any(is_constrained(part, lengths=True) for part in kinds):
        return column
    return rebuilt(column, column.type, lambda place, values: trimmed_and_padded(values, kinds[place]))
