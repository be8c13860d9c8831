"""Expressions to functions of columns: the one way in which scalar expressions run in a task.

``ExpressionCompiler`` is the seam: another engine that computes the same over the same columns can take its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call, InputRef, Literal, UserCall
from flott.table.functions.registry import functions
from flott.table.user_calls import call_user_function

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.table.expr import Expr
    from flott.table.functions.registry import Evaluate, Session

Columns: TypeAlias = "Sequence[Any]"
Compiled: TypeAlias = "Callable[[Columns, int, Session], Any]"
"""From columns, their length, and the session: an array, or a scalar that stands for all rows."""


class ExpressionCompiler(Protocol):
    """Turns expressions into something that computes columns."""

    def compile(self, expr: Expr) -> Compiled:
        """Return what computes the expression."""


class ArrowCompiler:
    """Computes expressions with Arrow's kernels, in the task.

    >>> from flott.table.functions.registry import Session
    >>> from flott.table.types import DataTypes
    >>> number = DataTypes.INT()
    >>> double = Call(number, "*", (InputRef(number, 0), Literal(number, 2)))
    >>> ArrowCompiler().compile(double)([pa.array([1, 2], pa.int32())], 2, Session()).to_pylist()
    [2, 4]
    """

    def compile(self, expr: Expr) -> Compiled:
        """Return what computes the expression."""
        if isinstance(expr, InputRef):
            index = expr.index
            return lambda columns, _length, _session: columns[index]
        if isinstance(expr, Literal):
            value = pa.scalar(expr.value, to_arrow_type(expr.type))
            return lambda _columns, _length, _session: value
        parts = [self.compile(part) for part in expr.children()]
        if isinstance(expr, UserCall):
            return _user_call(expr, parts)
        if not isinstance(expr, Call):
            raise TypeError(f"{expr!r} is no expression")
        if expr.function == "CASE":
            return _case(expr, parts)
        return _call(expr, functions()[expr.function].evaluate, parts)


def _call(call: Call, function: Evaluate, parts: list[Compiled]) -> Compiled:
    """Return what computes a call; whatever Arrow or Python find wrong with its arguments is an error that names it."""

    def evaluate(columns: Columns, length: int, session: Session) -> Any:
        args = [part(columns, length, session) for part in parts]
        try:
            return function(call, args, session)
        except FlottError:
            raise
        except Exception as error:
            kinds = ", ".join(repr(arg.type.nullable()) for arg in call.args)
            raise FlottError(f"{call.function}({kinds}): {error}") from error

    return evaluate


def column_of(result: Any, length: int) -> Any:
    """Return a result as an array of that length, in one piece."""
    if isinstance(result, pa.Scalar):
        return pa.repeat(result, length)
    return result.combine_chunks() if isinstance(result, pa.ChunkedArray) else result


def _user_call(expr: UserCall, parts: list[Compiled]) -> Compiled:
    kind = to_arrow_type(expr.type)

    def evaluate(columns: Columns, length: int, session: Session) -> Any:
        args = [column_of(part(columns, length, session), length) for part in parts]
        return call_user_function(expr, args, length, kind)

    return evaluate


def _case(expr: Call, parts: list[Compiled]) -> Compiled:
    """Look at each branch only with the rows whose condition holds: elsewhere it might fail."""
    kind = to_arrow_type(expr.type)
    branches = list(zip(parts[:-1:2], parts[1::2], strict=True))
    otherwise = parts[-1]

    def evaluate(columns: Columns, length: int, session: Session) -> Any:
        left = np.arange(length)
        pieces: list[Any] = []
        places: list[Any] = []
        for condition, value in [*branches, (None, otherwise)]:
            if not len(left):
                break
            some = [_taken(column, left, length) for column in columns]
            if condition is None:
                chosen = np.ones(len(left), bool)
            else:
                holds = pc.fill_null(column_of(condition(some, len(left), session), len(left)), fill_value=False)
                chosen = np.asarray(holds.cast(pa.bool_()).to_numpy(zero_copy_only=False), bool)
            where = np.flatnonzero(chosen)
            if len(where):
                inner = [_taken(column, where, len(left)) for column in some]
                made = column_of(value(inner, len(where), session), len(where))
                pieces.append(made if made.type == kind else made.cast(kind))
                places.append(left[where])
                left = left[~chosen]
        if not pieces:
            return pa.array([], kind)
        order = np.argsort(np.concatenate(places), kind="stable")
        return pa.concat_arrays(pieces).take(pa.array(order))

    return evaluate


def _taken(column: Any, where: Any, length: int) -> Any:
    return column if len(where) == length else column.take(pa.array(where))
