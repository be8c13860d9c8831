"""Queries: FROM, WHERE, GROUP BY, SELECT and the rest become a logical plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import has_aggregates
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.group_windows import with_group_window
from flott.table.bind.grouping import Grouping
from flott.table.bind.hints import check_names, lifetime_of, state_lifetimes, with_options
from flott.table.bind.join_columns import join_node, with_conditions
from flott.table.bind.lateral import alone, is_lateral, lateral_join, table_function
from flott.table.bind.match_recognize import match_table
from flott.table.bind.over import Overs
from flott.table.bind.ranking import hidden_keys, sorted_by_columns, with_limit
from flott.table.bind.scope import Scope, wrong
from flott.table.bind.set_operations import by_precedence, combined, distinct, union
from flott.table.bind.shared_columns import with_shared_columns
from flott.table.bind.subqueries import Subqueries, conjuncts_of
from flott.table.bind.tables import table_plan
from flott.table.bind.temporal_joins import temporal_join
from flott.table.bind.windows import FUNCTIONS, window_table
from flott.table.catalog import CatalogView
from flott.table.errors import NotYetError, ValidationError, did_you_mean
from flott.table.expr import Expr, Literal
from flott.table.functions.result_types import common_type
from flott.table.plan.nodes import Field, Filter, Node, Values, one_row, project

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.catalog_manager import CatalogManager

SELECT_PARTS = frozenset({
    "with_", "expressions", "from_", "joins", "laterals", "match", "where", "group", "having", "windows", "distinct",
    "order", "limit", "offset", "hint",
})  # fmt: skip
TABLE_PARTS = frozenset({"this", "db", "catalog", "alias", "version", "joins"})


class QueryBinder:
    """Binds the queries of one text."""

    def __init__(self, manager: CatalogManager, text: str, known: dict[str, Callable[[], Node]] | None = None) -> None:
        self.manager = manager
        self.text = text
        self.known = known or {}
        """What WITH has given names to."""

    @property
    def users(self) -> dict[str, Any]:
        """The functions of the user's."""
        return self.manager.functions

    def bind(self, tree: exp.Expr) -> Node:
        """Return the plan of a query."""
        inner = self._with_names(tree)
        if inner is not self:
            return inner.bind_body(tree)
        return self.bind_body(tree)

    def _with_names(self, tree: exp.Expr) -> QueryBinder:
        clause = tree.args.get("with_") or tree.args.get("with")
        if clause is None:
            return self
        if clause.args.get("recursive"):
            raise NotYetError("WITH RECURSIVE can't be run")
        binder = QueryBinder(self.manager, self.text, dict(self.known))
        for named in clause.expressions:
            binder.known[named.alias] = _later(QueryBinder(self.manager, self.text, dict(binder.known)), named)
        return binder

    def bind_body(self, tree: exp.Expr) -> Node:
        """Return the plan of a query whose WITH is known already."""
        if "plan" in tree.meta:
            plan: Node = tree.meta["plan"]
            return plan
        if isinstance(tree, exp.Subquery):
            return with_limit(self.bind(tree.this), tree, self.text, self.users)
        if isinstance(tree, exp.SetOperation):
            tree = by_precedence(tree)
            node = combined(tree, self.bind(tree.this), self.bind(tree.expression), self.text)
            return with_limit(node, tree, self.text, self.users)
        if isinstance(tree, exp.Values):
            return self._values(tree)
        if isinstance(tree, exp.Select):
            return self._select(tree)
        raise NotYetError(f"{type(tree).__name__.upper()} can't be run as a query", self.text, 0)

    # FROM

    def _source(self, tree: exp.Expr) -> tuple[Node, Scope]:
        match = tree.args.get("match")
        if match is not None:
            tree.set("match", None)
            source, _ = self._source(tree)
            tree.set("match", match)
            return self._named(match_table(source, match, self.text, self.users), match)
        if isinstance(tree, exp.Subquery):
            node = self.bind(tree.this)
            return self._named(node, tree)
        if isinstance(tree, exp.Values):
            return self._named(self._values(tree), tree)
        call = table_function(tree, self.users)
        if call is not None:
            return alone(call, self.users, self.text)
        if not isinstance(tree, exp.Table):
            raise NotYetError(f"'{tree.sql()}' in FROM can't be run yet", self.text)
        self._refuse_others(tree, TABLE_PARTS)
        if tree.args.get("version") is not None:
            raise NotYetError("FOR SYSTEM_TIME AS OF stands behind the second table of a JOIN", self.text)
        if isinstance(tree.this, exp.Anonymous):
            return self._named(self._table_function(tree.this), tree)
        return self._named(self.table(tuple(part.name for part in tree.parts), tree), tree)

    def _table_function(self, call: exp.Anonymous) -> Node:
        name = str(call.this).upper()
        if name not in FUNCTIONS:
            raise wrong(f"there is no table function '{call.this}'{did_you_mean(name, FUNCTIONS)}", call, self.text)
        return window_table(call, self.text, self._table_argument)

    def _table_argument(self, node: exp.Expr) -> Node:
        if isinstance(node, exp.Column):
            return self.table(tuple(part.name for part in node.parts), node)
        if isinstance(node, (exp.Subquery, exp.Select)):
            return self.bind(node)
        raise wrong("name a table here, as in TABLE bid", node, self.text)

    def table(self, path: tuple[str, ...], node: exp.Expr | None = None) -> Node:
        """Return the plan of a table, a view, or what WITH gave a name to."""
        if len(path) == 1 and path[0] in self.known:
            return self.known[path[0]]()
        identifier = self.manager.identify(path)
        found = self.manager.find(identifier)
        if found is None:
            names = [*self.known, *self.manager.table_names()]
            problem = f"table '{'.'.join(path)}' not found{did_you_mean(path[-1], names)}"
            raise ValidationError(problem) if node is None else wrong(problem, node, self.text)
        if not isinstance(found, CatalogView):
            return table_plan(identifier.as_summary_string(), with_options(found, node, self.text), self.users)
        if found.plan is not None:
            plan = found.plan
        elif found.tree is not None:
            plan = QueryBinder(self.manager, found.text).bind(found.tree)
        return renamed(plan, found.columns) if found.columns else plan

    def _named(self, node: Node, tree: exp.Expr) -> tuple[Node, Scope]:
        alias = tree.args.get("alias")
        if alias is not None and alias.columns:
            node = renamed(node, tuple(column.name for column in alias.columns))
        name = tree.alias or (
            tree.name if isinstance(tree, exp.Table) and not isinstance(tree.this, exp.Anonymous) else None
        )
        return node, Scope.of(node, name or None, self.text)

    def from_clause(self, tree: exp.Expr) -> tuple[Node, Scope]:
        """Return the plan of FROM, and the names that it brings."""
        clause = tree.args.get("from_") or tree.args.get("from")
        if clause is None:
            return one_row(), Scope((), self.text)
        lifetimes = state_lifetimes(tree, self.text)
        node, scope = self._source(clause.this)
        for join in tree.args.get("joins") or ():
            node, scope = self._join(node, scope, join, lifetimes)
        check_names(lifetimes, scope)
        if tree.args.get("laterals"):
            raise NotYetError("LATERAL VIEW can't be run; write CROSS JOIN LATERAL TABLE(f(…)) AS t(a)", self.text)
        return node, scope

    def _join(self, left: Node, left_scope: Scope, join: exp.Join, lifetimes: dict[str, int]) -> tuple[Node, Scope]:
        if is_lateral(join.this):
            return lateral_join(left, left_scope, join, self.users)
        version = join.this.args.get("version")
        if version is not None:
            return self._temporal_join(left, left_scope, join, version)
        right, right_scope = self._source(join.this)
        scope = left_scope.joined(right_scope)
        kind = (join.side or "").upper() or "INNER"
        if (join.kind or "INNER").upper() not in {"INNER", "OUTER", "CROSS"}:
            raise NotYetError(f"{join.kind} JOIN can't be run yet; write it with IN (…) in WHERE", self.text)
        on = join.args.get("on")
        condition = None if on is None else ExpressionBinder(scope, self.users).condition(on, "ON")
        if join.args.get("using") or join.method:
            condition, scope = with_shared_columns(join, kind, left_scope, right_scope)
        ttls = (lifetime_of(left_scope, lifetimes), lifetime_of(right_scope, lifetimes))
        return replace(join_node(left, right, kind, condition), ttls=ttls), scope

    def _temporal_join(self, left: Node, left_scope: Scope, join: exp.Join, version: exp.Expr) -> tuple[Node, Scope]:
        join.this.set("version", None)
        right, right_scope = self._source(join.this)
        join.this.set("version", version)
        both = left_scope.joined(right_scope)
        return temporal_join(left, right, join, version.expression, (left_scope, both), self.users), both

    # SELECT

    def _select(self, tree: exp.Select) -> Node:
        self._refuse_others(tree, SELECT_PARTS)
        node, scope = self.from_clause(tree)
        where = tree.args.get("where")
        if where is not None:
            node = self.where(node, scope, conjuncts_of(where.this))
        tree, node, scope = with_group_window(tree, node, scope, self.users)
        items = self.items(tree, scope)
        names = unique([name for _, name in items])
        others = [(key, f"$sort{number}") for number, key in enumerate(hidden_keys(tree, names, self.users))]
        hidden = {id(key): name for key, name in others}
        items += others
        having = tree.args.get("having")
        group = tree.args.get("group")
        looked_at = [item for item, _ in items] + ([having.this] if having is not None else [])
        grouping = None
        if group is not None or any(has_aggregates(item, self.users) for item in looked_at):
            grouping = Grouping(node, scope, self.users, group)
        overs = Overs(self.text, tree.args.get("windows") or ())
        binder = ExpressionBinder(scope, self.users, grouping.hook if grouping else None)
        below = binder.hook
        subqueries = Subqueries(self)
        binder.hook = lambda part: (
            overs.hook(part, binder) or subqueries.hook(part, binder) or (below(part) if below else None)
        )
        exprs = [binder.bind(item) for item, _ in items]
        condition = None if having is None else binder.condition(having.this, "HAVING")
        if grouping is not None:
            node = replace(grouping.plan(), ttl=lifetime_of(scope, state_lifetimes(tree, self.text)))
        if condition is not None:
            node, [condition, *exprs] = subqueries.plan(node, [condition, *exprs])
            node = Filter(node.fields, node, condition)
        else:
            node, exprs = subqueries.plan(node, exprs)
        node, exprs = overs.plan(node, exprs)
        node = project(node, exprs, [*names, *hidden.values()])
        if tree.args.get("distinct") is not None:
            node = distinct(node)
        if not hidden:
            return with_limit(node, tree, self.text, self.users)
        node = with_limit(node, sorted_by_columns(tree, hidden), self.text, self.users)
        return project(node, node.refs()[: len(names)], names)

    def _refuse_others(self, tree: exp.Expr, known: frozenset[str]) -> None:
        """Refuse clauses that nobody looks at: leaving one out without a word would give a wrong result."""
        for name, part in tree.args.items():
            if part and name not in known:
                raise NotYetError(f"{name.strip('_').upper()} in a query can't be run yet; leave it out", self.text, 0)

    def where(self, node: Node, scope: Scope, parts: list[exp.Expr]) -> Node:
        """Return the rows for which conditions hold; sub-queries in them become joins."""
        subqueries = Subqueries(self)
        binder = ExpressionBinder(scope, self.users)
        binder.hook = lambda part: subqueries.hook(part, binder)
        kept = [binder.condition(part, "WHERE") for part in parts if not subqueries.half_join(part, binder)]
        node, kept = subqueries.plan(node, kept)
        timed = with_conditions(node, kept)
        if timed is not None:
            return timed
        for condition in kept:
            node = Filter(node.fields, node, condition)
        return node

    def items(self, tree: exp.Expr, scope: Scope) -> list[tuple[exp.Expr, str]]:
        """Return the expressions of SELECT with their names, stars spelled out."""
        if not tree.expressions:
            raise wrong("SELECT takes what is selected: columns, expressions, or *", tree, self.text)
        items: list[tuple[exp.Expr, str]] = []
        for position, item in enumerate(tree.expressions):
            star = isinstance(item, exp.Star)
            if star or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
                table = None if star else item.table
                columns = scope.columns_of(item, table)
                if not columns:
                    raise wrong("* stands for the columns of a table: SELECT * FROM …", tree, self.text)
                items.extend(columns)
            elif isinstance(item, exp.Alias):
                items.append((item.this, item.alias))
            elif isinstance(item, (exp.Column, exp.Dot)):
                items.append((item, item.name))
            else:
                items.append((item, f"EXPR${position}"))
        return items

    # Others

    def _values(self, tree: exp.Values) -> Node:
        binder = ExpressionBinder(Scope((), self.text), self.users)
        rows = [[binder.bind(cell) for cell in (row.expressions if isinstance(row, exp.Tuple) else [row])]
                for row in tree.expressions]  # fmt: skip
        if len({len(row) for row in rows}) != 1:
            raise wrong("all rows of VALUES must have the same number of columns", tree, self.text)
        nothing = one_row()
        names = [f"EXPR${position}" for position in range(len(rows[0]))]
        if all(isinstance(cell, Literal) for row in rows for cell in row):
            return literal_rows(rows, names, self.text)
        return union([project(nothing, row, names) for row in rows], self.text)


def _later(binder: QueryBinder, named: exp.CTE) -> Callable[[], Node]:
    def bind() -> Node:
        node = binder.bind(named.this)
        columns = named.args["alias"].columns
        return renamed(node, tuple(column.name for column in columns)) if columns else node

    return bind


def renamed(node: Node, names: tuple[str, ...]) -> Node:
    """Return a plan with other names for its columns."""
    if len(names) > len(node.fields):
        raise ValidationError(f"{len(names)} names for {len(node.fields)} columns")
    rest = [field.name for field in node.fields[len(names) :]]
    return project(node, node.refs(), [*names, *rest])


def literal_rows(rows: list[list[Expr]], names: list[str], text: str) -> Node:
    """Return constant rows: of columns whose types the constants have in common."""
    kinds = [common_type([row[position].type for row in rows]) for position in range(len(names))]
    if None in kinds:
        raise ValidationError(f"VALUES: column {kinds.index(None) + 1} has values of different types", text, 0)
    values = tuple(tuple(cell.value for cell in row) for row in rows)  # type: ignore[attr-defined]
    typed: list[Any] = kinds
    return Values(tuple(Field(name, kind) for name, kind in zip(names, typed, strict=True)), values)


def unique(names: list[str]) -> list[str]:
    """Return names that differ: one that is there already gets a number.

    >>> unique(["id", "id", "name"])
    ['id', 'id0', 'name']
    """
    found: list[str] = []
    for name in names:
        made, number = name, 0
        while made in found:
            made = f"{name}{number}"
            number += 1
        found.append(made)
    return found
