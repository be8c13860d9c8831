"""Sessions: the rows of a partition wait until a session is over, and go on with its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.table.runtime.changes import INSERT, ChangesOut, keys_of, rows_of
from flott.table.runtime.timed_rows import AtTheirTime
from flott.table.runtime.window_expand import times_of

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.changes import Row

MILLI = 1000
START, END, ROWS = 0, 1, 2


class SessionExpand(AtTheirTime):
    """Keeps the open sessions of each partition with their rows; late rows, that no open session takes, are dropped.

    By processing time, a row belongs to the moment at which it comes here.
    """

    def __init__(
        self, partition: tuple[int, ...], time: int, gap: int, types: tuple[Any, ...], *, processing: bool
    ) -> None:
        self.partition = partition
        self.time = time
        self.gap = gap
        self.types = types
        """The Arrow types of the columns and of the bounds."""
        self.processing = processing

    def open(self) -> None:
        backend = self.context.keyed("the rows of sessions")
        self._scope = backend.scope
        self._state: ValueState = backend.part("sessions", VALUE_STATE, lambda: ValueState(backend, "sessions"))
        self._timers = TimerService(backend, "sessions", self.context.clock, self._fire, self._fire)
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._out = ChangesOut(self.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns = self.new_rows(batch, "a session")
        length = len(batch)
        times = (
            [self.context.clock.now()] * length
            if self.processing
            else times_of(columns[self.time], self.context.title).tolist()
        )
        watermark = self._timers.current_watermark()
        keys, rows = keys_of(columns, self.partition, length), rows_of(columns, length)
        for key, row, time in zip(keys, rows, times, strict=True):
            self._scope.key = key
            held = self._state.value() or []
            grown, rest = _joined(held, row, time, time + self.gap)
            if not self.processing and grown[END] - 1 <= watermark:
                self._late.inc()
                continue
            self._state.update([*rest, grown])
            self._wait(grown[END] - 1)
        self._scope.unset()

    def _wait(self, last: int) -> None:
        if self.processing:
            self._timers.register_processing_time_timer(last)
        else:
            self._timers.register_event_time_timer(last)

    # Time

    def _fire(self, time: int, key: Any) -> None:
        """Hand on the rows of the sessions that are over; a session that has grown has a later timer."""
        held = self._state.value() or []
        for start, end, rows in held:
            if end - 1 <= time:
                for row in rows:
                    self._out.add(INSERT, (*row, start * MILLI, end * MILLI, (end - 1) * MILLI))
        left = [session for session in held if session[END] - 1 > time]
        self._state.update(left or None)


def _joined(held: list[list[Any]], row: Row, start: int, end: int) -> tuple[list[Any], list[list[Any]]]:
    """Return the session that a row makes of those it touches, and the others.

    >>> _joined([[0, 5, [("a",)]], [20, 25, [("c",)]]], ("b",), 5, 10)
    ([0, 10, [('a',), ('b',)]], [[20, 25, [('c',)]]])
    """
    rows: list[Row] = []
    rest = []
    for session in held:
        if session[START] <= end and start <= session[END]:
            start, end = min(start, session[START]), max(end, session[END])
            rows += session[ROWS]
        else:
            rest.append(session)
    return [start, end, [*rows, row]], rest
