"""The rows of a query as they stand, for whoever shows them while it runs."""

from __future__ import annotations

from itertools import islice

from flott.common.types import RowKind

__all__ = ["StandingRows"]


class StandingRows:
    """The rows that are left of all changes so far, in the order in which they came; an updated row keeps its place.

    >>> rows = StandingRows()
    >>> for change in ["a"], ["b"], ["c"]:
    ...     rows.change(RowKind.INSERT, change)
    >>> rows.change(RowKind.UPDATE_BEFORE, ["a"])
    >>> rows.change(RowKind.UPDATE_AFTER, ["A"])
    >>> rows.change(RowKind.DELETE, ["c"])
    >>> rows.shown(10)
    [['A'], ['b']]
    """

    def __init__(self) -> None:
        self._rows: dict[int, list[str]] = {}
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._next = 0
        self._vacant: int | None = None
        """The place of a row that was just taken back: the next change may be what it became."""

    def __len__(self) -> int:
        return len(self._rows) - (self._vacant is not None)

    def change(self, kind: RowKind, cells: list[str]) -> None:
        """Take a change in."""
        vacant, self._vacant = self._vacant, None
        if kind is RowKind.UPDATE_AFTER and vacant is not None:
            self._put(vacant, cells)
            return
        if vacant is not None:
            del self._rows[vacant]
        if kind in {RowKind.INSERT, RowKind.UPDATE_AFTER}:
            self._put(self._next, cells)
            self._next += 1
            return
        place = self._take(cells)
        if place is None:
            return
        if kind is RowKind.UPDATE_BEFORE:
            self._vacant = place
        else:
            del self._rows[place]

    def shown(self, most: int) -> list[list[str]]:
        """Return the last rows, at most so many."""
        last = (cells for place, cells in reversed(self._rows.items()) if place != self._vacant)
        return list(islice(last, most))[::-1]

    def _put(self, place: int, cells: list[str]) -> None:
        self._rows[place] = cells
        self._places.setdefault(tuple(cells), []).append(place)

    def _take(self, cells: list[str]) -> int | None:
        places = self._places.get(tuple(cells))
        if places is None:
            return None
        place = places.pop()
        if not places:
            del self._places[tuple(cells)]
        return place
