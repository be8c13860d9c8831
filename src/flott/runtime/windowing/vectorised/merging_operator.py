"""The downstream half: partials are merged by key and pane, and windows fire when the watermark passes their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.column_keys import key_groups
from flott.runtime.operator import Operator
from flott.runtime.state.kinds import PANES
from flott.runtime.state.schemas import schema_of_columns
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.runtime.windowing.vectorised.pane_chunks import PaneChunks
from flott.runtime.windowing.vectorised.pane_grid import PaneGrid
from flott.runtime.windowing.vectorised.partials import ROWS, Partials, concatenated, merged

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.windowing.vectorised.plan import AggregatePlan
    from flott.runtime.windowing.windows import TimeWindow


class MergingWindowOperator(Operator):
    """Windows over partials, with Flink's rules for lateness.

    A window that fired and gets late records within the allowed lateness fires again for their keys: once for each
    batch of partials, not once for each record. There are no timers: a subtask has few panes, each with all its keys.
    """

    waits_for_watermarks = True
    _watermark: int
    _fired_before: dict[int, int]
    """Per key group, after a rescaling: up to where windows fired before."""

    def __init__(self, plan: AggregatePlan) -> None:
        self.plan = plan

    def open(self) -> None:
        plan = self.plan
        backend = self.context.keyed("what windows hold")
        self._grid = PaneGrid(plan.assigner)
        self._parts = plan.parts()
        self._late = self.context.metrics.counter(LATE_RECORDS)
        length = self._grid.length
        schema = schema_of_columns(plan.stored())
        self._chunks: PaneChunks = backend.part(
            "window-panes", PANES, lambda: PaneChunks(backend, plan, length), schema
        )

    def restore(self, carried: Any) -> None:
        self._watermark, index = carried or (MIN_TIMESTAMP, None)
        self._fired_before = self._chunks.restore(index)
        self._arrived: list[Partials] = []
        self._due = self._next_due()
        self._next_gone = MIN_TIMESTAMP

    def snapshot(self) -> Any:
        self._settle()
        over = [
            window.end - 1
            for pane in self._chunks.panes()
            for window in self._grid.windows(pane)
            if window.end - 1 <= self._watermark
        ]
        before = max(self._fired_before.values(), default=None)
        fired = max(over, default=None)
        if before is not None and (fired is None or before > fired):
            fired = before if self._chunks.panes() else None
        return self._watermark, self._chunks.snapshot(fired)

    # Partials

    def process(self, batch: Batch) -> None:
        partials = Partials.of_batch(batch, self._parts)  # type: ignore[arg-type]
        earliest = int(partials.panes.min())
        if self._grid.windows(earliest)[0].end - 1 > self._watermark:
            self._arrived.append(partials)
            self._due = min(self._due, self._grid.windows(earliest)[0].end - 1)
        else:
            self._process_late(partials)

    def _process_late(self, partials: Partials) -> None:
        again: dict[TimeWindow, list[Any]] = {}
        ordered = partials.take(np.argsort(partials.panes, kind="stable"))
        for pane, piece in ordered.by_pane():
            windows = [window for window in self._grid.windows(pane) if self._gone(window) > self._watermark]
            if not windows:
                self._late.inc(int(piece.columns[ROWS].sum()))
                continue
            self._arrived.append(piece)
            for window in windows:
                if window.end - 1 <= self._watermark:
                    again.setdefault(window, []).append(piece.keys)
                else:
                    self._due = min(self._due, window.end - 1)
        if again:
            self._settle()
            for window in sorted(again, key=lambda window: window.end):
                self._fire(window, pa.concat_arrays(again[window]))

    def _gone(self, window: TimeWindow) -> int:
        """Return when a window is gone for good."""
        return min(window.end - 1 + self.plan.lateness, MAX_WATERMARK)

    def _settle(self) -> None:
        """Bring what arrived into its panes."""
        if self._arrived:
            for pane, piece in self._merged(self._arrived).by_pane():
                self._chunks.add(pane, piece)
                self._next_gone = min(self._next_gone, self._gone(self._grid.windows(pane)[-1]))
            self._arrived = []

    def _merged(self, partials: list[Partials], whole: int | None = None) -> Partials:
        try:
            return merged(partials, self._grid.length, whole=whole)
        except FlottError as error:
            raise FlottError(f"{self.context.title}: {error}") from None

    # Time

    def on_watermark(self, timestamp: int) -> int | None:
        if self._due <= timestamp:
            self._settle()
            panes = self._chunks.panes()
            due = {
                window
                for pane in panes
                for window in self._grid.windows(pane)
                if self._watermark < window.end - 1 <= timestamp
            }
            for window in sorted(due, key=lambda window: (window.end, window.start)):
                self._fire(window)
        self._watermark = timestamp
        if self._due <= timestamp:
            self._due = self._next_due()
        if self._next_gone <= timestamp:
            self._drop_gone()
        return timestamp

    def _drop_gone(self) -> None:
        self._next_gone = MAX_WATERMARK + 1
        for pane in self._chunks.panes():
            gone = self._gone(self._grid.windows(pane)[-1])
            if gone <= self._watermark:
                self._chunks.drop(pane)
            else:
                self._next_gone = min(self._next_gone, gone)

    def _next_due(self) -> int:
        """Return the last moment of the window that fires next."""
        return min(
            (
                window.end - 1
                for pane in self._chunks.panes()
                for window in self._grid.windows(pane)
                if window.end - 1 > self._watermark
            ),
            default=MAX_WATERMARK + 1,
        )

    def _fire(self, window: TimeWindow, keys: Any = None) -> None:
        """Hand on the results of a window; with ``keys``, of these only."""
        held = [piece for pane in self._panes_of(window) for piece in self._chunks.load(pane)]
        whole = self._merged(held, window.start) if len(held) > 1 else concatenated(held)
        if keys is not None:
            chosen = pc.is_in(whole.keys, keys, skip_nulls=False).to_numpy(zero_copy_only=False)
            whole = whole.take(np.flatnonzero(chosen))
        if self._fired_before and keys is None:
            whole = self._not_fired_before(whole, window)
        if len(whole):
            self.output.emit(self.plan.results(whole, window.start, window.end))

    def _panes_of(self, window: TimeWindow) -> list[int]:
        holds = self._chunks.holds
        return [pane for pane in self._grid.panes(window) if holds(pane)]

    def _not_fired_before(self, whole: Partials, window: TimeWindow) -> Partials:
        """Leave out the keys for which the window fired before the job was rescaled."""
        fired = self._fired_before
        groups = key_groups(whole.keys, self.context.max_parallelism)
        marks = np.array([fired.get(group, MIN_TIMESTAMP) for group in range(self.context.max_parallelism)])
        return whole.take(np.flatnonzero(marks[groups] < window.end - 1))
