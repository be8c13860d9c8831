"""GROUP BY: which parts of a SELECT are keys, which are aggregates, and what is left of it behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import aggregate_call, has_aggregates, is_aggregate
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.grouping_sets import GROUPING, NUMBER, grouping_bits, sets_of
from flott.table.bind.scope import wrong
from flott.table.errors import SqlError
from flott.table.expr import AggregateCall, Expr, InputRef, Literal, shifted
from flott.table.plan.expand import expand
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
        self.sets: tuple[frozenset[int], ...] = ()
        """Which keys are in each of several groupings; none if there is only one."""
        if group is not None:
            bound = [[self.plain.bind(key) for key in keys] for keys in sets_of(group.expressions)]
            self.keys = [key for one in bound for key in one]
        self.keys = list(dict.fromkeys(self.keys))
        self.inputs = list(self.keys)
        if group is not None and len(bound) > 1:
            self.sets = tuple(frozenset(self.keys.index(key) for key in one) for one in bound)
            # Aggregates see the keys as they were, so that these are other columns; the grouping stands between them.
            self.inputs = []

    def hook(self, node: exp.Expr) -> Expr | None:  # noqa: PLR0911 - a case a line
        """Bind what has a meaning of its own behind GROUP BY."""
        if isinstance(node, exp.Anonymous) and str(node.this).upper() in GROUPING:
            return self._bits(node)
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
            missing = any(position not in one for one in self.sets)
            return InputRef(bound.type.nullable() if missing else bound.type, position)
        if isinstance(node, exp.Column):
            part = self._part_of_key(bound)
            if part is not None:
                return part
            raise wrong(
                f"column '{node.sql()}' is neither in GROUP BY nor in an aggregate such as MAX({node.name})",
                node, self.scope.text,
            )  # fmt: skip
        return None

    def _part_of_key(self, bound: Expr) -> Expr | None:
        """Return a field of a row that is a key; None if it is none."""
        keys = {key.index: place for place, key in enumerate(self.keys) if isinstance(key, InputRef)}
        if self.sets or isinstance(bound, InputRef) or not bound.inputs() <= keys.keys():
            return None
        return shifted(bound, keys)

    def _bits(self, node: exp.Expr) -> Expr:
        """Bind GROUPING(…): which of some keys are left out in the grouping of a row."""
        keys = [self.plain.bind(arg) for arg in node.expressions]
        if not keys or any(key not in self.keys for key in keys):
            raise wrong(f"{node.this}(…) takes keys of GROUP BY", node, self.scope.text)
        sets = self.sets or (frozenset(range(len(self.keys))),)
        positions = [self.keys.index(key) for key in keys]
        return grouping_bits(positions, sets, InputRef(NUMBER, len(self.keys)))

    @property
    def _heads(self) -> int:
        """How many columns stand before the aggregates."""
        return len(self.keys) + bool(self.sets)

    def _aggregate(self, node: exp.Expr, condition: exp.Expr | None) -> Expr:
        call = aggregate_call(node, condition, self.plain, self._input)
        if call not in self.calls:
            self.calls.append(call)
        return InputRef(call.type, self._heads + self.calls.index(call))

    def single(self, expr: Expr) -> Expr:
        """Return the one value that an expression has in a group."""
        kind = expr.type.nullable()
        self.calls.append(AggregateCall("SINGLE_VALUE", (self._input(expr),), kind))
        return InputRef(kind, self._heads + len(self.calls) - 1)

    def _input(self, expr: Expr) -> int:
        if expr not in self.inputs:
            self.inputs.append(expr)
        return self.inputs.index(expr) + (self._heads if self.sets else 0)

    def plan(self) -> Aggregate:
        """Return the aggregate over a projection of all that it needs."""
        inputs = [*self.keys, *self.inputs] if self.sets else self.inputs
        inputs = inputs or [Literal(DataTypes.BOOLEAN().not_null(), True)]
        names = [self._name(expr, position) for position, expr in enumerate(inputs)]
        source: Node = project(self.source, inputs, names)
        if self.sets:
            source = expand(source, len(self.keys), self.sets)
        return aggregate_node(source, tuple(range(self._heads)), tuple(self.calls))

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
