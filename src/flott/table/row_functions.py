"""Functions of whole rows in the Table API: map, flat_map, aggregate, flat_aggregate, and table functions in joins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.lateral import correlated, table_call
from flott.table.bind.scope import Scope
from flott.table.errors import TableError
from flott.table.expr import AggregateCall, Call, Expr, InputRef
from flott.table.expression import Expression
from flott.table.functions.structure import field_of
from flott.table.plan.nodes import Field, Node, project
from flott.table.plan.table_aggregate import TableAggregate
from flott.table.select_from import column_tree, select_from
from flott.table.types import RowType
from flott.table.user_defined_function import UserDefinedFunctionWrapper

if TYPE_CHECKING:
    from flott.table.table import Table

VALUE = "$value"


class AggregatedTable:
    """What an aggregate function makes of the groups of a table; select says which columns to keep."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def select(self, *fields: Any) -> Table:
        """Computes columns of the groups' keys and of the function's results."""
        return select_from(self._table, fields)


class FlatAggregateTable(AggregatedTable):
    """What a table aggregate function makes of the groups of a table."""


def call_of(table: Table, func: Any, kind: str, operation: str) -> tuple[exp.Expr, tuple[str, ...]]:
    """Return the call of a function, and the names of its results; one without arguments takes the whole row."""
    if isinstance(func, UserDefinedFunctionWrapper):
        names = [field.name for field in table.plan.fields]
        row = exp.Anonymous(this="ROW", expressions=[exp.column(exp.to_identifier(name)) for name in names])
        row.meta["names"] = names
        call, aliases = func(Expression(row)).tree, func.alias_names
    else:
        call, aliases = unaliased(column_tree(func))
    if getattr(call.meta.get("user") or table.t_env.manager.functions.get(call.name.upper()), "kind", None) != kind:
        what = {"scalar": "udf", "table": "udtf", "aggregate": "udaf", "table_aggregate": "udtaf"}[kind]
        raise TableError(f"{operation}({call.name}): give a function that {what}(…) made")
    return call, aliases


def unaliased(tree: exp.Expr) -> tuple[exp.Expr, tuple[str, ...]]:
    """Return an expression and the names that it was given."""
    if isinstance(tree, exp.Aliases):
        return tree.this, tuple(name.name for name in tree.expressions)
    return (tree.this, (tree.alias,)) if isinstance(tree, exp.Alias) else (tree, ())


def _binder(table: Table) -> ExpressionBinder:
    return ExpressionBinder(Scope.of(table.plan, None, ""), table.t_env.manager.functions)


def with_table_function(table: Table, func: Any, *, outer: bool) -> Table:
    """Return rows with the rows that a table function makes of them."""
    call, names = call_of(table, func, "table", "join_lateral")
    node = correlated(table.plan, table_call(call, _binder(table)), names, "", outer=outer)
    own = [field.name for field in node.fields]
    twice = [name for name in own if own.count(name) > 1]
    if twice:
        raise TableError(f"join_lateral(…): there is a column '{twice[0]}' already; give another name with alias(…)")
    return table.derived(node)


def mapped(table: Table, func: Any) -> Table:
    """Return what a scalar function makes of each row; the fields of a row that it gives become columns."""
    call, names = call_of(table, func, "scalar", "map")
    return table.derived(_spread(project(table.plan, [_binder(table).bind(call)], ["f0"]), names))


def flat_mapped(table: Table, func: Any) -> Table:
    """Return the rows that a table function makes of each row."""
    call, names = call_of(table, func, "table", "flat_map")
    node = correlated(table.plan, table_call(call, _binder(table)), names, "", outer=False)
    width = len(table.plan.fields)
    kept: list[Expr] = node.refs()[width:]
    return table.derived(project(node, kept, [field.name for field in node.fields[width:]]))


def aggregated(table: Table, keys: list[exp.Expr], func: Any, **options: Any) -> AggregatedTable:
    """Return what an aggregate function makes of each group; the fields of a row that it gives become columns."""
    call, names = call_of(table, func, "aggregate", "aggregate")
    fields = [*map(Expression, keys), Expression(call).alias(VALUE)]
    group = [unaliased(key)[0] for key in keys]
    grouped = select_from(table, fields, group=group or None, **options)
    return AggregatedTable(table.derived(_spread(grouped.plan, names)))


def flat_aggregated(table: Table, keys: list[exp.Expr], func: Any) -> FlatAggregateTable:
    """Return the rows that a table aggregate function makes of each group."""
    call, names = call_of(table, func, "table_aggregate", "flat_aggregate")
    binder = _binder(table)
    user = call.meta.get("user") or table.t_env.manager.functions[call.name.upper()]
    heads = [(binder.bind(unaliased(key)[0]), key.alias_or_name) for key in keys]
    args = [binder.bind(arg) for arg in call.expressions]
    width = len(heads)
    columns = [*(expr for expr, _ in heads), *args]
    source = project(table.plan, columns, [*(name for _, name in heads), *(f"$arg{one}" for one in range(len(args)))])
    if names and len(names) != len(user.fields):
        raise TableError(f"{user.name} gives {len(user.fields)} columns, here are {len(names)} names")
    made = [
        Field(name, field.data_type.nullable())
        for name, field in zip(names or [field.name for field in user.fields], user.fields, strict=True)
    ]
    places = tuple(range(width, len(columns)))
    whole = AggregateCall(user.name, places, user.result_type, user=user)
    fields = (*(field.plain() for field in source.fields[:width]), *made)
    return FlatAggregateTable(table.derived(TableAggregate(fields, source, tuple(range(width)), whole)))


def _spread(node: Node, names: tuple[str, ...]) -> Node:
    """Return a plan whose last column, if it is a row, is replaced by its fields, under the given names."""
    last = node.fields[-1]
    if not isinstance(last.type, RowType):
        title = names[0] if names else "f0" if last.name == VALUE else last.name
        return project(node, node.refs(), [*(field.name for field in node.fields[:-1]), title])
    row = InputRef(last.type, len(node.fields) - 1)
    parts: list[Expr] = []
    for field in last.type.fields:
        function, args = field_of(row, field.name)
        parts.append(Call(field.data_type.nullable(), function, tuple(args)))
    titles = names or tuple(last.type.field_names())
    if len(titles) != len(parts):
        raise TableError(f"the function gives {len(parts)} columns, here are {len(titles)} names")
    return project(node, [*node.refs()[:-1], *parts], [*(field.name for field in node.fields[:-1]), *titles])
