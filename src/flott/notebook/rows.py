"""The rows that are shown: what the changes of a query left, the last records of a stream, or the last of each key."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from flott.notebook.cells import cells_of, columns_of
from flott.table.connectors.printing import render_cells
from flott.table.standing_rows import StandingRows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.common.types import Row
    from flott.table.resolved_schema import ResolvedSchema

__all__ = ["ChangingRows", "KeyedRecords", "LastRecords", "ShownRows"]


class ShownRows(Protocol):
    """Takes records in, and says what to show of them."""

    def take(self, record: Any) -> None:
        """A record came."""

    def columns(self) -> Sequence[str]:
        """The heads of the table."""

    def shown(self, most: int) -> list[list[str]]:
        """The last rows, at most so many."""

    def __len__(self) -> int: ...


class ChangingRows:
    """The table that the changes of a query have led to so far."""

    def __init__(self, schema: ResolvedSchema) -> None:
        self._columns = schema.get_column_names()
        self._kinds = schema.get_column_data_types()
        self._standing = StandingRows()

    def take(self, record: Row) -> None:
        """Do what the change says."""
        self._standing.change(record.get_row_kind(), render_cells(record, self._kinds))

    def columns(self) -> Sequence[str]:
        """Return the names of the query's columns."""
        return self._columns

    def shown(self, most: int) -> list[list[str]]:
        """Return the last rows."""
        return self._standing.shown(most)

    def __len__(self) -> int:
        return len(self._standing)


class LastRecords:
    """The last records of a stream; older ones are only counted.

    >>> rows = LastRecords(2, None)
    >>> for record in [("a", 1), ("b", 2), ("c", 3)]:
    ...     rows.take(record)
    >>> rows.columns(), rows.shown(2), len(rows)
    (['0', '1'], [['b', '2'], ['c', '3']], 3)
    """

    def __init__(self, most: int, columns: Sequence[str] | None) -> None:
        self._last: deque[Any] = deque(maxlen=most)
        self._columns = columns
        self._count = 0

    def take(self, record: Any) -> None:
        """Keep it while there is room."""
        self._last.append(record)
        self._count += 1

    def columns(self) -> Sequence[str]:
        """Return the given names, or those that the first record here has."""
        return self._columns or columns_of(self._last[0] if self._last else None)

    def shown(self, most: int) -> list[list[str]]:
        """Return the last records."""
        width = len(self.columns())
        return [cells_of(record, width) for record in list(self._last)[-most:]]

    def __len__(self) -> int:
        return self._count


class KeyedRecords:
    """The last record of each key, in the order of keys: for streams that tell new values of the same things.

    >>> rows = KeyedRecords(lambda record: record[0], None)
    >>> for record in [("b", 1), ("a", 1), ("b", 2)]:
    ...     rows.take(record)
    >>> rows.shown(10)
    [['a', '1'], ['b', '2']]
    """

    def __init__(self, key: Callable[[Any], Any], columns: Sequence[str] | None) -> None:
        self._key = key
        self._columns = columns
        self._records: dict[Any, Any] = {}

    def take(self, record: Any) -> None:
        """Let it replace the one before."""
        self._records[self._key(record)] = record

    def columns(self) -> Sequence[str]:
        """Return the given names, or those that a record has."""
        return self._columns or columns_of(next(iter(self._records.values()), None))

    def shown(self, most: int) -> list[list[str]]:
        """Return the first records by their keys."""
        width = len(self.columns())
        return [cells_of(self._records[key], width) for key in sorted(self._records)[:most]]

    def __len__(self) -> int:
        return len(self._records)
