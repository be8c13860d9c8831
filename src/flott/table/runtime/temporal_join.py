"""Joins with versions: each row waits for the watermark, and takes what was valid at its time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_BEFORE, ChangesOut, keys_of, rows_of, unpack
from flott.table.runtime.residual import Residual
from flott.table.runtime.timed_rows import AtTheirTime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch
    from flott.table.expr import Expr
    from flott.table.runtime.changes import Row

MILLI = 1000
LEFT, RIGHT = 0, 1


@dataclass(frozen=True, slots=True)
class TemporalPlan:
    """Which rows belong together."""

    outer: bool
    """Whether rows of the left without a version are handed on, too."""
    keys: tuple[tuple[int, ...], tuple[int, ...]]
    times: tuple[int, int]
    residual: Expr | None
    types: tuple[tuple[Any, ...], tuple[Any, ...]]
    append_only: bool
    zone: str


class TemporalJoin(CombinedInputs, AtTheirTime):
    """Keeps rows of the left until their time has come, and of each key of the right the versions still needed.

    A deletion on the right is a version too: from its time on there is no row.
    """

    def __init__(self, plan: TemporalPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        plan = self.plan
        backend = self.context.keyed("the versions of rows")
        self._scope = backend.scope
        self._waiting: ValueState = backend.part("waiting", VALUE_STATE, lambda: ValueState(backend, "waiting"))
        self._versions: ValueState = backend.part("versions", VALUE_STATE, lambda: ValueState(backend, "versions"))
        self._timers = TimerService(backend, "versions", self.context.clock, self._fire, self._fire)
        self._residual = None if plan.residual is None else Residual(plan.residual, plan.types, plan.zone)
        self._out = ChangesOut((*plan.types[LEFT], *plan.types[RIGHT]), append_only=plan.append_only)
        self._nothing = (None,) * len(plan.types[RIGHT])
        self._found: list[tuple[int, Row, Row | None]] = []

    # Rows

    def process_input(self, index: int, batch: Batch) -> None:
        if index == RIGHT:
            self._add_versions(batch)
        else:
            self._wait(batch)

    def _wait(self, batch: Batch) -> None:
        time = self.plan.times[LEFT]
        for key, row, kind in self._rows(LEFT, batch):
            self._scope.key = key
            waiting: list[tuple[int, Row]] = self._waiting.value() or []
            waiting.append((kind, row))
            self._waiting.update(waiting)
            self._timers.register_event_time_timer(row[time] // MILLI)
        self._scope.unset()

    def _add_versions(self, batch: Batch) -> None:
        time = self.plan.times[RIGHT]
        for key, row, kind in self._rows(RIGHT, batch):
            if kind == UPDATE_BEFORE or _has_null(key, len(self.plan.keys[RIGHT])):
                continue  # What replaces it says from when on.
            self._scope.key = key
            versions: dict[int, Row | None] = self._versions.value() or {}
            versions[row[time]] = None if kind == DELETE else row
            self._versions.update(versions)
            self._timers.register_event_time_timer(row[time] // MILLI)
        self._scope.unset()

    def _rows(self, side: int, batch: Batch) -> Any:
        columns, kinds = unpack(batch)
        length = len(batch)
        if columns[self.plan.times[side]].null_count:
            raise FlottError(f"{self.context.title}: event time is NULL in a row; leave such rows out before the join")
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        return zip(keys_of(columns, self.plan.keys[side], length), rows_of(columns, length), changes, strict=True)

    # Time

    def hand_on(self) -> None:
        """Hand on what was found."""
        found, self._found = self._found, []
        holds: Iterator[bool] = repeat(True)
        if self._residual is not None:
            pairs = [(row, version) for _, row, version in found if version is not None]
            holds = iter(self._residual.holds(pairs, self.context.clock.now()))
        for kind, row, version in found:
            if version is not None and next(holds):
                self._out.add(kind, (*row, *version))
            elif self.plan.outer:
                self._out.add(kind, (*row, *self._nothing))
        super().hand_on()

    def _fire(self, time: int, key: Any) -> None:
        """Join the rows whose time has come, and forget the versions that were replaced by then."""
        versions: dict[int, Row | None] = self._versions.value() or {}
        waiting: list[tuple[int, Row]] = self._waiting.value() or []
        column = self.plan.times[LEFT]
        due = [pair for pair in waiting if pair[1][column] // MILLI <= time]
        if due:
            moments = sorted(versions)
            for kind, row in due:
                self._found.append((kind, row, _valid(versions, moments, row[column])))
            left = [pair for pair in waiting if pair[1][column] // MILLI > time]
            self._waiting.update(left or None)
        past = [moment for moment in versions if moment // MILLI <= time]
        if len(past) > 1 or (past and versions[past[0]] is None):
            last = max(past)
            kept = {moment: row for moment, row in versions.items() if moment >= last}
            if kept[last] is None:
                del kept[last]
            self._versions.update(kept or None)


def _valid(versions: dict[int, Row | None], moments: list[int], at: int) -> Row | None:
    """Return the version of a moment.

    >>> _valid({3: ("old",), 7: ("new",)}, [3, 7], 5)
    ('old',)
    """
    found = None
    for moment in moments:
        if moment > at:
            break
        found = versions[moment]
    return found


def _has_null(key: Any, width: int) -> bool:
    return key is None if width == 1 else None in key
