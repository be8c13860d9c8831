"""Operators with timers: what they forget, or hand on, when the time for it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.table.runtime.changes import unpack

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.timers import TimerService
    from flott.table.runtime.changes import ChangesOut


class TimedRows(Operator):
    """Has timers of event time, for rows that can be forgotten."""

    _timers: TimerService

    def restore(self, carried: Any) -> None:
        self._timers.restore(carried)

    def snapshot(self) -> Any:
        return self._timers.snapshot()

    def on_watermark(self, timestamp: int) -> int | None:
        self._timers.advance_watermark(timestamp)
        self.hand_on()
        return self.held_back(timestamp)

    def hand_on(self) -> None:
        """Hand on what timers have made: nothing, if they only forget."""

    def held_back(self, timestamp: int) -> int:
        """Return the watermark for what comes behind: rows that are kept may be handed on with earlier times."""
        return timestamp


class AtTheirTime(TimedRows):
    """Hands on what timers have made before the watermark goes on, or as the clock says."""

    _out: ChangesOut

    def process_time(self, now: int) -> None:
        self._timers.advance_processing_time(now)
        self.hand_on()

    def next_wakeup(self) -> int | None:
        return self._timers.next_processing_time()

    def hand_on(self) -> None:
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def new_rows(self, batch: Batch, what: str) -> tuple[Any, ...]:
        """Return the columns of a batch, where rows can't be taken back any more."""
        columns, kinds = unpack(batch)
        if kinds is not None and kinds.any():
            raise FlottError(f"{self.context.title}: {what} can't take rows back; aggregate without windows instead")
        return columns
