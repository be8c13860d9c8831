"""ROW_NUMBER() OVER (…), ORDER BY and LIMIT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import has_aggregates
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope, offset_of
from flott.table.errors import NotYetError
from flott.table.expr import Expr, InputRef
from flott.table.plan.nodes import Node, Rank, SortKey, project
from flott.table.plan.sort import Sort

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


def hidden_keys(tree: exp.Expr, names: Sequence[str], users: dict[str, Any]) -> list[exp.Expr]:
    """Return what ORDER BY sorts by that is not in SELECT: other columns, and aggregates."""
    order = tree.args.get("order")
    if order is None or tree.args.get("distinct") is not None:
        return []
    return [key.this for key in order.expressions if _is_hidden(key.this, names, users)]


def _is_hidden(key: exp.Expr, names: Sequence[str], users: dict[str, Any]) -> bool:
    columns = list(key.find_all(exp.Column))
    return has_aggregates(key, users) or any(column.table or column.name not in names for column in columns)


def sorted_by_columns(tree: exp.Expr, columns: dict[int, str]) -> exp.Expr:
    """Return the ORDER BY and LIMIT of a query, some keys (by identity) replaced by the names of columns."""
    keys = []
    for key in tree.args["order"].expressions:
        name = columns.get(id(key.this))
        kept = {part: key.args.get(part) for part in ("desc", "nulls_first")}
        if name is None:
            keys.append(key)
            continue
        column = exp.to_identifier(name)
        column.meta["start"] = offset_of(key.this) or 0
        keys.append(exp.Ordered(this=exp.column(column), **kept))
    made = exp.Select()
    made.args.update(order=exp.Order(), limit=tree.args.get("limit"), offset=tree.args.get("offset"))
    # Not set(…), which would take the keys away from the query they stand in.
    made.args["order"].args["expressions"] = keys
    return made


def with_limit(node: Node, tree: exp.Expr, text: str, users: dict[str, Any]) -> Node:
    """Return a plan with the ORDER BY, LIMIT and OFFSET of a query."""
    order, limit, offset = (tree.args.get(name) for name in ("order", "limit", "offset"))
    if order is None and limit is None and offset is None:
        return node
    if limit is None and offset is not None:
        raise NotYetError("OFFSET needs LIMIT with it", text, offset_of(offset))
    binder = ExpressionBinder(Scope.of(node, None, text), users)
    keys = [] if order is None else order.expressions
    exprs = [_order_key(key.this, node, binder) for key in keys]
    wide, places = columns_for(node, exprs)
    sort = tuple(
        SortKey(place, bool(key.args.get("desc")), bool(key.args.get("nulls_first")))
        for place, key in zip(places, keys, strict=True)
    )
    made: Node
    if limit is None:
        made = Sort(wide.fields, wide, sort, text, None if order is None else offset_of(order))
    else:
        count = limit.expression if isinstance(limit, exp.Limit) else limit.args.get("count")
        first = 0 if offset is None else _whole(offset.expression, text)
        made = Rank(tuple(field.plain() for field in wide.fields), wide, (), sort, first + _whole(count, text), first)
    if len(wide.fields) == len(node.fields):
        return made
    return project(made, made.refs()[: len(node.fields)], [field.name for field in node.fields])


def _order_key(key: exp.Expr, node: Node, binder: ExpressionBinder) -> Expr:
    if isinstance(key, exp.Literal) and not key.is_string and 1 <= int(key.this) <= len(node.fields):
        index = int(key.this) - 1
        return InputRef(node.fields[index].type, index)
    return binder.bind(key)


def _whole(node: exp.Expr | None, text: str) -> int:
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdigit():
        raise NotYetError("LIMIT and OFFSET take whole numbers", text, None if node is None else offset_of(node))
    return int(node.this)
