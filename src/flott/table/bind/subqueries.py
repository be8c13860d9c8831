"""Sub-queries in conditions and expressions become joins: EXISTS and IN half joins, a single value a left join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.bind.aggregate_calls import has_aggregates
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.grouping import Grouping
from flott.table.bind.join_columns import join_node
from flott.table.bind.nested_scope import INNER, NestedScope, looks_inside, looks_outside
from flott.table.bind.scope import Scope, wrong
from flott.table.errors import NotYetError
from flott.table.expr import AggregateCall, Call, Expr, InputRef, Literal, conjunction, rewritten, shifted
from flott.table.functions.registry import SignatureError, functions
from flott.table.plan.nodes import Node, project
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.bind.query import QueryBinder

SCALAR = 3_000_000
"""Single values of sub-queries are columns from here on until it is known where they stand."""

TRUTH = DataTypes.BOOLEAN().not_null()
MANY = ("group", "having", "limit", "offset", "windows")
CORRELATED = (
    "a sub-query that gives a value can look at the query around it only with equalities in its WHERE, "
    "as in (SELECT MAX(price) FROM bid WHERE bid.auction = auction.id); write others as a JOIN"
)


@dataclass(frozen=True, slots=True)
class SubJoin:
    """A sub-query as the right side of a join."""

    right: Node
    kind: str
    conditions: tuple[Expr, ...]
    """Over the columns around, and over those of the right counted from INNER on."""
    empty: Expr | None = None
    """Of a value: what it is if there is no row on the right; None for NULL."""


class Subqueries:
    """Collects the sub-queries of a clause while it is bound."""

    def __init__(self, queries: QueryBinder) -> None:
        self.queries = queries
        self.text = queries.text
        self.halves: list[SubJoin] = []
        self.values: list[SubJoin] = []

    # EXISTS and IN

    def half_join(self, tree: exp.Expr, binder: ExpressionBinder) -> bool:
        """Take a condition that is an EXISTS or IN of a sub-query, or the contrary; say whether it is one."""
        part = tree.unnest()
        negated = isinstance(part, exp.Not)
        inner = part.this.unnest() if negated else part
        if isinstance(inner, exp.Exists):
            right, conditions, _ = self._rows(inner.this, binder)
        elif isinstance(inner, exp.In) and inner.args.get("query") is not None:
            negated = negated != bool(inner.args.get("negate"))
            right, conditions, items = self._rows(inner.args["query"], binder)
            conditions += self._equal(inner, items, binder, negated=negated)
        else:
            return False
        self.halves.append(SubJoin(right, "ANTI" if negated else "SEMI", tuple(conditions)))
        return True

    def _rows(self, tree: exp.Expr, binder: ExpressionBinder) -> tuple[Node, list[Expr], list[Expr]]:
        """Return the plan of a sub-query, on which conditions it depends on the query around, and its columns."""
        select = tree.unnest()
        if not self._is_flat(select):
            node = self.queries.bind(tree)
            return node, [], [shifted(ref, INNER) for ref in node.refs()]
        node, inner, conditions = self._correlated(select, binder)
        items = [inner.bind(item) for item, _ in self.queries.items(select, inner.scope)]
        return node, conditions, items

    def _is_flat(self, select: exp.Expr) -> bool:
        """Say whether each row of the tables gives one row of the query, whatever the others are."""
        return (
            isinstance(select, exp.Select)
            and "plan" not in select.meta
            and not any(select.args.get(part) for part in (*MANY, "with_"))
            and not any(has_aggregates(item, self.queries.users) for item in select.expressions)
        )

    def _correlated(self, select: exp.Expr, binder: ExpressionBinder) -> tuple[Node, ExpressionBinder, list[Expr]]:
        """Return the plan of FROM and WHERE, what binds expressions over it, and conditions on columns around."""
        node, scope = self.queries.from_clause(select)
        nested = NestedScope(scope.relations, self.text, scope.shared, outer=binder.bind)
        inner = ExpressionBinder(nested, self.queries.users)
        where = select.args.get("where")
        own: list[exp.Expr] = []
        conditions: list[Expr] = []
        for part in [] if where is None else conjuncts_of(where.this):
            if any(isinstance(one, exp.Query) for one in part.walk()):
                own.append(part)
                continue
            bound = inner.condition(part, "WHERE")
            if looks_outside(bound):
                conditions.append(bound)
            else:
                own.append(part)
        if own:
            node = self.queries.where(node, scope, own)
        return node, inner, conditions

    def _equal(self, node: exp.In, items: list[Expr], binder: ExpressionBinder, *, negated: bool) -> list[Expr]:
        """Return that a value is one of those of a sub-query; negated, also if that is not known because of NULL."""
        tree = node.this.unnest()
        subjects = tree.expressions if isinstance(tree, exp.Tuple) else [tree]
        if len(subjects) != len(items):
            raise wrong(f"IN compares {len(subjects)} values with {len(items)} columns", node, self.text)
        found = []
        for subject, item in zip((binder.bind(one) for one in subjects), items, strict=True):
            try:
                same: Expr = functions()["="].bind("=", [subject, item])
            except SignatureError as error:
                raise wrong(str(error), node, self.text) from None
            for side in (subject, item) if negated else ():
                if side.type.is_nullable:
                    same = Call(DataTypes.BOOLEAN(), "OR", (same, Call(TRUTH, "IS NULL", (side,))))
            found.append(same)
        return found

    # Single values

    def hook(self, node: exp.Expr, binder: ExpressionBinder) -> Expr | None:
        """Bind a sub-query that gives a single value; None for everything else."""
        if isinstance(node, exp.Exists) or (isinstance(node, exp.In) and node.args.get("query") is not None):
            raise NotYetError(
                "EXISTS and IN (SELECT …) can be run only in WHERE, joined to other conditions by AND", self.text
            )
        if not isinstance(node, (exp.Subquery, exp.Select)):
            return None
        select = node.unnest()
        self._check_single(select, node)
        correlated = isinstance(select, exp.Select) and not any(select.args.get(part) for part in (*MANY, "with_"))
        if correlated and "plan" not in select.meta:
            made = self._value(select, binder)
        else:
            whole = self.queries.bind(node)
            self._check_number(len(whole.fields), node)
            made = SubJoin(_single(whole), "LEFT", ())
        self.values.append(made)
        return InputRef(made.right.fields[-1].type.nullable(), SCALAR + len(self.values) - 1)

    def _check_single(self, select: exp.Expr, node: exp.Expr) -> None:
        columns = select.expressions if isinstance(select, exp.Select) else [None]
        if len(columns) != 1:
            self._check_number(len(columns), node)

    def _check_number(self, columns: int, node: exp.Expr) -> None:
        if columns != 1:
            raise wrong(f"a sub-query that stands for a value gives one column, not {columns}", node, self.text)

    def _value(self, select: exp.Expr, binder: ExpressionBinder) -> SubJoin:
        """Return the value of a sub-query: one for each value of what it compares with the query around."""
        node, inner, conditions = self._correlated(select, binder)
        pairs = [self._pair(condition, select) for condition in conditions]
        keys = [shifted(own, -INNER) for own, _ in pairs]
        scope = Scope(inner.scope.relations, self.text, inner.scope.shared)
        items = self.queries.items(select, scope)
        self._check_number(len(items), select)
        [(item, _)] = items
        grouping = Grouping(node, scope, self.queries.users, None, keys)
        if has_aggregates(item, self.queries.users):
            expr = ExpressionBinder(scope, self.queries.users, grouping.hook).bind(item)
        else:
            expr = grouping.single(ExpressionBinder(scope, self.queries.users).bind(item))
        grouped = grouping.plan()
        width = len(grouping.keys)
        empty = _of_nothing(expr, width, grouping.calls) if pairs else None
        right = project(grouped, [*grouped.refs()[:width], expr], [f"$key{one}" for one in range(width)] + ["$value"])
        equal = []
        for (own, around), place in zip(pairs, (grouping.keys.index(key) for key in keys), strict=True):
            equal.append(Call(TRUTH.nullable(), "=", (around, InputRef(own.type, INNER + place))))
        return SubJoin(right, "LEFT", tuple(equal), empty)

    def _pair(self, condition: Expr, node: exp.Expr) -> tuple[Expr, Expr]:
        """Return the two sides of an equality: that of the sub-query, and that of the query around."""
        if isinstance(condition, Call) and condition.function == "=":
            one, other = condition.args
            if looks_outside(one):
                one, other = other, one
            if not looks_outside(one) and not looks_inside(other):
                return one, other
        raise NotYetError(CORRELATED, self.text)

    # The plan

    def plan(self, node: Node, exprs: Sequence[Expr]) -> tuple[Node, list[Expr]]:
        """Return the plan with the sub-queries joined to it, and expressions over it."""
        places: dict[int, Expr] = {}
        for number, value in enumerate(self.values):
            node = _joined(node, value, places)
            made: Expr = InputRef(node.fields[-1].type, len(node.fields) - 1)
            if value.empty is not None:
                key = len(node.fields) - len(value.right.fields)
                missing = Call(TRUTH, "IS NULL", (InputRef(node.fields[key].type, key),))
                made = Call(made.type, "CASE", (missing, value.empty, made))
            places[SCALAR + number] = made
        for half in self.halves:
            node = _joined(node, half, places)
        return node, [_placed(expr, places) for expr in exprs]


def _joined(node: Node, sub: SubJoin, places: dict[int, Expr]) -> Node:
    width = len(node.fields)

    def moved(part: Expr) -> Expr | None:
        if isinstance(part, InputRef) and INNER <= part.index < SCALAR:
            return InputRef(part.type, part.index - INNER + width)
        return places.get(part.index) if isinstance(part, InputRef) else None

    return join_node(node, sub.right, sub.kind, conjunction([rewritten(one, moved) for one in sub.conditions]))


def _placed(expr: Expr, places: dict[int, Expr]) -> Expr:
    return rewritten(expr, lambda part: places.get(part.index) if isinstance(part, InputRef) else None)


def _of_nothing(expr: Expr, width: int, calls: list[AggregateCall]) -> Expr | None:
    """Return what an expression over aggregates is of no rows; None if that is NULL."""

    def value(part: Expr) -> Expr | None:
        if not isinstance(part, InputRef):
            return None
        counts = part.index >= width and calls[part.index - width].function in {"COUNT", "SUM0"}
        return Literal(part.type, 0) if counts else Literal(part.type.nullable(), None)

    made = rewritten(expr, value)
    return None if made == Literal(made.type, None) else made


def _single(node: Node) -> Node:
    """Return the one value that a query gives."""
    grouping = Grouping(node, Scope.of(node, None, ""), {}, None)
    value = grouping.single(node.refs()[0])
    return project(grouping.plan(), [value], ["$value"])


def conjuncts_of(tree: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that AND joins."""
    inner = tree.unnest()
    return list(inner.flatten()) if isinstance(inner, exp.And) else [tree]
