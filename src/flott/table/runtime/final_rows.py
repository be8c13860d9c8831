"""Gathers changes until the input ends, and hands on the rows that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_BEFORE, ChangesOut, keys_of, unpack
from flott.table.runtime.timed_rows import AtTheirTime

if TYPE_CHECKING:
    from flott.runtime.batch import Batch


class FinalRows(AtTheirTime):
    """Counts equal rows; the whole row is the key."""

    def __init__(self, keys: tuple[int, ...], types: tuple[Any, ...]) -> None:
        self.keys = keys
        self.types = types

    def open(self) -> None:
        backend = self.context.keyed("the rows that are left")
        self._scope = backend.scope
        self._count: ValueState = backend.part("count", "value state", lambda: ValueState(backend, "count"))
        self._timers = TimerService(backend, "end", self.context.clock, self._tell, self._tell)
        self._out = ChangesOut(self.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        for key, kind in zip(keys_of(columns, self.keys, length), changes, strict=True):
            self._scope.key = key
            count = self._count.value()
            if count is None:
                count = 0
                self._timers.register_event_time_timer(MAX_WATERMARK)
            self._count.update(count - 1 if kind in {UPDATE_BEFORE, DELETE} else count + 1)
        self._scope.unset()

    def _tell(self, time: int, key: Any) -> None:
        row = key if len(self.keys) != 1 else (key,)
        for _ in range(self._count.value() or 0):
            self._out.add(INSERT, row)
