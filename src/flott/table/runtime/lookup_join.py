"""Joins that look rows up: each batch asks once for all its keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.runtime.operator import Operator
from flott.table.arrow_types import column_of_plain
from flott.table.runtime.changes import pack, rows_of, unpack
from flott.table.runtime.residual import Residual

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.connectors.lookup import LookupTable
    from flott.table.expr import Expr
    from flott.table.runtime.changes import Row


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """What is looked up for each row."""

    outer: bool
    """Whether rows that find nothing are handed on, too."""
    keys: tuple[int, ...]
    """The columns of the input whose values are looked up."""
    residual: Expr | None
    types: tuple[tuple[Any, ...], tuple[Any, ...]]
    """The Arrow types of the columns of input and table."""
    zone: str


class LookupJoin(Operator):
    """Puts the rows that a table has for its keys behind each row. No state is kept: what was said stays said."""

    def __init__(self, plan: LookupPlan, table: LookupTable) -> None:
        self.plan = plan
        self.table = table

    def open(self) -> None:
        plan = self.plan
        self._residual = None if plan.residual is None else Residual(plan.residual, plan.types, plan.zone)
        self._nothing = (None,) * len(plan.types[1])
        self.table.open()

    def close(self) -> None:
        self.table.close()

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        keys = rows_of([columns[place] for place in self.plan.keys], length)
        asked = [key for key in dict.fromkeys(keys) if None not in key]
        found = self.table.lookup(asked, self.context.clock.now())
        pairs = [(place, row) for place, key in enumerate(keys) for row in found.get(key, ())]
        if self._residual is not None:
            rows = rows_of(columns, length)
            holds = self._residual.holds([(rows[place], row) for place, row in pairs], self.context.clock.now())
            pairs = [pair for pair, fits in zip(pairs, holds, strict=True) if fits]
        if self.plan.outer:
            pairs = self._with_the_others(pairs, length)
        if not pairs:
            return
        where = np.array([place for place, _ in pairs], np.int64)
        indices = pa.array(where)
        values = zip(*(row for _, row in pairs), strict=True)
        right = [column_of_plain(list(some), kind) for some, kind in zip(values, self.plan.types[1], strict=True)]
        left = [column.take(indices) for column in columns]
        self.output.emit(pack([*left, *right], None if kinds is None else kinds[where]))

    def _with_the_others(self, pairs: list[tuple[int, Row]], length: int) -> list[tuple[int, Row]]:
        """Return pairs with NULLs for rows that found nothing, all in the order of the input."""
        missing = set(range(length)) - {place for place, _ in pairs}
        return sorted([*pairs, *((place, self._nothing) for place in missing)], key=lambda pair: pair[0])
