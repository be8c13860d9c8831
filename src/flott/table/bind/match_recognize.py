"""MATCH_RECOGNIZE: a table, a pattern over its rows, and the columns that each match gives."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.literals import interval
from flott.table.bind.match_pattern import pattern_parts
from flott.table.bind.match_rows import MatchColumns, MatchScope
from flott.table.bind.scope import Scope, wrong
from flott.table.errors import NotYetError, ValidationError, did_you_mean
from flott.table.expr import Expr, InputRef, conjunction, conjuncts, shifted, substituted
from flott.table.plan.match import Definition, Match, Skip
from flott.table.plan.nodes import PROCTIME, ROWTIME, Field, SortKey, project
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node

MILLISECOND = dt.timedelta(milliseconds=1)


def match_table(source: Node, clause: exp.Expr, text: str, users: dict[str, Any]) -> Node:
    """Return the plan of the matches in a table."""
    return _Clause(source, clause, text, users).plan()


class _Clause:
    def __init__(self, source: Node, clause: exp.Expr, text: str, users: dict[str, Any]) -> None:
        self.source = source
        self.clause = clause
        self.text = text
        self.pattern = pattern_parts(clause.args["pattern"].this)
        self.variables = tuple(part.variable for part in self.pattern)
        self.columns = MatchColumns(source, text, users, self.variables)
        self._refuse()

    def _refuse(self) -> None:
        rows = self.clause.args.get("rows")
        if rows is not None and rows.this != "ONE ROW PER MATCH":
            raise NotYetError("ALL ROWS PER MATCH can't be run; ONE ROW PER MATCH can", self.text)
        if self.clause.args.get("subset"):
            raise NotYetError("SUBSET can't be run; write the variables out", self.text)

    def plan(self) -> Node:
        """Return the matches, and the measures computed of them."""
        partition = [self._column(node, "PARTITION BY") for node in self.clause.args.get("partition_by") or ()]
        order = self._order()
        keys = tuple(self.columns.place(InputRef(self.source.fields[place].type, place)) for place in partition)
        sorts = tuple(
            SortKey(
                self.columns.place(InputRef(self.source.fields[key.index].type, key.index)), key.descending,
                key.nulls_first,
            )
            for key in order
        )  # fmt: skip
        time = order[0].index if self.source.fields[order[0].index].is_rowtime else None
        measures = MatchScope(self.columns, time, measures=True)
        names, exprs = self._measures(measures)
        definitions = self._definitions()
        names_below = [
            self.source.fields[expr.index].name if isinstance(expr, InputRef) else f"$m{place}"
            for place, expr in enumerate(self.columns.exprs)
        ]
        below = project(self.source, self.columns.exprs, names_below)
        fields = [below.fields[key].plain() for key in keys]
        for place, glance in enumerate(measures.found):
            fields.append(Field(f"$g{place}", glance.type, ROWTIME if place in measures.rowtimes else None))
        node = Match(
            tuple(fields), below, keys, sorts, self.pattern, definitions, tuple(measures.found), self._skip(),
            self._within(),
        )  # fmt: skip
        above: list[Expr] = [InputRef(field.type, place) for place, field in enumerate(fields[: len(keys)])]
        above += [shifted(expr, len(keys)) for expr in exprs]
        return project(node, above, [*(field.name for field in fields[: len(keys)]), *names])

    # The clauses

    def _column(self, node: exp.Expr, where: str) -> int:
        found: Expr | None = None
        rest: list[str] = []
        if isinstance(node, exp.Column):
            found, rest = Scope.of(self.source, None, self.text).resolve(node)
        if not isinstance(found, InputRef) or rest:
            raise wrong(f"{where} in MATCH_RECOGNIZE takes columns of the table", node, self.text)
        return found.index

    def _order(self) -> list[SortKey]:
        order = self.clause.args.get("order")
        if order is None:
            raise ValidationError("MATCH_RECOGNIZE needs ORDER BY with event time or processing time", self.text, 0)
        keys = [
            SortKey(self._column(key.this, "ORDER BY"), bool(key.args.get("desc")), bool(key.args.get("nulls_first")))
            for key in order.expressions
        ]
        first = self.source.fields[keys[0].index]
        if not first.is_rowtime and first.role != PROCTIME:
            raise wrong(
                f"ORDER BY in MATCH_RECOGNIZE starts with event time or processing time, and '{first.name}' is "
                f"neither; declare WATERMARK FOR it, or add a column AS PROCTIME()", order, self.text,
            )  # fmt: skip
        if keys[0].descending:
            raise wrong("time goes forward: ORDER BY in MATCH_RECOGNIZE starts with ascending time", order, self.text)
        return keys

    def _measures(self, scope: MatchScope) -> tuple[list[str], list[Expr]]:
        names, exprs = [], []
        for measure in self.clause.args.get("measures") or ():
            if not measure.this.alias:
                raise wrong("a measure needs a name: MEASURES A.price AS price", measure, self.text)
            names.append(measure.this.alias)
            exprs.append(scope.bind(measure.this.this))
        return names, exprs

    def _definitions(self) -> tuple[Definition, ...]:
        made = []
        for tree in self.clause.args["define"]:
            if tree.alias not in self.variables:
                hint = did_you_mean(tree.alias, self.variables)
                raise wrong(f"DEFINE {tree.alias}: there is no such variable in PATTERN{hint}", tree, self.text)
            made.append(self._definition(tree.alias, tree.this))
        return tuple(made)

    def _definition(self, variable: str, tree: exp.Expr) -> Definition:
        """Return a condition: what is about the row itself is a column of it, computed for all rows at once."""
        scope = MatchScope(self.columns, None, measures=False)
        condition = scope.bind(tree)
        if not condition.type.same_as(DataTypes.BOOLEAN()):
            raise wrong(
                f"DEFINE takes a condition, and this is {condition.type.nullable()!r}", tree, self.text
            )  # fmt: skip
        tests: list[int] = []
        rest: list[Expr] = []
        rows = [self.columns.exprs[one.column] if one.column is not None else None for one in scope.found]
        for part in conjuncts(condition):
            if all(scope.found[index].of_current_row(variable) for index in part.inputs()):
                tests.append(self.columns.place(substituted(part, rows)))  # type: ignore[arg-type]
            else:
                rest.append(part)
        return Definition(variable, tuple(tests), conjunction(rest), tuple(scope.found) if rest else ())

    def _skip(self) -> Skip:
        after = self.clause.args.get("after")
        words = ["TO", "NEXT", "ROW"] if after is None else after.this.split(" ", 2)
        if words[:2] == ["TO", "NEXT"] or words[0] == "PAST":
            return Skip("NEXT" if words[0] == "TO" else "PAST")
        if words[2] not in self.variables:
            hint = did_you_mean(words[2], self.variables)
            raise ValidationError(f"AFTER MATCH SKIP: there is no variable '{words[2]}' in PATTERN{hint}", self.text)
        return Skip(words[1], words[2])

    def _within(self) -> int | None:
        node = self.clause.args.get("within")
        if node is None:
            return None
        try:
            span = interval(node).value
        except ValueError as error:
            raise wrong(str(error), node, self.text) from None
        if not isinstance(span, dt.timedelta) or span <= dt.timedelta():
            raise wrong("WITHIN takes a time such as INTERVAL '1' HOUR, of days or less", node, self.text)
        return span // MILLISECOND
