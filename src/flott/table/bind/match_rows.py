"""What MEASURES and DEFINE say about the rows of a match: A.price, FIRST(A.price, 1), SUM(A.price * A.tax)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import is_aggregate
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope, wrong
from flott.table.errors import NotYetError, did_you_mean
from flott.table.expr import AggregateCall, Expr, InputRef
from flott.table.functions.aggregates import aggregate_type
from flott.table.functions.registry import SignatureError
from flott.table.plan.match import Glance

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node

REFUSED = {
    "PREV": "looks at rows by their place in the partition; LAST(A.price, 1) looks at the rows of a match",
    "NEXT": "looks at rows by their place in the partition; FIRST(A.price, 1) looks at the rows of a match",
    "CLASSIFIER": "can't be told of a match with one row; give each variable a measure of its own",
    "MATCH_NUMBER": "can't be told; number the matches with ROW_NUMBER() OVER (…)",
}


class MatchColumns:
    """The columns that are needed of each row: those of the table, and what is computed of them beforehand."""

    def __init__(self, source: Node, text: str, users: dict[str, Any], variables: tuple[str, ...]) -> None:
        self.source = source
        self.text = text
        self.users = users
        self.variables = variables
        self.exprs: list[Expr] = []
        self._binder = ExpressionBinder(Scope.of(source, None, text), users)

    def place(self, expr: Expr) -> int:
        """Return where an expression of a row is a column."""
        if expr not in self.exprs:
            self.exprs.append(expr)
        return self.exprs.index(expr)

    def bind(self, node: exp.Expr) -> tuple[str | None, Expr]:
        """Return an expression of one row, and the variable that the row belongs to; None for all rows."""
        found: set[str | None] = set()

        def plain(part: exp.Expr) -> exp.Expr:
            if not isinstance(part, exp.Column):
                return part
            variable, column = self.split(part)
            found.add(variable)
            return column

        bare = node.copy().transform(plain)
        if len(found) > 1:
            raise wrong(
                f"'{node.sql()}' is about rows of several variables; inside of FIRST, LAST and aggregates there can be "
                f"only one, as in SUM(A.price * A.tax)", node, self.text,
            )  # fmt: skip
        return next(iter(found), None), self._binder.bind(bare)

    def split(self, node: exp.Column) -> tuple[str | None, exp.Expr]:
        """Return the variable in front of a column, and the column without it."""
        parts = list(node.parts)
        names = [field.name for field in self.source.fields]
        if len(parts) == 1 or (parts[0].name not in self.variables and parts[0].name in names):
            return None, node
        if parts[0].name not in self.variables:
            hint = did_you_mean(parts[0].name, self.variables)
            raise wrong(f"there is no variable '{parts[0].name}' in PATTERN{hint}", node, self.text)
        names_left = [part.copy() for part in reversed(parts[1:])]
        return parts[0].name, exp.Column(**dict(zip(("this", "table", "db"), names_left, strict=False)))


class MatchScope:
    """Binds one part of MEASURES or DEFINE; ``found`` holds what it looks at, and is what columns stand for in it."""

    def __init__(self, columns: MatchColumns, time: int | None, *, measures: bool) -> None:
        self.columns = columns
        self.time = time
        """Which column of the table is event time."""
        self.measures = measures
        self.found: list[Glance] = []
        self.rowtimes: set[int] = set()
        """Which of them are event time of the matches."""

    def bind(self, node: exp.Expr) -> Expr:
        """Return an expression over what is found."""
        columns = self.columns
        binder = ExpressionBinder(Scope.of(columns.source, None, columns.text), columns.users, self._hook)
        return binder.bind(node)

    def _hook(self, node: exp.Expr) -> Expr | None:
        if isinstance(node, exp.Column):
            variable, expr = self.columns.bind(node)
            return self._glance(Glance(expr.type.nullable(), variable, self.columns.place(expr)))
        if isinstance(node, exp.Filter):
            raise NotYetError("FILTER can't stand in MATCH_RECOGNIZE; define a variable with the condition")
        if not isinstance(node, exp.Anonymous):
            return None
        name = str(node.this).upper()
        if name in REFUSED:
            raise NotYetError(f"{name} {REFUSED[name]}", self.columns.text)
        if name in {"FIRST", "LAST"}:
            return self._navigation(name, node)
        if name == "MATCH_ROWTIME":
            return self._rowtime(node)
        if name == "MATCH_PROCTIME":
            return ExpressionBinder(Scope((), ""), {}).call("PROCTIME", [])
        return self._aggregate(name, node) if is_aggregate(node, self.columns.users) else None

    def _glance(self, glance: Glance) -> Expr:
        if glance not in self.found:
            self.found.append(glance)
        return InputRef(glance.type, self.found.index(glance))

    def _navigation(self, name: str, node: exp.Anonymous) -> Expr:
        args = node.expressions
        offset = 0
        if len(args) == 2:  # noqa: PLR2004 - counted on one hand
            if not isinstance(args[1], exp.Literal) or not args[1].this.isdigit():
                raise wrong(f"{name}(…, n): how many rows away is a whole number", node, self.columns.text)
            offset = int(args[1].this)
        elif len(args) != 1:
            raise wrong(
                f"{name} takes a column and perhaps a number, as in {name}(A.price, 1)", node, self.columns.text
            )
        variable, expr = self.columns.bind(args[0])
        place = self.columns.place(expr)
        return self._glance(Glance(expr.type.nullable(), variable, place, name == "FIRST", offset))

    def _rowtime(self, node: exp.Anonymous) -> Expr:
        if not self.measures or self.time is None:
            where = "in MEASURES" if self.time is not None else "where rows are ordered by event time"
            raise wrong(f"MATCH_ROWTIME() can stand only {where}", node, self.columns.text)
        field = self.columns.source.fields[self.time]
        made = self._glance(Glance(field.type.not_null(), None, self.columns.place(InputRef(field.type, self.time))))
        self.rowtimes.add(made.index)  # type: ignore[attr-defined]
        return made

    def _aggregate(self, name: str, node: exp.Anonymous) -> Expr:
        args = list(node.expressions)
        if args and isinstance(args[0], exp.Distinct):
            raise NotYetError(f"{name}(DISTINCT …) can't stand in MATCH_RECOGNIZE", self.columns.text)
        user = node.meta.get("user") or self.columns.users.get(name)
        if len(args) > 1:
            raise NotYetError(f"{name} with several arguments can't stand in MATCH_RECOGNIZE", self.columns.text)
        variable: str | None = None
        column: int | None = None
        kinds = []
        if args and isinstance(args[0], exp.Column) and isinstance(args[0].this, exp.Star):
            variable = args[0].table
        elif args and not isinstance(args[0], exp.Star):
            variable, expr = self.columns.bind(args[0])
            column = self.columns.place(expr)
            kinds = [expr.type]
        try:
            kind = user.result_type if user is not None else aggregate_type(name, kinds)
        except SignatureError as error:
            raise wrong(str(error), node, self.columns.text) from None
        positions = () if column is None else (column,)
        call = AggregateCall(name, positions, kind, user=user)
        return self._glance(Glance(kind, variable, column, call=call))
