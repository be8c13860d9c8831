"""Expressions over the values of one row: for conditions that can't be asked of a whole batch at once."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from flott.table import types as t
from flott.table.arrow_types import column_of_plain, plain_values, to_arrow_type
from flott.table.compile import ArrowCompiler, column_of
from flott.table.expr import Call, InputRef, Literal, shifted
from flott.table.functions.registry import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.table.expr import Expr

RowFunction: TypeAlias = "Callable[[Sequence[Any]], Any]"

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def row_function(expr: Expr, types: Sequence[t.DataType], zone: str) -> RowFunction:  # noqa: PLR0911 - a case a line
    """Return a function of the values of a row, as stateful operators see them.

    Comparisons, logic and plain arithmetic are done in Python; everything else on columns of length one.

    >>> number, truth = t.DataTypes.INT(), t.DataTypes.BOOLEAN()
    >>> rises = Call(truth, "<", (InputRef(number, 0), InputRef(number, 1)))
    >>> function = row_function(rises, [number, number], "UTC")
    >>> function([1, 2]), function([1, None])
    (True, None)
    """
    if isinstance(expr, InputRef):
        return operator.itemgetter(expr.index)
    if isinstance(expr, Literal):
        value = plain_values(pa.array([expr.value], to_arrow_type(expr.type)))[0]
        return lambda _row: value
    if not isinstance(expr, Call):
        return _in_columns(expr, types, zone)
    made = _logic(expr, types, zone)
    if made is not None:
        return made
    inner = [row_function(arg, types, zone) for arg in expr.args]
    if expr.function in COMPARISONS:
        return _both(COMPARISONS[expr.function], *inner)
    if expr.function in ARITHMETIC and isinstance(expr.type, (t.IntegralType, t.DoubleType)):
        return _arithmetic(expr, inner)
    if expr.function == "CAST" and _widens(expr):
        return inner[0]
    return _in_columns(expr, types, zone)


def _logic(expr: Call, types: Sequence[t.DataType], zone: str) -> RowFunction | None:
    """Return AND, OR, NOT and IS NULL, for which TRUE, FALSE and unknown are three different things."""
    if expr.function not in {"AND", "OR", "NOT", "IS NULL"}:
        return None
    parts = [row_function(arg, types, zone) for arg in expr.args]
    first = parts[0]
    if expr.function == "IS NULL":
        return lambda row: first(row) is None
    if expr.function == "NOT":
        return lambda row: None if (value := first(row)) is None else not value
    decides = expr.function == "OR"

    def decide(row: Sequence[Any]) -> Any:
        unknown = False
        for part in parts:
            value = part(row)
            if value is decides:
                return decides
            unknown = unknown or value is None
        return None if unknown else not decides

    return decide


def _both(function: Callable[[Any, Any], Any], left: RowFunction, right: RowFunction) -> RowFunction:
    def both(row: Sequence[Any]) -> Any:
        one, other = left(row), right(row)
        return None if one is None or other is None else function(one, other)

    return both


def _arithmetic(expr: Call, inner: list[RowFunction]) -> RowFunction:
    compute = _both(ARITHMETIC[expr.function], *inner)
    if not isinstance(expr.type, t.IntegralType):
        return compute
    half, whole = 2 ** (expr.type.bits - 1), 2**expr.type.bits

    def wrapped(row: Sequence[Any]) -> Any:
        value = compute(row)
        return value if value is None or -half <= value < half else (value + half) % whole - half

    return wrapped


def _widens(expr: Call) -> bool:
    source, target = expr.args[0].type, expr.type
    return isinstance(source, t.IntegralType) and isinstance(target, t.IntegralType) and source.bits <= target.bits


def _in_columns(expr: Expr, types: Sequence[t.DataType], zone: str) -> RowFunction:
    used = sorted(expr.inputs())
    kinds = [to_arrow_type(types[index]) for index in used]
    compiled = ArrowCompiler().compile(shifted(expr, {index: place for place, index in enumerate(used)}))
    session = Session(zone)

    def compute(row: Sequence[Any]) -> Any:
        columns = [column_of_plain([row[index]], kind) for index, kind in zip(used, kinds, strict=True)]
        return plain_values(column_of(compiled(columns, 1, session), 1))[0]

    return compute
