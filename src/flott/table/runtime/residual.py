"""What must hold of two rows besides that their keys are equal: asked of all pairs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from flott.table.arrow_types import column_of_plain
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.expr import Expr
    from flott.table.runtime.changes import Row


class Residual:
    """A condition over the columns of left and right."""

    def __init__(self, condition: Expr, types: tuple[tuple[Any, ...], tuple[Any, ...]], zone: str) -> None:
        self._condition = ArrowCompiler().compile(condition)
        self._types = types
        self._zone = zone

    def holds(self, pairs: Sequence[tuple[Row, Row]], now: int) -> list[bool]:
        """Say for each pair whether it belongs together."""
        if not pairs:
            return []
        columns = []
        for side, types in enumerate(self._types):
            values = zip(*(pair[side] for pair in pairs), strict=True)
            columns += [column_of_plain(list(some), kind) for some, kind in zip(values, types, strict=True)]
        answers: list[bool] = self.of_columns(columns, len(pairs), now).to_pylist()
        return answers

    def of_columns(self, columns: Sequence[Any], length: int, now: int) -> Any:
        """Say for each pair whether it belongs together; the columns are those of left, then those of right."""
        made = column_of(self._condition(columns, length, Session(self._zone, now)), length)
        return pc.fill_null(made, fill_value=False)
