"""Upserts become changes that also say what was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.operator import Operator
from flott.table.runtime.changes import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    ChangesOut,
    keys_of,
    rows_of,
    unpack,
)
from flott.table.runtime.kept_state import BatchClock, value_state

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState


class ChangelogNormalize(Operator):
    """Keeps the row of each key; of a deletion only the key has to be right."""

    def __init__(self, keys: tuple[int, ...], types: tuple[Any, ...], *, ttl: int = 0) -> None:
        self.keys = keys
        self.types = types
        self.ttl = ttl
        """After how many milliseconds a row is forgotten that was not written; 0 is never."""

    def open(self) -> None:
        backend = self.context.keyed("the row of a key")
        self._scope = backend.scope
        self._clock = BatchClock(self.context.clock)
        self._state: ValueState = value_state(backend, "row", self.ttl, self._clock)
        self._out = ChangesOut(self.types, append_only=False)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        keys = keys_of(columns, self.keys, length)
        with self._clock.stopped():
            for key, row, kind in zip(keys, rows_of(columns, length), changes, strict=True):
                self._scope.key = key
                self._change(row, kind)
        self._scope.unset()
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def _change(self, row: tuple[Any, ...], kind: int) -> None:
        if kind == UPDATE_BEFORE:
            raise FlottError(
                f"{self.context.title}: a stream of upserts has no rows of the kind -U, and {row!r:.100} is one"
            )
        before = self._state.value()
        if kind == DELETE:
            if before is not None:
                self._out.add(DELETE, tuple(before))
                self._state.clear()
            return
        if before is None:
            self._out.add(INSERT, row)
        elif tuple(before) != row:
            self._out.add(UPDATE_BEFORE, tuple(before))
            self._out.add(UPDATE_AFTER, row)
        self._state.update(row)
