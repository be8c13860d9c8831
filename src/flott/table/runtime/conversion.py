"""Between the two worlds: records of streams become columns, and changes become Rows."""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.common.time import Instant
from flott.common.typeinfo import InstantTypeInfo
from flott.common.types import Row, RowKind
from flott.errors import FlottError
from flott.runtime.batch import Batch
from flott.runtime.operator import Operator
from flott.table.python_values import column_from_python, to_python
from flott.table.runtime.changes import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.plan.nodes import Field
    from flott.table.types import DataType

KINDS = tuple(RowKind)
INSERT = RowKind.INSERT
ROW_KIND = attrgetter("_row_kind")
"""The kind of a Row; of many it is read faster than by its method."""
MOMENT = InstantTypeInfo()


class RecordsToColumns(Operator):
    """Takes Rows, tuples, dicts or single values, and hands on columns."""

    def __init__(
        self,
        fields: tuple[Field, ...],
        types: tuple[Any, ...],
        places: tuple[int, ...],
        *,
        changelog: bool,
        single: bool,
    ) -> None:
        self.names = tuple(field.name for field in fields)
        self.kinds = tuple(field.type for field in fields)
        self.types = types
        self.places = places
        """Where the columns are in records without names."""
        self.changelog = changelog
        self.single = single

    def process(self, batch: Batch) -> None:
        if batch.columnar and all(batch.has(name) for name in self.names) and not self.changelog:  # type: ignore[attr-defined]
            columns = [batch.column(name) for name in self.names]  # type: ignore[attr-defined]
            pairs = zip(columns, self.types, strict=True)
            self.output.emit(pack([one if one.type == kind else one.cast(kind) for one, kind in pairs], None))
            return
        values = batch.values
        if not values:
            return
        kinds = None
        if not self.changelog:
            self._check_additions(values)
        else:
            kinds = np.array([value.get_row_kind().value if isinstance(value, Row) else 0 for value in values], np.int8)
        lists = [values] if self.single else self._columns(values)
        made = [self._column(*one) for one in zip(self.names, lists, self.kinds, self.types, strict=True)]
        self.output.emit(pack(made, kinds))

    def _check_additions(self, values: list[Any]) -> None:
        """Refuse changes in a stream that is declared to only add rows."""
        # Counting finds the same object without a call of Python for each record.
        if not isinstance(values[0], Row) or list(map(ROW_KIND, values)).count(INSERT) == len(values):
            return
        changed = next(value for value in values if ROW_KIND(value) is not INSERT)
        raise FlottError(
            f"{self.context.title}: this stream only adds rows, and {changed!r:.100} is of the kind "
            f"{ROW_KIND(changed)}; take it with from_changelog_stream(…)"
        )

    def _columns(self, values: list[Any]) -> list[list[Any]]:
        first = values[0]
        named = isinstance(first, dict) or (isinstance(first, Row) and getattr(first, "_fields", None))
        try:
            if named:
                return [list(map(itemgetter(name), values)) for name in self.names]
            if isinstance(first, (Row, tuple, list)):
                return [list(map(itemgetter(place), values)) for place in self.places]
            return [list(map(attrgetter(name), values)) for name in self.names]
        except (KeyError, IndexError, AttributeError, ValueError, TypeError) as error:
            raise FlottError(
                f"{self.context.title}: record {first!r:.200} does not have the columns {', '.join(self.names)}: "
                f"{error!r}"
            ) from None

    def _column(self, name: str, values: list[Any], kind: DataType, arrow: Any) -> Any:
        if pa.types.is_timestamp(arrow) and any(isinstance(value, Instant) for value in values):
            return pa.array([MOMENT.to_internal_type(value) for value in values], pa.int64()).cast(arrow)
        try:
            return column_from_python(values, kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise FlottError(
                f"{self.context.title}: column '{name}' of type {kind.nullable()!r} can't hold what a record has "
                f"there: {error}"
            ) from None


class ColumnsToRows(Operator):
    """Takes changes, and hands on Rows of their kinds; with ``rowtime``, stamped with that column."""

    def __init__(self, fields: Sequence[Field], rowtime: int | None = None) -> None:
        self.names = tuple(field.name for field in fields)
        self.kinds = tuple(field.type for field in fields)
        self.rowtime = rowtime

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        rows = self._rows(columns, kinds)
        stamps = None
        if self.rowtime is not None:
            micros = columns[self.rowtime].cast(pa.int64()).to_pylist()
            stamps = [None if one is None else one // 1000 for one in micros]
        self.output.emit(Batch(rows, stamps))

    def _rows(self, columns: Sequence[Any], kinds: Any) -> list[Row]:
        """Return changes as Rows, in which rows are Rows and maps are dicts."""
        template = Row(*self.names)
        cells = [to_python(column, kind) for column, kind in zip(columns, self.kinds, strict=True)]
        rows = [template(*values) for values in zip(*cells, strict=True)]
        if kinds is not None:
            for row, kind in zip(rows, kinds.tolist(), strict=True):
                row.set_row_kind(KINDS[kind])
        return rows
