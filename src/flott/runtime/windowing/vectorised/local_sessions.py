"""The upstream half of session windows: records of a key that belong together become one partial row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.operator import Operator
from flott.runtime.windowing.vectorised import local_operator
from flott.runtime.windowing.vectorised.partials import aggregated
from flott.runtime.windowing.vectorised.record_columns import RecordColumns, in_one_piece
from flott.runtime.windowing.vectorised.runs import Runs, Single
from flott.runtime.windowing.vectorised.session_parts import END

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.runtime.windowing.vectorised.plan import AggregatePlan


class LocalSessions(Operator):
    """Gathers records of a subtask, and hands on a row for each key and stretch of time without a gap.

    The watermark waits together with the records, so that there are few large bundles: a record that is ahead of it
    can't belong to a session that it lets fire. One that is not makes both go on their way at once. Where a record
    is so late that its own session would be over, what becomes of it depends on what came before it: the records of
    its key go on one by one.
    """

    _active: bool
    _passed: int
    """The watermark that the next subtask knows."""
    _waiting: int
    """The last watermark that came in."""

    def __init__(self, plan: AggregatePlan) -> None:
        self.plan = plan

    def open(self) -> None:
        self._gap: int = self.plan.assigner._session_gap  # noqa: SLF001 - the two know each other
        self._parts = self.plan.parts()
        self._travelling = (END, *self._parts)
        self._records_in = RecordColumns(self.plan, self)

    def restore(self, carried: Any) -> None:
        self._active, self._passed = carried or (True, MIN_TIMESTAMP)
        self._waiting = self._passed
        self._forget()

    def snapshot(self) -> Any:
        self._hand_on()
        return self._active, self._passed

    def finish(self) -> None:
        self._hand_on()

    # Records

    def process(self, batch: Batch) -> None:
        if not len(batch):
            return
        times = self._records_in.times(batch)
        columns = self._records_in.columns(batch)
        if int(times.min()) <= self._waiting:
            self._hand_on()
            times, columns = self._without_late(times, columns)
        if len(times):
            self._gathered.append((times, columns))
            self._records += len(times)
        if self._records >= local_operator.BUNDLE or not self._active:
            self._hand_on()

    def _without_late(
        self, times: NDArray[np.int64], columns: dict[str, Any]
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Hand on the records of each key of which one is late, as they came; return all others."""
        late = times + (self._gap - 1) <= self._passed
        if not late.any():
            return times, columns
        keys = columns[self.plan.key]
        apart = pc.is_in(keys, keys.filter(pa.array(late)), skip_nulls=False).to_numpy(zero_copy_only=False)
        chosen = pa.array(apart)
        self._emit({name: column.filter(chosen) for name, column in columns.items()}, times[apart], alone=True)
        others = pa.array(~apart)
        return times[~apart], {name: column.filter(others) for name, column in columns.items()}

    def _forget(self) -> None:
        self._gathered: list[tuple[NDArray[np.int64], dict[str, Any]]] = []
        self._records = 0

    def _hand_on(self) -> None:
        """Hand on all that was gathered, and the watermark behind it."""
        if self._gathered:
            times = np.concatenate([times for times, _ in self._gathered])
            columns = in_one_piece([columns for _, columns in self._gathered])
            self._forget()
            self._emit(columns, times, alone=False)
        if self._waiting > self._passed:
            self._passed = self._waiting
            self.output.emit_watermark(self._waiting)

    def _emit(self, columns: dict[str, Any], times: NDArray[np.int64], *, alone: bool) -> None:
        keys = columns[self.plan.key]
        ends = times + self._gap
        try:
            if alone:
                partials = aggregated(Single(keys, times), columns, self._parts)
            else:
                runs = Runs(keys, times, ends)
                partials = aggregated(runs, columns, self._parts)
                ends = runs.ends
        except FlottError as error:
            raise FlottError(f"{self.context.title}: {error}") from None
        partials.columns[END] = ends
        self.output.emit(partials.as_batch(self._travelling))

    # Time

    def on_watermark(self, timestamp: int) -> int | None:
        self._waiting = timestamp
        if not self._gathered or timestamp == MAX_WATERMARK:
            self._hand_on()
        return None  # It goes on with what was gathered.

    def on_status(self, active: bool) -> bool | None:
        self._active = active
        self._hand_on()
        return active
