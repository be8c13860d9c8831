"""The table that a stream of changes ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.types import Row, RowKind
from flott.table.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable


def final_rows(changes: Iterable[Row]) -> list[tuple[Any, ...]]:
    """Return the rows that are left when all changes are done, in the order in which they came.

    >>> from flott.common.types import Row
    >>> final_rows([Row(1), Row(2), Row.of_kind(RowKind.DELETE, 1)])
    [(2,)]
    """
    left: dict[tuple[Any, ...], int] = {}
    order: list[tuple[Any, ...]] = []
    for change in changes:
        row = tuple(change)
        key = tuple(map(_hashable, row))
        if change.get_row_kind() in {RowKind.INSERT, RowKind.UPDATE_AFTER}:
            left[key] = left.get(key, 0) + 1
            order.append(row)
        elif left.get(key, 0) > 0:
            left[key] -= 1
        else:
            raise TableError(f"row {row!r:.200} was taken back, but it was not there")
    found: list[tuple[Any, ...]] = []
    for row in reversed(order):
        key = tuple(map(_hashable, row))
        if left[key] > 0:
            left[key] -= 1
            found.append(row)
    return found[::-1]


def _hashable(value: Any) -> Any:
    return repr(value) if isinstance(value, (Row, list, dict)) else value
