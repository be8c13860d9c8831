"""Outer joins of rows whose event times are close: a row without a partner is handed on when none can come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import PENDING_ROWS
from flott.table.runtime.changes import INSERT
from flott.table.runtime.join import MILLI, Join

if TYPE_CHECKING:
    from flott.table.runtime.changes import Row


class IntervalJoin(Join):
    """Keeps the rows of both sides as long as partners may come; it only adds rows."""

    # Not that of Join, as which version 0.1.0 saved them: its rows without a partner had been emitted already.
    saved_as = PENDING_ROWS

    def _whole(self, side: int, row: Row, kind: int, found: list[Row], *, remove: bool) -> None:
        other, pads_other = self._sides[1 - side], self.plan.pads(1 - side)
        for one in found:
            count, partners = other.get(one)
            for _ in range(count):
                self._emit(INSERT, side, row, one)
            if pads_other:
                other.put(one, [count, partners + 1])
        if not found and self.plan.pads(side) and self._is_over(side, row):
            self._emit(INSERT, side, row, self._nothing[1 - side])

    def _is_over(self, side: int, row: Row) -> bool:
        """Return whether no partner of a row can come any more."""
        end = self._end(side, row)
        return end is None or end <= self._timers.current_watermark() or self._matches_nothing(self._scope.key)

    def _end(self, side: int, row: Row) -> int | None:
        """Return from which event time on no partner of a row comes; None for a row without time, which has none."""
        column, stay = self.plan.stays[side]
        return None if row[column] is None else row[column] // MILLI + stay + 1

    def _keep(self, side: int, row: Row, partners: int, *, remove: bool) -> None:
        if self._is_over(side, row):
            return
        super()._keep(side, row, partners, remove=remove)
        end = self._end(side, row)
        if end is not None:
            self._timers.register_event_time_timer(end)

    def _expire(self, time: int, key: Any) -> None:
        """Forget the rows of a key whose time is over, and hand on those that had no partner."""
        for side, own in enumerate(self._sides):
            for row in list(own.keys()):
                end = self._end(side, row)
                if end is None or end > time:
                    continue
                count, partners = own.get(row)
                if partners == 0 and self.plan.pads(side):
                    for _ in range(count):
                        self._emit(INSERT, side, row, self._nothing[1 - side])
                own.remove(row)

    def hand_on(self) -> None:
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def held_back(self, timestamp: int) -> int:
        return self.plan.held_back(timestamp)
