"""The upstream half: records of a key in a pane become one partial row before they travel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.runtime.windowing.vectorised.grouping import Groups
from flott.runtime.windowing.vectorised.pane_grid import PaneGrid
from flott.runtime.windowing.vectorised.partials import aggregated, concatenated, merged
from flott.runtime.windowing.vectorised.record_columns import RecordColumns, in_one_piece

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.runtime.windowing.vectorised.partials import Partials
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

BUNDLE = 1_000_000
"""So many records are gathered before they are aggregated: the more, the fewer partials."""

MANY_BUNDLES = 4


class LocalAggregate(Operator):
    """Aggregates records of a subtask by key and pane.

    Partials are handed on before the watermark that may let their windows fire, before the stream goes idle, and at
    the end of an epoch: what the next subtask takes for late is what it would take for late record by record.
    """

    _earliest: int | None
    """The earliest pane that something is held back of."""

    def __init__(self, plan: AggregatePlan) -> None:
        self.plan = plan

    def open(self) -> None:
        plan = self.plan
        self._grid = PaneGrid(plan.assigner)
        self._parts = plan.parts()
        self._records_in = RecordColumns(plan, self)

    def restore(self, carried: Any) -> None:
        self._active = True if carried is None else carried
        self._forget()

    def snapshot(self) -> Any:
        self._hand_on(None)
        return self._active

    def finish(self) -> None:
        self._hand_on(None)

    # Records

    def process(self, batch: Batch) -> None:
        if not len(batch):
            return
        panes = self._grid.panes_of_times(self._records_in.times(batch))
        columns = self._records_in.columns(batch)
        self._gathered.append((panes, columns))
        self._records += len(panes)
        earliest = int(panes.min())
        self._earliest = earliest if self._earliest is None else min(self._earliest, earliest)
        if self._records >= BUNDLE:
            self._bundle()
        if not self._active:
            self._hand_on(None)

    # Partials

    def _forget(self) -> None:
        self._gathered: list[tuple[NDArray[np.int64], dict[str, Any]]] = []
        self._records = 0
        self._partials: list[Partials] = []
        self._earliest = None

    def _bundle(self) -> None:
        """Make partials of the records gathered so far."""
        if self._gathered:
            panes = np.concatenate([panes for panes, _ in self._gathered])
            columns = in_one_piece([columns for _, columns in self._gathered])
            try:
                groups = Groups(columns[self.plan.key], panes, self._grid.length)
                partials = aggregated(groups, columns, self._parts)
            except FlottError as error:
                raise FlottError(f"{self.context.title}: {error}") from None
            self._partials.append(partials)
            self._gathered, self._records = [], 0
        if len(self._partials) >= MANY_BUNDLES:
            self._partials = [merged(self._partials, self._grid.length)]

    def _hand_on(self, watermark: int | None) -> None:
        """Hand on the partials of panes that are over at a watermark; without one, all."""
        if self._earliest is None:
            return
        self._bundle()
        length = self._grid.length
        whole = merged(self._partials, length) if len(self._partials) > 1 else concatenated(self._partials)
        over = len(whole) if watermark is None else int(np.searchsorted(whole.panes, watermark - length + 1, "right"))
        self._forget()
        if over < len(whole):
            self._partials = [whole.slice(over, len(whole))]
            self._earliest = int(whole.panes[over])
        if over:
            self.output.emit(whole.slice(0, over).as_batch(self._parts))

    # Time

    def on_watermark(self, timestamp: int) -> int | None:
        if self._earliest is not None and self._earliest + self._grid.length - 1 <= timestamp:
            self._hand_on(timestamp)
        return timestamp

    def on_status(self, active: bool) -> bool | None:
        self._active = active
        self._hand_on(None)
        return active
