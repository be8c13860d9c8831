"""Aggregates of groups that change with every row: each change takes the old result back and gives the new one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.table.arrow_types import plain_values, to_arrow_type
from flott.table.functions.aggregates import Aggregate, aggregate
from flott.table.python_values import to_python
from flott.table.runtime.changes import (
    DELETE,
    INSERT,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    ChangesOut,
    keys_of,
    unpack,
)
from flott.table.runtime.kept_state import BatchClock, map_state, value_state
from flott.table.runtime.user_aggregate import UserAggregates, user_aggregate

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.maps import MapState
    from flott.runtime.state.values import ValueState
    from flott.table.expr import AggregateCall
    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """What is grouped by what."""

    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    inputs: tuple[DataType, ...]
    """The types of the input's columns."""
    retracting: bool
    """Whether the input takes rows back."""

    def outputs(self) -> list[Any]:
        """Return the Arrow types of the results."""
        return [
            to_arrow_type(kind) for kind in (*(self.inputs[key] for key in self.keys), *(c.type for c in self.calls))
        ]

    def aggregates(self) -> list[Aggregate]:
        """Return how each call works."""
        return [
            user_aggregate(call, self.inputs)
            if call.user is not None
            else aggregate(
                call.function,
                self.inputs[call.args[0]] if call.args else None,
                call.type,
                retracting=self.retracting and not call.distinct,
            )
            for call in self.calls
        ]


class Arguments:
    """The values that aggregates see of a batch; those of rows that do not count are left out by ``counts``."""

    def __init__(self, plan: GroupPlan, columns: tuple[Any, ...]) -> None:
        self.values: list[list[Any] | None] = []
        self.counts: list[list[bool] | None] = []
        for call in plan.calls:
            if call.user is not None:
                args = [to_python(columns[position], plan.inputs[position]) for position in call.args]
                self.values.append(list(zip(*args, strict=True)) if args else [()] * len(columns[0]))
            elif not call.args:
                self.values.append(None)
            else:
                self.values.append(plain_values(columns[call.args[0]]))
            self.counts.append(None if call.filter is None else columns[call.filter].to_pylist())


class GroupAggregate(UserAggregates):
    """Keeps accumulators for each group, and hands on how its result changes."""

    def __init__(self, plan: GroupPlan, *, bundle: bool, ttl: int = 0) -> None:
        self.plan = plan
        self.ttl = ttl
        """After how many milliseconds without a row a group is forgotten; 0 is never."""
        self.bundle = bundle
        """Whether only the last result of a batch is handed on, for each group."""

    def open(self) -> None:
        super().open()
        plan = self.plan
        backend = self.context.keyed("what groups hold")
        self._scope = backend.scope
        self._clock = BatchClock(self.context.clock)
        self._state: ValueState = value_state(backend, "groups", self.ttl, self._clock)
        self._aggregates = plan.aggregates()
        self._seen: list[MapState | None] = [
            map_state(backend, f"distinct-{number}", self.ttl, self._clock) if call.distinct else None
            for number, call in enumerate(plan.calls)
        ]
        for one, call in zip(self._aggregates, plan.calls, strict=True):
            if plan.retracting and one.retract is None and not call.distinct:
                raise FlottError(f"{self.context.title}: {call.function} can't take rows back, and its input does")
        self._out = ChangesOut(plan.outputs(), append_only=False)

    def process(self, batch: Batch) -> None:
        with self._clock.stopped():
            self._process(batch)

    def _process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        keys = keys_of(columns, self.plan.keys, len(batch))
        arguments = self._arguments(columns)
        removed = [False] * len(keys) if kinds is None else [kind in {UPDATE_BEFORE, DELETE} for kind in kinds.tolist()]
        touched: dict[Any, None] = {}
        for number, (key, remove) in enumerate(zip(keys, removed, strict=True)):
            self._scope.key = key
            if not self._change(number, arguments, remove=remove):
                continue
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

    def _arguments(self, columns: tuple[Any, ...]) -> Arguments:
        return Arguments(self.plan, columns)

    def _change(self, number: int, arguments: Arguments, *, remove: bool) -> bool:
        """Add a row to its group, or take it back; say whether there is something to report."""
        group = self._state.value()
        if group is None:
            if remove:
                return False  # It was never there, or too long ago.
            group = [0, [one.create() for one in self._aggregates], None]
        group[0] += -1 if remove else 1
        for place, one in enumerate(self._aggregates):
            counts = arguments.counts[place]
            if counts is not None and not counts[number]:
                continue
            values = arguments.values[place]
            value = True if values is None else values[number]
            if value is None or not self._counts(place, value, remove=remove):
                continue
            (one.retract if remove else one.add)(group[1][place], value)
        self._state.update(group)
        return True

    def _counts(self, place: int, value: Any, *, remove: bool) -> bool:
        """Say whether a value changes an aggregate of distinct ones: only the first and the last of equals do."""
        seen = self._seen[place]
        if seen is None:
            return True
        before = seen.get(value) or 0
        after = before - 1 if remove else before + 1
        if after:
            seen.put(value, after)
        else:
            seen.remove(value)
        return (before == 0 and after == 1) or (before == 1 and after == 0)

    def _report(self, key: Any) -> None:
        group = self._state.value()
        count, accumulators, before = group
        heads = key if len(self.plan.keys) != 1 else (key,)
        if count <= 0:
            if before is not None:
                self._out.add(DELETE, (*heads, *before))
            self._forget()
            return
        after = tuple(one.result(acc) for one, acc in zip(self._aggregates, accumulators, strict=True))
        if before is None:
            self._out.add(INSERT, (*heads, *after))
        elif before != after:
            self._out.add(UPDATE_BEFORE, (*heads, *before))
            self._out.add(UPDATE_AFTER, (*heads, *after))
        group[2] = after
        self._state.update(group)

    def _forget(self) -> None:
        self._state.clear()
        for seen in self._seen:
            if seen is not None:
                seen.clear()
