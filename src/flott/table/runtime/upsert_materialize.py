"""Changes become upserts by key: what came last for a key, whatever way its changes took."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.runtime.operator import Operator
from flott.runtime.state.kinds import LIST_STATE
from flott.runtime.state.lists import ListState
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

if TYPE_CHECKING:
    from flott.runtime.batch import Batch


class UpsertMaterialize(Operator):
    """Keeps the rows of each key in the order in which they came; the last one is what the key stands for.

    Rows that share a key of the sink may come from different groups of the query, so that one is taken back after
    the next was there: the next must stay.
    """

    def __init__(self, keys: tuple[int, ...], types: tuple[Any, ...]) -> None:
        self.keys = keys
        self.types = types

    def open(self) -> None:
        backend = self.context.keyed("the rows of a key")
        self._scope = backend.scope
        self._rows: ListState = backend.part("rows", LIST_STATE, partial(ListState, backend, "rows"))
        self._out = ChangesOut(self.types, append_only=False)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        keys = keys_of(columns, self.keys, length)
        for key, row, kind in zip(keys, rows_of(columns, length), changes, strict=True):
            self._scope.key = key
            if kind in {UPDATE_BEFORE, DELETE}:
                self._remove(row)
            else:
                self._out.add(UPDATE_AFTER if self._rows.peek() else INSERT, row)
                self._rows.add(row)
        self._scope.unset()
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def _remove(self, row: tuple[Any, ...]) -> None:
        held = self._rows.peek()
        if row not in held:
            return
        place = len(held) - 1 - held[::-1].index(row)
        left = [*held[:place], *held[place + 1 :]]
        if not left:
            self._out.add(DELETE, row)
        elif place == len(left):
            self._out.add(UPDATE_AFTER, left[-1])
        self._rows.update(left)
