"""The upstream half: records of a key in a pane become one partial row before they travel."""

from __future__ import annotations

from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.errors import FlottError
from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.operator import Operator
from flott.runtime.windowing.assigner import no_timestamp
from flott.runtime.windowing.vectorised.pane_grid import PaneGrid
from flott.runtime.windowing.vectorised.partials import aggregated, concatenated, merged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.runtime.windowing.vectorised.partials import Partials
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

BUNDLE = 1_000_000
"""So many records are gathered before they are aggregated: the more, the fewer partials."""

MANY_BUNDLES = 4

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "whole": (int, np.integer),
    "floating": (float, int, np.floating),
    "text": (str,),
    "boolean": (bool, np.bool_),
}


def _family(kind: Any) -> str:
    if pa.types.is_integer(kind):
        return "whole"
    if pa.types.is_floating(kind):
        return "floating"
    return "boolean" if pa.types.is_boolean(kind) else "text"


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
        self._fields = list(dict.fromkeys([plan.key, *plan.fields()]))
        names = list(plan.types)
        self._getters = {name: itemgetter(names.index(name)) for name in self._fields}

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
        times = self._times(batch)
        panes = self._grid.panes_of_times(times)
        columns = {name: self._column(batch, name) for name in self._fields}
        self._gathered.append((panes, columns))
        self._records += len(panes)
        earliest = int(panes.min())
        self._earliest = earliest if self._earliest is None else min(self._earliest, earliest)
        if self._records >= BUNDLE:
            self._bundle()
        if not self._active:
            self._hand_on(None)

    def _times(self, batch: Batch) -> NDArray[np.int64]:
        stamps = batch.times if batch.columnar else batch.stamps  # type: ignore[attr-defined]
        if stamps is not None and (batch.columnar or None not in stamps):
            times = np.asarray(stamps, np.int64)
            if int(times.min()) != MIN_TIMESTAMP:
                return times
        raise no_timestamp(self.plan.assigner, batch.values[0])

    def _column(self, batch: Batch, name: str) -> Any:
        kind = self.plan.types[name]
        if batch.columnar:
            column = batch.column(name)  # type: ignore[attr-defined]
            column = column if column.type == kind else column.cast(kind)
        else:
            records = iter(batch.values)
            try:
                values = list(map(self._getters[name], records))
            except Exception as error:  # noqa: BLE001 - whatever a record is
                raise self.failed(error, records, batch.values) from None
            column = self._array(name, kind, values)
        if column.null_count and name in self.plan.required:
            record = batch.values[column.is_null().to_pylist().index(True)]
            raise FlottError(f"{self.context.title}: field '{name}' of record {record!r:.200} is None; give it a value")
        return column

    def _array(self, name: str, kind: Any, values: list[Any]) -> Any:
        """Return values as a column, if they are of its type: Arrow would cut 1.5 to 1 without a word."""
        allowed = PYTHON_TYPES[_family(kind)]
        for found in set(map(type, values)):
            if found is not NoneType and not issubclass(found, allowed):
                wrong = next(value for value in values if type(value) is found)
                raise self._misfit(name, kind, wrong)
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, OverflowError):
            for value in values:
                try:
                    pa.array([value], kind)
                except (pa.ArrowException, OverflowError):
                    raise self._misfit(name, kind, value) from None
            raise

    def _misfit(self, name: str, kind: Any, value: Any) -> FlottError:
        return FlottError(
            f"{self.context.title}: field '{name}' holds {value!r:.100}, which is not of its declared type ({kind} in "
            f"Arrow). Declare the type that the values have, or key by a function instead of a field name, so that "
            f"records are looked at one by one."
        )

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
            pieces = [columns for _, columns in self._gathered]
            columns = {name: pa.concat_arrays([piece[name] for piece in pieces]) for name in self._fields}
            keys = columns[self.plan.key]
            try:
                partials = aggregated(keys, panes, columns, self._parts, self._grid.length)
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

    def process_watermark(self, timestamp: int) -> None:
        if self._earliest is not None and self._earliest + self._grid.length - 1 <= timestamp:
            self._hand_on(timestamp)
        self.output.emit_watermark(timestamp)

    def process_status(self, active: bool) -> None:
        self._active = active
        self._hand_on(None)
        self.output.emit_status(active)
