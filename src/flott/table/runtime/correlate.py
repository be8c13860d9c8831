"""Table functions: each row together with the rows that a function makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.operator import Operator, close_all
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session
from flott.table.python_values import column_from_python
from flott.table.runtime.calc import user_functions
from flott.table.runtime.changes import pack, unpack
from flott.table.table_function import rows_of_result
from flott.table.user_calls import rows_of_arguments

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.expr import UserCall


class Correlate(Operator):
    """Calls a table function with each row, and hands the row on once for each row that it gives."""

    def __init__(self, call: UserCall, zone: str, *, outer: bool) -> None:
        self.call = call
        self.zone = zone
        self.outer = outer

    def open(self) -> None:
        compiler = ArrowCompiler()
        self._args = [compiler.compile(arg) for arg in self.call.args]
        self._users = user_functions([self.call])
        for user in self._users:
            user.open(self.context)

    def close(self) -> None:
        close_all(self._users)

    def process(self, batch: Batch) -> None:
        columns, kinds = unpack(batch)
        length = len(batch)
        session = Session(self.zone, self.context.clock.now())
        args = [column_of(arg(columns, length, session), length) for arg in self._args]
        where, made = self._made(args, length)
        if not where:
            return
        chosen = np.array(where, np.int64)
        indices = pa.array(chosen)
        kept = [column.take(indices) for column in columns]
        self.output.emit(pack([*kept, *self._columns(made)], None if kinds is None else kinds[chosen]))

    def _made(self, args: list[Any], length: int) -> tuple[list[int], list[tuple[Any, ...]]]:
        """Return the rows that the function gives, and for each of them of which row it is."""
        call = self.call
        evaluate, extend = call.function.evaluator(), self.context.emission.extend
        nothing = (None,) * len(call.function.fields)
        where: list[int] = []
        made: list[tuple[Any, ...]] = []
        for number, row in enumerate(rows_of_arguments(call, args, length)):
            before = len(made)
            try:
                extend(made, rows_of_result(evaluate(*row)))
            except USER_CODE_RAISES as error:
                raise FlottError(
                    f"{self.context.title}: function {call.name}: {type(error).__name__}: {error}"
                ) from error
            if self.outer and len(made) == before:
                made.append(nothing)
            where.extend([number] * (len(made) - before))
        return where, made

    def _columns(self, made: list[tuple[Any, ...]]) -> list[Any]:
        fields = self.call.function.fields
        for row in made:
            if len(row) != len(fields):
                raise FlottError(
                    f"{self.context.title}: function {self.call.name} gave {row!r:.100}, which has {len(row)} values "
                    f"for {len(fields)} columns; declare what it gives as result_types"
                )
        found = []
        for field, values in zip(fields, zip(*made, strict=True), strict=True):
            try:
                found.append(column_from_python(list(values), field.data_type))
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
                raise FlottError(
                    f"{self.context.title}: function {self.call.name} gave something that is no {field.data_type!r}: "
                    f"{error}; declare what it gives as result_types"
                ) from None
        return found
