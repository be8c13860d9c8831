"""Calls of aggregate functions, behind GROUP BY and in OVER windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.scope import wrong
from flott.table.errors import NotYetError
from flott.table.expr import AggregateCall, Expr
from flott.table.functions.aggregates import AGGREGATES, aggregate_type
from flott.table.functions.registry import SignatureError, cast_to
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.bind.expressions import ExpressionBinder


JSON_PARTS = {"JSON_ARRAYAGG": "JSON_ITEM", "JSON_OBJECTAGG": "JSON_PAIR"}
"""What aggregates of JSON put together."""


def is_aggregate(node: exp.Expr, users: dict[str, Any]) -> bool:
    """Say whether a node is a call of an aggregate function."""
    if not isinstance(node, exp.Anonymous):
        return False
    name = str(node.this).upper()
    user = node.meta.get("user") or users.get(name)
    return getattr(user, "kind", None) == "aggregate" or (user is None and name in AGGREGATES)


def has_aggregates(node: exp.Expr, users: dict[str, Any]) -> bool:
    """Say whether there are aggregates in an expression, those of OVER windows apart."""
    return any(
        is_aggregate(part, users) and not _is_over(part)
        for part in node.walk(prune=lambda part: isinstance(part, (exp.Subquery, exp.Query)))
    )


def _is_over(node: exp.Expr) -> bool:
    whole = node.parent if isinstance(node.parent, exp.Filter) else node
    return isinstance(whole.parent, exp.Window) and whole.parent.this is whole


def aggregate_call(
    node: exp.Expr, condition: exp.Expr | None, binder: ExpressionBinder, input_of: Callable[[Expr], int]
) -> AggregateCall:
    """Return a call with its types; ``input_of`` says at which position an argument can be had."""
    name = str(node.this).upper()
    arguments = list(node.expressions)
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = list(arguments[0].expressions)
    if name == "COUNT" and (not arguments or isinstance(arguments[0], exp.Star)):
        arguments = []
    args = [binder.bind(argument) for argument in arguments]
    if name in JSON_PARTS:
        args = [binder.call(JSON_PARTS[name], args)]
    filtered = None if condition is None else binder.condition(condition, "FILTER")
    user = node.meta.get("user") or binder.users.get(name)
    if getattr(user, "kind", None) == "aggregate":
        kind = user.result_type  # type: ignore[union-attr]
    else:
        user = None
        kind = _type(name, args, node, binder.scope.text)
    if distinct and len(args) > 1:
        raise NotYetError(f"{name}(DISTINCT a, b) can't be run yet; give one column, or a || b")
    if distinct and name in {"MIN", "MAX"}:
        distinct = False
    if name == "LISTAGG" and len(args) > 1:
        raise NotYetError("LISTAGG with a separator of its own can't be run yet; REPLACE the commas")
    if name in {"SUM", "AVG"} and isinstance(args[0].type, type(DataTypes.NULL())):
        args = [cast_to(args[0], DataTypes.INT())]
    positions = tuple(input_of(arg) for arg in args)
    return AggregateCall(name, positions, kind, distinct, None if filtered is None else input_of(filtered), user)


def _type(name: str, args: list[Expr], node: exp.Expr, text: str) -> Any:
    try:
        return aggregate_type(name, [arg.type for arg in args])
    except SignatureError as error:
        raise wrong(str(error), node, text) from None
