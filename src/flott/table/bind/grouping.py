"""GROUP BY: which parts of a SELECT are keys, which are aggregates, and what is left of it behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import aggregate_call, has_aggregates, is_aggregate
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import wrong
from flott.table.errors import NotYetError, SqlError
from flott.table.expr import AggregateCall, Expr, InputRef, Literal
from flott.table.plan.nodes import Aggregate, Field, Node, project
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.bind.scope import Scope


class Grouping:
    """Collects keys and aggregates while the parts of a SELECT are bound."""

    def __init__(
        self, source: Node, scope: Scope, users: dict[str, Any], group: exp.Group | None,
        keys: Sequence[Expr] = (),
    ) -> None:  # fmt: skip
        self.source = source
        self.scope = scope
        self.users = users
        self.plain = ExpressionBinder(scope, users)
        self.keys: list[Expr] = list(keys)
        self.inputs: list[Expr] = []
        self.calls: list[AggregateCall] = []
        if group is not None:
            if any(isinstance(part, (exp.GroupingSets, exp.Cube, exp.Rollup)) for part in group.walk()):
                raise NotYetError("GROUPING SETS, CUBE and ROLLUP can't be run yet; UNION ALL the groupings")
            self.keys = [self.plain.bind(key) for key in group.expressions]
        self.inputs = list(dict.fromkeys(self.keys))
        self.keys = list(self.inputs)

    def hook(self, node: exp.Expr) -> Expr | None:  # noqa: PLR0911 - a case a line
        """Bind what has a meaning of its own behind GROUP BY."""
        if isinstance(node, exp.Filter) and is_aggregate(node.this, self.users):
            return self._aggregate(node.this, node.expression.this)
        if is_aggregate(node, self.users):
            return self._aggregate(node, None)
        if isinstance(node, (exp.Literal, exp.Null, exp.Boolean, exp.Interval)) or has_aggregates(node, self.users):
            return None
        if any(isinstance(part, exp.Window) for part in node.walk()):
            return None
        try:
            bound = self.plain.bind(node)
        except SqlError:
            if isinstance(node, exp.Column):
                raise
            return None
        if bound in self.keys:
            position = self.keys.index(bound)
            return InputRef(bound.type, position)
        if isinstance(node, exp.Column):
            raise wrong(
                f"column '{node.sql()}' is neither in GROUP BY nor in an aggregate such as MAX({node.name})",
                node, self.scope.text,
            )  # fmt: skip
        return None

    def _aggregate(self, node: exp.Expr, condition: exp.Expr | None) -> Expr:
        call = aggregate_call(node, condition, self.plain, self._input)
        if call not in self.calls:
            self.calls.append(call)
        return InputRef(call.type, len(self.keys) + self.calls.index(call))

    def single(self, expr: Expr) -> Expr:
        """Return the one value that an expression has in a group."""
        kind = expr.type.nullable()
        self.calls.append(AggregateCall("SINGLE_VALUE", (self._input(expr),), kind))
        return InputRef(kind, len(self.keys) + len(self.calls) - 1)

    def _input(self, expr: Expr) -> int:
        if expr not in self.inputs:
            self.inputs.append(expr)
        return self.inputs.index(expr)

    def plan(self) -> Aggregate:
        """Return the aggregate over a projection of all that it needs."""
        inputs = self.inputs or [Literal(DataTypes.BOOLEAN().not_null(), True)]
        names = [self._name(expr, position) for position, expr in enumerate(inputs)]
        return aggregate_node(project(self.source, inputs, names), tuple(range(len(self.keys))), tuple(self.calls))

    def _name(self, expr: Expr, position: int) -> str:
        return self.source.fields[expr.index].name if isinstance(expr, InputRef) else f"$f{position}"


def aggregate_node(source: Node, keys: tuple[int, ...], calls: tuple[AggregateCall, ...]) -> Aggregate:
    """Return an aggregate with its columns: behind windows their bounds keep their meaning, else they are plain."""
    made = tuple(Field(f"EXPR${position}", call.type) for position, call in enumerate(calls))
    kept = tuple(source.fields[key] for key in keys)
    node = Aggregate((*kept, *made), source, keys, calls)
    if node.window_keys() is not None:
        return node
    return Aggregate((*(field.plain() for field in kept), *made), source, keys, calls)
