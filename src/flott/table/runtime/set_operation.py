"""INTERSECT and EXCEPT: how often a row is in each of two inputs says how often it comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.table.plan.set_operation import INTERSECT
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_BEFORE, ChangesOut, keys_of, unpack
from flott.table.runtime.kept_state import BatchClock, value_state

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.state.values import ValueState


@dataclass(frozen=True, slots=True)
class SetPlan:
    """What comes out.

    >>> SetPlan("EXCEPT", every=True, types=(), append_only=False).count(3, 1)
    2
    """

    kind: str
    every: bool
    types: tuple[Any, ...]
    """The Arrow types of the columns."""
    append_only: bool
    ttl: int = 0
    """After how many milliseconds a row is forgotten that did not come again; 0 is never."""

    def count(self, left: int, right: int) -> int:
        """Return how often a row comes out that is so often in the left and in the right."""
        if self.kind == INTERSECT:
            both = min(left, right)
            return both if self.every else min(both, 1)
        return max(left - right, 0) if self.every else int(left > 0 and right <= 0)


class SetOperation(CombinedInputs):
    """Counts each row of both inputs, and hands on how its number in the result changes."""

    def __init__(self, plan: SetPlan) -> None:
        self.plan = plan

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("how often rows are there")
        self._scope = backend.scope
        self._clock = BatchClock(self.context.clock)
        self._counts: ValueState = value_state(backend, "counts", self.plan.ttl, self._clock)
        self._out = ChangesOut(self.plan.types, append_only=self.plan.append_only)

    def process_input(self, index: int, batch: Batch) -> None:
        with self._clock.stopped():
            self._process(index, batch)

    def _process(self, side: int, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        width = len(columns)
        changes = [INSERT] * length if kinds is None else kinds.tolist()
        count = self.plan.count
        for key, kind in zip(keys_of(columns, range(width), length), changes, strict=True):
            self._scope.key = key
            counts = list(self._counts.value() or (0, 0))
            before = count(*counts)
            counts[side] += -1 if kind in {UPDATE_BEFORE, DELETE} else 1
            self._counts.update(counts if any(counts) else None)
            after = count(*counts)
            if after != before:
                self._out.add(INSERT if after > before else DELETE, (key,) if width == 1 else key)
        self._scope.unset()
        made = self._out.take()
        if made is not None:
            self.output.emit(made)
