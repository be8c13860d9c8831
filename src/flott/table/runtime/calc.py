"""Filters rows and computes columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.runtime.operator import Operator, close_all
from flott.table.arrow_types import to_arrow_type
from flott.table.compile import ArrowCompiler, column_of
from flott.table.expr import InputRef, UserCall
from flott.table.functions.registry import Session
from flott.table.runtime.changes import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.batch import Batch
    from flott.table.expr import Expr


class Calc(Operator):
    """Keeps the rows for which a condition is TRUE, and computes new columns of them."""

    def __init__(self, condition: Expr | None, exprs: tuple[Expr, ...] | None, zone: str) -> None:
        self.condition = condition
        self.exprs = exprs
        self.zone = zone

    def open(self) -> None:
        compiler = ArrowCompiler()
        self._condition = None if self.condition is None else compiler.compile(self.condition)
        self._exprs = None
        if self.exprs is not None:
            self._exprs = [
                (compiler.compile(expr), None if isinstance(expr, InputRef) else to_arrow_type(expr.type))
                for expr in self.exprs
            ]
        self._users = user_functions([*(self.exprs or ()), *([self.condition] if self.condition else [])])
        for user in self._users:
            user.open(self.context)

    def close(self) -> None:
        close_all(self._users)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        session = Session(self.zone, self.context.clock.now())
        try:
            if self._condition is not None:
                holds = column_of(self._condition(columns, length, session), length)
                chosen = np.flatnonzero(pc.fill_null(holds, fill_value=False).to_numpy(zero_copy_only=False))
                if len(chosen) < length:
                    if not len(chosen):
                        return
                    indices = pa.array(chosen)
                    columns = tuple(column.take(indices) for column in columns)
                    kinds = None if kinds is None else kinds[chosen]
                    length = len(chosen)
            if self._exprs is not None:
                columns = tuple(
                    _typed(column_of(expr(columns, length, session), length), kind) for expr, kind in self._exprs
                )
        except FlottError as error:
            raise FlottError(f"{self.context.title}: {error}") from error
        self.output.emit(pack(columns, kinds))


def _typed(column: Any, kind: Any) -> Any:
    return column if kind is None or column.type == kind else column.cast(kind)


def user_functions(exprs: Iterable[Expr]) -> list[Any]:
    """Return the user's functions in expressions, each once."""
    found = {id(part.function): part.function for expr in exprs for part in expr.walk() if isinstance(part, UserCall)}
    return list(found.values())
