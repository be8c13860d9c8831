"""LAG: the value of an earlier row, in an OVER window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.expr import Expr, Literal
from flott.table.functions.aggregates import Aggregate
from flott.table.functions.registry import SignatureError, alike, check_count
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

LAG = "LAG"
MOST = 3


def lag_arguments(args: Sequence[Expr]) -> list[Expr]:
    """Return the value, how many rows back, and what to take if there is no such row, of a call LAG(…)."""
    check_count(LAG, args, 1, MOST)
    back = args[1] if len(args) > 1 else Literal(DataTypes.INT().not_null(), 1)
    if not isinstance(back, Literal) or not isinstance(back.value, int) or back.value < 0:
        raise SignatureError("LAG goes back a whole number of rows, as in LAG(price, 2)")
    if len(args) < MOST:
        return [args[0], back, Literal(args[0].type.nullable(), None)]
    value, default = alike(LAG, [args[0], args[2]])
    return [value, back, default]


def lag() -> Aggregate:
    """Return how LAG works: it keeps as many values as it goes back. It sees NULLs, as part of a tuple.

    >>> one = lag()
    >>> acc = one.create()
    >>> for value in (7, None, 9):
    ...     one.add(acc, (value, 2, 0))
    >>> one.result(acc)
    7
    """

    def add(acc: list[Any], value: tuple[Any, int, Any]) -> None:
        latest, back, default = value
        acc[:] = [default, back, *acc[2:], latest]
        if len(acc) > back + 3:
            del acc[2]

    def result(acc: list[Any]) -> Any:
        default, back, *values = acc
        return values[0] if len(values) > back else default

    return Aggregate(list, add, None, result)
