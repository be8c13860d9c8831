"""The rows of a query as they stand, for whoever shows them while it runs."""

from __future__ import annotations

from flott.common.types import RowKind

__all__ = ["StandingRows"]


class StandingRows:
    """The rows that are left of all changes so far, in the order in which they came.

    >>> rows = StandingRows()
    >>> for change in ["a"], ["b"]:
    ...     rows.change(RowKind.INSERT, change)
    >>> rows.change(RowKind.DELETE, ["a"])
    >>> rows.shown(10)
    [['b']]
    """

    def __init__(self) -> None:
        self._rows: dict[int, list[str]] = {}
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._rows)

    def change(self, kind: RowKind, cells: list[str]) -> None:
        """Take a change in."""
        places = self._places.setdefault(tuple(cells), [])
        if kind in {RowKind.INSERT, RowKind.UPDATE_AFTER}:
            self._rows[self._next] = cells
            places.append(self._next)
            self._next += 1
        elif places:
            del self._rows[places.pop()]
        if not places:
            del self._places[tuple(cells)]

    def shown(self, most: int) -> list[list[str]]:
        """Return the last rows, at most so many."""
        return list(self._rows.values())[-most:]
