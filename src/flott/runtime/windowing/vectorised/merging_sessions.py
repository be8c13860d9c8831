"""The downstream half of session windows: partial sessions of a key grow together, and fire when they are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flott.errors import FlottError
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.operator import Operator
from flott.runtime.state.kinds import SESSIONS
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.runtime.windowing.vectorised.key_marks import distinct, key_marks
from flott.runtime.windowing.vectorised.ordered_sessions import OrderedSessions
from flott.runtime.windowing.vectorised.partials import Partials, concatenated, merged_by
from flott.runtime.windowing.vectorised.runs import Runs
from flott.runtime.windowing.vectorised.session_chunks import SessionChunks
from flott.runtime.windowing.vectorised.session_parts import END, FIRED

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.windowing.vectorised.plan import AggregatePlan


class MergingSessionOperator(Operator):
    """Sessions over partials, with Flink's rules for lateness.

    What is on time is merged in columns, in whatever order it came. Among rows of which one may be late, order counts:
    they are looked at one by one. There are no timers: when the next session is over is known, and then all are
    looked at in one pass.
    """

    waits_for_watermarks = True
    _watermark: int
    _due: int
    """When the next session fires or goes: then, or later."""

    def __init__(self, plan: AggregatePlan) -> None:
        self.plan = plan

    def open(self) -> None:
        plan = self.plan
        backend = self.context.keyed("what sessions hold")
        self._arriving = (END, *plan.parts())
        self._parts = (END, FIRED, *plan.parts())
        self._late = self.context.metrics.counter(LATE_RECORDS)
        self._chunks: SessionChunks = backend.part("window-sessions", SESSIONS, lambda: SessionChunks(backend, plan))

    def restore(self, carried: Any) -> None:
        self._watermark, self._due, index = carried or (MIN_TIMESTAMP, MIN_TIMESTAMP, None)
        self._chunks.restore(index)
        self._arrived: list[Partials] = []

    def snapshot(self) -> Any:
        self._settle()
        return self._watermark, self._due, self._chunks.snapshot()

    # Partials

    def process(self, batch: Batch) -> None:
        arrived = Partials.of_batch(batch, self._arriving)  # type: ignore[arg-type]
        arrived.columns[FIRED] = np.zeros(len(arrived), np.int64)
        first = int(arrived.columns[END].min()) - 1
        if first > self._watermark:
            self._arrived.append(arrived)
            self._due = min(self._due, first)
        else:
            self._process_in_order(arrived)

    def _settle(self) -> None:
        """Bring what arrived into the open sessions of its keys."""
        if self._arrived:
            self._chunks.put(self._merged())

    def _merged(self) -> Partials:
        """Take the sessions of the keys of which something arrived, and return what becomes of them."""
        arrived = concatenated(self._arrived)
        self._arrived = []
        held = self._chunks.take(distinct(key_marks(arrived.keys)))
        together = concatenated([*held, arrived])
        try:
            return merged_by(Runs(together.keys, together.panes, together.columns[END]), together)
        except FlottError as error:
            raise FlottError(f"{self.context.title}: {error}") from None

    def _process_in_order(self, arrived: Partials) -> None:
        self._settle()
        sessions = OrderedSessions(self._parts, self._watermark, self.plan.lateness)
        for held in self._chunks.take(distinct(key_marks(arrived.keys))):
            sessions.hold(held)
        sessions.add(arrived)
        self._late.inc(sessions.late)
        try:
            self._chunks.put(sessions.open(arrived))
            self._emit(sessions.columns(sessions.fired, arrived))
        except FlottError as error:
            raise FlottError(f"{self.context.title}: {error}") from None
        # A session that had fired may be due again, and one that was due may be later.
        self._due = min(self._due, self._watermark + 1)

    # Time

    def on_watermark(self, timestamp: int) -> int | None:
        self._watermark = timestamp
        if self._due <= timestamp:
            touched = [self._merged()] if self._arrived else []
            # What was taken is not among what is due; the keys of both are different ones.
            touched += self._chunks.take(self._chunks.due(timestamp))
            if touched:
                self._advance(concatenated(touched))
            self._due = self._chunks.next_due()
        return timestamp

    def _advance(self, sessions: Partials) -> None:
        """Let sessions fire that are over, and keep those that are not gone."""
        last, fired = sessions.columns[END] - 1, sessions.columns[FIRED]
        over = last <= self._watermark
        firing = np.flatnonzero(over & (fired == 0))
        self._emit(sessions.take(firing[np.argsort(last[firing], kind="stable")]))
        gone = over if not self.plan.lateness else last <= self._watermark - self.plan.lateness
        if self._watermark == MAX_WATERMARK:
            gone = over
        columns = {**sessions.columns, FIRED: over.astype(np.int64)}
        kept = Partials(sessions.keys, sessions.panes, columns)
        self._chunks.put(kept if not gone.any() else kept.take(np.flatnonzero(~gone)))

    def _emit(self, sessions: Partials) -> None:
        if len(sessions):
            self.output.emit(self.plan.results(sessions, sessions.panes, sessions.columns[END]))
