"""The operations of the Table API, written as the queries that SQL would write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import has_aggregates, is_aggregate
from flott.table.bind.query import QueryBinder
from flott.table.errors import TableError
from flott.table.expression import WINDOW_PROPERTY, Expression, tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.over_window import OverWindow
    from flott.table.table import Table
    from flott.table.window import GroupWindow

LEFT, RIGHT = "$left", "$right"


def column_tree(given: Any) -> exp.Expr:
    """Return the tree of an expression; a text names a column."""
    if isinstance(given, str):
        return exp.column(exp.to_identifier(given)) if given != "*" else exp.Star()
    if not isinstance(given, Expression):
        raise TableError(f"{given!r:.100} is no column; give col('name'), or an expression of columns")
    return given.tree


def select_from(
    table: Table,
    fields: Sequence[Any],
    *,
    where: Any = None,
    group: list[exp.Expr] | None = None,
    window: GroupWindow | None = None,
    over: Sequence[OverWindow] = (),
    distinct: bool = False,
    order: Sequence[Any] = (),
    limit: tuple[int, int] | None = None,
) -> Table:
    """Return the table that a SELECT over another one gives."""
    source = exp.to_identifier(LEFT) if window is None else window.table_function(LEFT)
    parts: dict[str, Any] = {
        "expressions": _named([column_tree(field) for field in fields], table, grouped=bool(group)),
        "from_": exp.From(this=exp.Table(this=source)),
    }
    if where is not None:
        parts["where"] = exp.Where(this=tree_of(where))
    if group:
        parts["group"] = exp.Group(expressions=group)
    if over:
        parts["windows"] = [one.tree() for one in over]
    if distinct:
        parts["distinct"] = exp.Distinct()
    if order:
        parts["order"] = exp.Order(expressions=[_ordered(one) for one in order])
    if limit is not None:
        first, count = limit
        parts["limit"] = exp.Limit(expression=exp.Literal.number(str(count)))
        parts["offset"] = exp.Offset(expression=exp.Literal.number(str(first)))
    binder = QueryBinder(table.t_env.manager, "", {LEFT: lambda: table.plan})
    return table.derived(binder.bind(exp.Select(**parts)))


def _named(trees: list[exp.Expr], table: Table, *, grouped: bool) -> list[exp.Expr]:
    """Give names to what has none, as Flink's Table API does: EXPR$0 and so on to aggregates, _c0 to the rest."""
    users = table.t_env.manager.functions
    aggregated = grouped or any(has_aggregates(tree, users) for tree in trees)
    known: dict[str, int] = {}
    made: list[exp.Expr] = []
    place = 0
    for tree in trees:
        whole = isinstance(tree, (exp.Alias, exp.Aliases, exp.Star))
        name = f"_c{place}"
        for part in tree.walk() if aggregated else ():
            if is_aggregate(part, users) or WINDOW_PROPERTY in part.meta:
                number = known.setdefault(part.sql(), len(known))
                name = f"EXPR${number}" if part is tree else name
        named = whole or (isinstance(tree, exp.Column) and WINDOW_PROPERTY not in tree.meta)
        made.append(tree if named else exp.Alias(this=tree.copy(), alias=exp.to_identifier(name, quoted=True)))
        place += len(table.plan.fields) if isinstance(tree, exp.Star) else 1
    return made


def _ordered(given: Any) -> exp.Expr:
    tree = column_tree(given)
    return tree if isinstance(tree, exp.Ordered) else exp.Ordered(this=tree, desc=False, nulls_first=True)


def join_of(left: Table, right: Table, side: str, condition: Any) -> Table:
    """Return the join of two tables, whose columns must have different names."""
    if right.t_env is not left.t_env:
        raise TableError("join(…): the tables come from different environments; make both in one")
    names = [field.name for field in left.plan.fields]
    twice = [field.name for field in right.plan.fields if field.name in names]
    if twice:
        raise TableError(f"join(…): both tables have a column '{twice[0]}'; rename one before: rename_columns(…)")
    join = exp.Join(this=exp.Table(this=exp.to_identifier(RIGHT)), side=side or None)
    if condition is not None:
        join.set("on", tree_of(condition))
    source = exp.From(this=exp.Table(this=exp.to_identifier(LEFT)))
    tree = exp.Select(expressions=[exp.Star()], from_=source, joins=[join])
    binder = QueryBinder(left.t_env.manager, "", {LEFT: lambda: left.plan, RIGHT: lambda: right.plan})
    return left.derived(binder.bind(tree))
