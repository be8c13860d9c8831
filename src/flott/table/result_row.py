"""The rows of a result: they have names, and are equal to rows of the same values without names, as PyFlink's are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.types import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.table.types import DataType


class ResultRow(Row):
    """A Row that is equal to one without names if their values are.

    >>> row = ResultRow(name="tea", price=3)
    >>> row, row.price
    (Row(name='tea', price=3), 3)
    >>> row == Row("tea", 3), Row("tea", 3) == row, row == Row(price=3, name="tea"), Row("tea", 4) == row
    (True, True, True, False)
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row) or self.get_row_kind() is not other.get_row_kind():
            return False
        names = self.get_field_names()
        if names is None or other.get_field_names() is None:
            return list(self) == list(other)
        names = sorted(names)
        if names != sorted(other.get_field_names() or ()):
            return False
        return self.get_fields_by_names(names) == other.get_fields_by_names(names)

    __hash__ = Row.__hash__


def result_rows(rows: Iterator[Row], kinds: list[DataType]) -> Iterator[Row]:
    """Return rows, and the rows inside of them, as rows of a result."""
    nested = [(place, mark) for place, mark in enumerate(map(_marker, kinds)) if mark is not None]
    for row in rows:
        row.__class__ = ResultRow
        for place, mark in nested:
            mark(row[place])
        yield row


def _marker(kind: DataType) -> Callable[[Any], None] | None:
    """Return what makes the rows inside of a value rows of a result; None if there can't be any."""
    from flott.table.types import ArrayType, MapType, RowType

    if isinstance(kind, RowType):
        fields = [(place, mark) for place, mark in enumerate(map(_marker, kind.field_types())) if mark is not None]

        def of_row(row: Any) -> None:
            if row is not None:
                row.__class__ = ResultRow
                for place, mark in fields:
                    mark(row[place])

        return of_row
    inner = _marker(kind.element_type if isinstance(kind, ArrayType) else kind.value_type) if isinstance(
        kind, (ArrayType, MapType)) else None  # fmt: skip
    if inner is None:
        return None

    def of_all(values: Any) -> None:
        for value in (values.values() if isinstance(values, dict) else values) if values is not None else ():
            inner(value)

    return of_all
