"""ROW_NUMBER() OVER (…), ORDER BY and LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope
from flott.table.errors import NotYetError
from flott.table.expr import Expr, InputRef
from flott.table.plan.nodes import Node, Rank, SortKey, project

if TYPE_CHECKING:
    from collections.abc import Sequence


def columns_for(node: Node, exprs: Sequence[Expr]) -> tuple[Node, list[int]]:
    """Return a plan that has expressions as columns, and where; columns are used as they are."""
    added = [expr for expr in exprs if not isinstance(expr, InputRef)]
    if added:
        width = len(node.fields)
        names = [field.name for field in node.fields] + [f"$order{width + number}" for number in range(len(added))]
        node = project(node, [*node.refs(), *added], names)
        places = iter(range(width, width + len(added)))
        return node, [expr.index if isinstance(expr, InputRef) else next(places) for expr in exprs]
    return node, [expr.index for expr in exprs if isinstance(expr, InputRef)]


def with_limit(node: Node, tree: exp.Expr, text: str, users: dict[str, Any]) -> Node:
    """Return a plan with the ORDER BY, LIMIT and OFFSET of a query."""
    order, limit, offset = (tree.args.get(name) for name in ("order", "limit", "offset"))
    if order is None and limit is None and offset is None:
        return node
    if limit is None:
        raise NotYetError("ORDER BY without LIMIT can't be run on a stream, which has no end; add LIMIT", text)
    count = limit.expression if isinstance(limit, exp.Limit) else limit.args.get("count")
    first = 0 if offset is None else _whole(offset.expression, text)
    binder = ExpressionBinder(Scope.of(node, None, text), users)
    keys = [] if order is None else order.expressions
    exprs = [_order_key(key.this, node, binder) for key in keys]
    wide, places = columns_for(node, exprs)
    sort = tuple(
        SortKey(place, bool(key.args.get("desc")), bool(key.args.get("nulls_first")))
        for place, key in zip(places, keys, strict=True)
    )
    ranked = Rank(tuple(field.plain() for field in wide.fields), wide, (), sort, first + _whole(count, text), first)
    if len(wide.fields) == len(node.fields):
        return ranked
    return project(ranked, ranked.refs()[: len(node.fields)], [field.name for field in node.fields])


def _order_key(key: exp.Expr, node: Node, binder: ExpressionBinder) -> Expr:
    if isinstance(key, exp.Literal) and not key.is_string and 1 <= int(key.this) <= len(node.fields):
        index = int(key.this) - 1
        return InputRef(node.fields[index].type, index)
    return binder.bind(key)


def _whole(node: exp.Expr | None, text: str) -> int:
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdigit():
        raise NotYetError("LIMIT and OFFSET take whole numbers", text)
    return int(node.this)
