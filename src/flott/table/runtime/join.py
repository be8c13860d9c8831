"""Joins that keep both sides: whatever comes later on the other side still finds its partners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.state.kinds import MAP_STATE
from flott.runtime.timers import TimerService
from flott.table.runtime.changes import (
    DELETE,
    INSERT,
    UPDATE_BEFORE,
    ChangesOut,
    keys_of,
    rows_of,
    unpack,
)
from flott.table.runtime.kept_state import BatchClock, map_state
from flott.table.runtime.residual import Residual
from flott.table.runtime.timed_rows import TimedRows

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.kinds import StateKind
    from flott.runtime.state.maps import MapState
    from flott.table.expr import Expr
    from flott.table.runtime.changes import Row

LEFT, RIGHT = 0, 1
MILLI = 1000


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """Which rows belong together, and what becomes of those without a partner."""

    kind: str
    keys: tuple[tuple[int, ...], tuple[int, ...]]
    nulls_match: tuple[bool, ...]
    """For each key column whether NULL is equal to NULL there."""
    residual: Expr | None
    """What else must hold, over the columns of left and right."""
    types: tuple[tuple[Any, ...], tuple[Any, ...]]
    """The Arrow types of the columns of left and right."""
    append_only: bool
    zone: str
    ttls: tuple[int, int] = (0, 0)
    """For each side: after how many milliseconds a row is forgotten that was not touched; 0 is never."""
    expiry: tuple[tuple[int, int], tuple[int, int]] | None = None
    """For each side: which column is event time, and after how many milliseconds no partner can come any more."""

    @property
    def stays(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """What ``expiry`` says of a join that has it."""
        if self.expiry is None:
            raise TypeError("this join has no bounds of event time")
        return self.expiry

    def held_back(self, timestamp: int) -> int:
        """Return how far event time has come behind the join: its rows have the times of both sides."""
        if self.expiry is None or timestamp == MAX_WATERMARK:
            return timestamp
        return max(timestamp - 1 - max(stay for _, stay in self.expiry), MIN_TIMESTAMP)

    def pads(self, side: int) -> bool:
        """Say whether rows of a side are handed on without a partner, too."""
        return self.kind == "FULL" or self.kind == ("LEFT", "RIGHT")[side]


class Join(CombinedInputs, TimedRows):
    """Keeps the rows of both sides by key, each with how often it is there and how many partners it has."""

    saved_as: ClassVar[StateKind] = MAP_STATE
    """The kind of state that the rows of each side are saved as."""

    def __init__(self, plan: JoinPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        plan = self.plan
        backend = self.context.keyed("the rows of a join")
        self._scope = backend.scope
        self._clock = BatchClock(self.context.clock)
        self._sides: list[MapState] = [
            map_state(backend, name, ttl, self._clock, self.saved_as)
            for name, ttl in zip(("left", "right"), plan.ttls, strict=True)
        ]
        self._timers = TimerService(backend, "expiry", self.context.clock, self._expire, self._expire)
        self._residual = None if plan.residual is None else Residual(plan.residual, plan.types, plan.zone)
        types = plan.types[LEFT] if plan.kind in {"SEMI", "ANTI"} else (*plan.types[LEFT], *plan.types[RIGHT])
        self._out = ChangesOut(types, append_only=plan.append_only)
        self._nothing = [(None,) * len(types) for types in plan.types]

    def process_input(self, index: int, batch: Batch) -> None:
        with self._clock.stopped():
            self._process(index, batch)

    def _process(self, side: int, batch: Batch) -> None:
        plan = self.plan
        columns, kinds = unpack(batch)
        length = len(batch)
        keys = keys_of(columns, plan.keys[side], length)
        rows = rows_of(columns, length)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        partners = self._partners(side, keys, rows)
        for key, row, kind, found in zip(keys, rows, changes, partners, strict=True):
            self._scope.key = key
            remove = kind in {UPDATE_BEFORE, DELETE}
            if plan.kind in {"SEMI", "ANTI"}:
                self._half(side, row, found, remove=remove)
            else:
                self._whole(side, row, kind, found, remove=remove)
            self._keep(side, row, self._number(side, found), remove=remove)
        self._scope.unset()
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    # Who belongs together

    def _partners(self, side: int, keys: list[Any], rows: list[Row]) -> list[list[Row]]:
        """Return for each row the rows of the other side that belong to it."""
        other = self._sides[1 - side]
        found: list[list[Row]] = []
        for key in keys:
            if self._matches_nothing(key):
                found.append([])
                continue
            self._scope.key = key
            found.append(list(other.keys()))
        if self._residual is None:
            return found
        pairs = [
            (row, one) if side == LEFT else (one, row) for row, some in zip(rows, found, strict=True) for one in some
        ]
        if not pairs:
            return found
        holds = iter(self._residual.holds(pairs, self.context.clock.now()))
        return [[one for one in some if next(holds)] for some in found]

    def _matches_nothing(self, key: Any) -> bool:
        parts = key if len(self.plan.nulls_match) != 1 else (key,)
        return any(part is None and not same for part, same in zip(parts, self.plan.nulls_match, strict=True))

    # What comes out

    def _whole(self, side: int, row: Row, kind: int, found: list[Row], *, remove: bool) -> None:
        other = self._sides[1 - side]
        pads, pads_other = self.plan.pads(side), self.plan.pads(1 - side)
        if not found and pads:
            self._emit(DELETE if remove else INSERT, side, row, self._nothing[1 - side])
        for one in found:
            count, partners = other.get(one)
            for _ in range(count):
                if pads_other and not remove and partners == 0:
                    self._emit(DELETE, 1 - side, one, self._nothing[side])
                plain = pads or pads_other
                self._emit((DELETE if remove else INSERT) if plain else kind, side, row, one)
                if pads_other and remove and partners == 1:
                    self._emit(INSERT, 1 - side, one, self._nothing[side])
            if pads_other:
                other.put(one, [count, partners - 1 if remove else partners + 1])

    def _half(self, side: int, row: Row, found: list[Row], *, remove: bool) -> None:
        """Hand on rows of the left that have a partner (SEMI), or that have none (ANTI)."""
        semi = self.plan.kind == "SEMI"
        if side == LEFT:
            if bool(found) == semi:
                self._out.add(DELETE if remove else INSERT, row)
            return
        left = self._sides[LEFT]
        for one in found:
            count, partners = left.get(one)
            now = partners - 1 if remove else partners + 1
            left.put(one, [count, now])
            if min(partners, now) == 0:
                appears = (now > 0) == semi
                for _ in range(count):
                    self._out.add(INSERT if appears else DELETE, one)

    def _emit(self, kind: int, side: int, row: Row, other: Row) -> None:
        self._out.add(kind, (*row, *other) if side == LEFT else (*other, *row))

    # What is kept

    def _number(self, side: int, found: list[Row]) -> int:
        """Return how many partners a row has, where anybody asks."""
        if self.plan.kind == "INNER":
            return 0
        return sum(self._sides[1 - side].get(one)[0] for one in found)

    def _keep(self, side: int, row: Row, partners: int, *, remove: bool) -> None:
        if self._matches_nothing(self._scope.key):
            return  # No partner will ever come.
        own = self._sides[side]
        count, _ = own.get(row) or (0, 0)
        count += -1 if remove else 1
        if count > 0:
            own.put(row, [count, partners])
        else:
            own.remove(row)

    def _expire(self, time: int, key: Any) -> None:
        """Forget the rows of a key whose time is over: of those without bounds none."""
