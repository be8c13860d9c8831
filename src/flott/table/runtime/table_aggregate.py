"""Aggregates that give several rows for each group: all of them are taken back when the group changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.table.python_values import plain_from_python
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_BEFORE, ChangesOut, keys_of, unpack
from flott.table.runtime.group_aggregate import Arguments
from flott.table.runtime.kept_state import BatchClock, value_state
from flott.table.runtime.user_aggregate import UserAggregates
from flott.table.table_function import rows_of_result

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState
    from flott.table.runtime.changes import Row
    from flott.table.runtime.group_aggregate import GroupPlan


class TableAggregate(UserAggregates):
    """Keeps an accumulator for each group, and what it gave last."""

    def __init__(self, plan: GroupPlan, types: tuple[Any, ...], *, bundle: bool, ttl: int = 0) -> None:
        self.plan = plan
        """With one call: that of the table aggregate function."""
        self.types = types
        self.ttl = ttl
        """After how many milliseconds without a row a group is forgotten; 0 is never."""
        self.bundle = bundle
        """Whether only the last result of a batch is handed on, for each group."""

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("what groups hold")
        self._scope = backend.scope
        self._clock = BatchClock(self.context.clock)
        self._state: ValueState = value_state(backend, "groups", self.ttl, self._clock)
        self._user = self.plan.calls[0].user
        self._out = ChangesOut(self.types, append_only=False)

    def process(self, batch: Batch) -> None:
        with self._clock.stopped():
            self._process(batch)

    def _process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        keys = keys_of(columns, self.plan.keys, len(batch))
        (values,) = Arguments(self.plan, columns).values
        changes = [INSERT] * len(keys) if kinds is None else kinds.tolist()
        function = self._user.func
        touched: dict[Any, None] = {}
        for number, (key, kind) in enumerate(zip(keys, changes, strict=True)):
            self._scope.key = key
            remove = kind in {UPDATE_BEFORE, DELETE}
            group = self._state.value()
            if group is None:
                if remove:
                    continue  # It was never there, or too long ago.
                group = [0, function.create_accumulator(), []]
            group[0] += -1 if remove else 1
            value = () if values is None else values[number]
            args = value if isinstance(value, tuple) else (value,)
            (function.retract if remove else function.accumulate)(group[1], *args)
            self._state.update(group)
            if self.bundle:
                touched[key] = None
            else:
                self._report(key)
        for key in touched:
            self._scope.key = key
            self._report(key)
        self._scope.unset()
        made = self._out.take()
        if made is not None:
            self.output.emit(made)

    def _report(self, key: Any) -> None:
        count, accumulator, before = group = self._state.value()
        heads = key if len(self.plan.keys) != 1 else (key,)
        after = [] if count <= 0 else [self._plain(row) for row in rows_of_result(self._emitted(accumulator))]
        if after != before:
            for row in before:
                self._out.add(DELETE, (*heads, *row))
            for row in after:
                self._out.add(INSERT, (*heads, *row))
        if count <= 0:
            self._state.clear()
            return
        group[2] = after
        self._state.update(group)

    def _emitted(self, accumulator: Any) -> list[Any]:
        found = self._user.func.emit_value(accumulator)
        return [] if found is None else list(map(self.context.emission.one, found))

    def _plain(self, row: Row) -> Row:
        fields = self._user.fields
        if len(row) != len(fields):
            raise FlottError(
                f"{self.context.title}: {self._user.name} gave {row!r:.100}, which has {len(row)} values for "
                f"{len(fields)} columns; declare what it gives as result_type"
            )
        return tuple(plain_from_python(value, field.data_type) for value, field in zip(row, fields, strict=True))
