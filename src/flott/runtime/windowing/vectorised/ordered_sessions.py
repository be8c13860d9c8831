"""Sessions one row at a time: where some come late, what becomes of each depends on what came before it."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.windowing.vectorised.grouping import sum_too_large
from flott.runtime.windowing.vectorised.partials import ROWS, Partials
from flott.runtime.windowing.vectorised.session_parts import END, FIRED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flott.runtime.windowing.vectorised.aggregates import Part

Session: TypeAlias = list[Any]
"""Key, start, and a value for each part: the first two are end and whether it fired."""

KEY, START, LAST, DONE = range(4)


class OrderedSessions:
    """The sessions of some keys, as Python objects."""

    def __init__(self, parts: Sequence[Part], watermark: int, lateness: int) -> None:
        self._parts = parts
        self._rows = 2 + list(parts).index(ROWS)
        self._watermark = watermark
        self._lateness = lateness
        self._open: dict[Any, list[Session]] = {}
        self.fired: list[Session] = []
        """The sessions that fired, as they were then, in order."""
        self.late = 0
        """How many records came too late."""

    def hold(self, sessions: Partials) -> None:
        """Start with sessions that are open."""
        for session in self._rows_of(sessions):
            self._open.setdefault(session[KEY], []).append(session)

    def add(self, arrived: Partials) -> None:
        """Add what arrived, row by row."""
        for session in self._rows_of(arrived):
            self._add(session)

    def _add(self, new: Session) -> None:
        watermark = self._watermark
        known = self._open.setdefault(new[KEY], [])
        touching = [one for one in known if one[START] <= new[LAST] and one[LAST] >= new[START]]
        if not touching and min(new[LAST] - 1 + self._lateness, MAX_WATERMARK) <= watermark:
            self.late += new[self._rows]
            return
        for one in touching:
            known.remove(one)
            new = self._joined(one, new)
        known.append(new)
        if new[LAST] - 1 <= watermark:
            new[DONE] = 1
            self.fired.append(list(new))

    def _joined(self, one: Session, other: Session) -> Session:
        values = [_combined(kind, *pair) for (kind, _), *pair in zip(self._parts, one[2:], other[2:], strict=True)]
        return [one[KEY], min(one[START], other[START]), *values]

    def _rows_of(self, sessions: Partials) -> Iterable[Session]:
        columns = [sessions.columns[part].tolist() for part in self._parts]
        return map(list, zip(sessions.keys.to_pylist(), sessions.panes.tolist(), *columns, strict=True))

    def open(self, like: Partials) -> Partials:
        """Return the sessions that are open now."""
        return self.columns((one for known in self._open.values() for one in known), like)

    def columns(self, sessions: Iterable[Session], like: Partials) -> Partials:
        """Return sessions in columns, of the types that others have."""
        rows = list(sessions)
        columns = list(zip(*rows, strict=True)) if rows else [()] * (2 + len(self._parts))
        keys, starts, *values = columns
        try:
            found = {
                part: _column(column, like.columns[part]) for part, column in zip(self._parts, values, strict=True)
            }
        except OverflowError:
            raise sum_too_large() from None
        return Partials(pa.array(keys, like.keys.type), np.array(starts, np.int64), found)


def _column(values: Sequence[Any], like: Any) -> Any:
    """Return values as others are held: a field as the first record had it is Arrow's, all else is numpy's."""
    return pa.array(values, like.type) if isinstance(like, pa.Array) else np.array(values, like.dtype)


def _combined(kind: str, one: Any, other: Any) -> Any:
    if kind == "first":
        return one
    if kind not in {"min", "max"}:
        return one + other
    if isinstance(one, float) and isnan(one):
        return other
    if isinstance(other, float) and isnan(other):
        return one
    return min(one, other) if kind == "min" else max(one, other)


assert (END, FIRED) == (("max", None), ("min", None))  # noqa: S101 - the two that a Session starts with
