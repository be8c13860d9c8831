"""Gathers changes until the input ends, and hands on the rows that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_BEFORE, ChangesOut, keys_of, rows_of, unpack
from flott.table.runtime.timed_rows import AtTheirTime

if TYPE_CHECKING:
    from flott.runtime.batch import Batch


class FinalRows(AtTheirTime):
    """Counts equal rows; the whole row is the key.

    Rows, arrays and maps are no keys: strings stand for them in columns behind the others, and they are kept beside
    the count.
    """

    def __init__(self, keys: tuple[int, ...], types: tuple[Any, ...], kept: tuple[int, ...] = ()) -> None:
        self.keys = keys
        self.types = types
        self.kept = kept

    def open(self) -> None:
        backend = self.context.keyed("the rows that are left")
        self._scope = backend.scope
        self._count: ValueState = backend.part("count", VALUE_STATE, lambda: ValueState(backend, "count"))
        self._timers = TimerService(backend, "end", self.context.clock, self._tell, self._tell)
        self._out = ChangesOut(self.types, append_only=True)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        kept = rows_of([columns[place] for place in self.kept], length)
        for key, kind, cells in zip(keys_of(columns, self.keys, length), changes, kept, strict=True):
            self._scope.key = key
            held = self._count.value()
            if held is None:
                held = (0, cells) if self.kept else 0
                self._timers.register_event_time_timer(MAX_WATERMARK)
            more = -1 if kind in {UPDATE_BEFORE, DELETE} else 1
            self._count.update((held[0] + more, held[1]) if self.kept else held + more)
        self._scope.unset()

    def _tell(self, time: int, key: Any) -> None:
        held: Any = self._count.value()
        count, cells = held if self.kept else (held or 0, ())
        values = dict(zip(self.keys, key if len(self.keys) != 1 else (key,), strict=True))
        values.update(zip(self.kept, cells, strict=True))
        row = tuple(values[place] for place in range(len(self.types)))
        for _ in range(count):
            self._out.add(INSERT, row)
