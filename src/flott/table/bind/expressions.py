"""Scalar expressions: names become columns, functions are found, types are checked."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.errors import FlottError
from flott.table.arrow_types import MICROS
from flott.table.bind.literals import interval, literal, timestamp_literal
from flott.table.bind.scope import offset_of, wrong
from flott.table.errors import NotYetError, SqlParserError, TableError, did_you_mean, unexpected
from flott.table.expr import Call, Expr, Literal, UserCall
from flott.table.functions.aggregates import AGGREGATES
from flott.table.functions.casts import bind_cast, read_time
from flott.table.functions.registry import SignatureError, cast_to, functions
from flott.table.functions.structure import field_of
from flott.table.functions.temporal import OF_DAY, PARTS, part_function
from flott.table.sql.dialect import LITERAL
from flott.table.sql.type_text import type_of_cast
from flott.table.types import DataTypes, DateType, TimeType, is_timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.bind.scope import Scope

OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<",
    exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.And: "AND", exp.Or: "OR", exp.DPipe: "||",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM", exp.Like: "LIKE", exp.SimilarTo: "SIMILAR TO",
}  # fmt: skip
UNARY: dict[type[exp.Expr], str] = {exp.Not: "NOT", exp.Neg: "NEGATE"}
CLOCKS: dict[type[exp.Expr], str] = {
    exp.CurrentTimestamp: "CURRENT_TIMESTAMP", exp.CurrentDate: "CURRENT_DATE", exp.CurrentTime: "CURRENT_TIME",
    exp.Localtimestamp: "LOCALTIMESTAMP", exp.Localtime: "LOCALTIME",
}  # fmt: skip
UNIT_FIRST = {"TIMESTAMPDIFF", "TIMESTAMPADD"}
TEXT = DataTypes.STRING().not_null()


class ExpressionBinder:
    """Binds expressions over the columns of a scope.

    ``hook`` sees each part first: it binds what has a meaning of its own there, such as aggregates behind GROUP BY.
    """

    def __init__(
        self, scope: Scope, users: dict[str, Any], hook: Callable[[exp.Expr], Expr | None] | None = None
    ) -> None:
        self.scope = scope
        self.users = users
        self.hook = hook

    def bind(self, node: exp.Expr) -> Expr:
        """Return an expression with types."""
        if node is None:
            raise wrong("an argument is missing", exp.Null(), self.scope.text)
        if self.hook is not None:
            found = self.hook(node)
            if found is not None:
                return found
        try:
            return self._bind(node)
        except (FlottError, RecursionError):
            raise
        except SignatureError as error:
            raise wrong(str(error), node, self.scope.text) from None
        except Exception as error:
            raise unexpected(error, self.scope.text or None, offset_of(node)) from error

    def condition(self, node: exp.Expr, clause: str) -> Expr:
        """Return an expression that is TRUE or FALSE."""
        made = self.bind(node)
        if not made.type.same_as(DataTypes.BOOLEAN()):
            raise wrong(f"{clause} takes a condition, and this is {made.type.nullable()!r}", node, self.scope.text)
        return made

    def call(self, name: str, args: list[Expr]) -> Expr:
        """Return a call of a built-in function."""
        return functions()[name].bind(name, args)

    def _bind(self, node: exp.Expr) -> Expr:  # noqa: C901, PLR0911, PLR0912 - a case a line
        kind = type(node)
        if node.args.get("negate") or (isinstance(node, exp.Escape) and node.this.args.get("negate")):
            return self.call("NOT", [self.bind(_affirmed(node))])
        if kind in OPERATORS:
            return self.call(OPERATORS[kind], [self.bind(node.this), self.bind(node.expression)])
        if kind in UNARY:
            return self._unary(node)
        if kind in CLOCKS:
            return self.call(CLOCKS[kind], [])
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Paren):
            return self.bind(node.this)
        if isinstance(node, exp.Alias):
            return self.bind(node.this)
        if isinstance(node, exp.Literal):
            return self._literal(node)
        if isinstance(node, exp.Null):
            return Literal(DataTypes.NULL(), None)
        if isinstance(node, exp.Boolean):
            return Literal(DataTypes.BOOLEAN().not_null(), bool(node.this))
        if isinstance(node, exp.Interval):
            return self._interval(node)
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return self._cast(node)
        if isinstance(node, exp.Is):
            return self._is(node)
        if isinstance(node, exp.NullSafeNEQ):
            return self.call(
                "NOT", [self.call("IS NOT DISTINCT FROM", [self.bind(node.this), self.bind(node.expression)])]
            )
        if isinstance(node, exp.Between):
            return self._between(node)
        if isinstance(node, exp.In):
            return self._in(node)
        if isinstance(node, exp.Case):
            return self._case(node)
        if isinstance(node, exp.If):
            parts = [node.this, node.args["true"], node.args.get("false") or exp.Null()]
            return self.call("CASE", [self.bind(part) for part in parts])
        if isinstance(node, exp.Extract):
            return self._extract(node)
        if isinstance(node, (exp.Floor, exp.Ceil)):
            return self._round_to(node)
        if isinstance(node, exp.Substring):
            parts = [node.this, node.args.get("start"), node.args.get("length")]
            return self.call("SUBSTRING", [self.bind(part) for part in parts if part is not None])
        if isinstance(node, exp.Trim):
            return self._trim(node)
        if isinstance(node, exp.StrPosition):
            return self.call("POSITION", [self.bind(node.args["substr"]), self.bind(node.this)])
        if isinstance(node, exp.Escape):
            like = node.this
            name = OPERATORS[type(like)]
            return self.call(name, [self.bind(like.this), self.bind(like.expression), self.bind(node.expression)])
        if isinstance(node, exp.Bracket) and _is_word(node.this, "MAP"):
            return self.call("MAP", [self.bind(part) for part in node.expressions])
        if isinstance(node, exp.Bracket):
            return self.call("ITEM", [self.bind(node.this), self.bind(node.expressions[0])])
        if isinstance(node, exp.Array):
            return self.call("ARRAY", [self.bind(part) for part in node.expressions])
        if isinstance(node, exp.Dot):
            return self.call(*field_of(self.bind(node.this), node.expression.name))
        if isinstance(node, exp.Anonymous):
            return self._function(node)
        if isinstance(node, (exp.Subquery, exp.Exists, exp.Select)):
            raise NotYetError(
                "a query can stand in SELECT, WHERE and HAVING, not here; write it as a JOIN", self.scope.text
            )
        raise wrong(f"'{node.sql()}' is not known in expressions", node, self.scope.text)

    # Single forms

    def _column(self, node: exp.Column) -> Expr:
        if isinstance(node.this, exp.Star):
            raise wrong("* stands only in SELECT and COUNT(*)", node, self.scope.text)
        made, rest = self.scope.resolve(node)
        for name in rest:
            made = self.call(*field_of(made, name))
        return made

    def _literal(self, node: exp.Literal) -> Expr:
        try:
            return literal(node)
        except ValueError as error:
            raise wrong(str(error), node, self.scope.text) from None

    def _unary(self, node: exp.Expr) -> Expr:
        made = self.bind(node.this)
        if isinstance(node, exp.Neg) and isinstance(made, Literal) and _has_opposite(made):
            # Python's minus rounds a Decimal to 28 digits.
            exact = isinstance(made.value, Decimal) and made.value
            return Literal(made.type, made.value.copy_negate() if exact else -made.value)
        return self.call(UNARY[type(node)], [made])

    def _interval(self, node: exp.Interval) -> Expr:
        try:
            return interval(node)
        except ValueError as error:
            raise wrong(str(error), node, self.scope.text) from None

    def _cast(self, node: exp.Cast) -> Expr:
        try:
            target = type_of_cast(node.to)
        except SqlParserError as error:
            raise wrong(error.problem, node, self.scope.text) from None
        if isinstance(target, TimeType) and node.meta.get(LITERAL):
            return self._time_literal(node)
        timed = is_timestamp(target) or target.same_as(DataTypes.DATE())
        if timed and isinstance(node.this, exp.Literal) and node.this.is_string and not node.args.get("safe"):
            try:
                made = timestamp_literal(node.this.this, target)
            except ValueError:
                raise wrong(f"'{node.this.this}' is no {target!r}", node, self.scope.text) from None
            default = node.to.expressions == []
            return made if default or target.same_as(DataTypes.DATE()) else cast_to(made, target.not_null())
        return bind_cast(self.bind(node.this), target, lenient=isinstance(node, exp.TryCast))

    def _time_literal(self, node: exp.Cast) -> Expr:
        """Bind TIME '12:00:00.123', which has as many digits as are written."""
        text = node.this.this
        digits = min(len(text.partition(".")[2]), MICROS)
        try:
            return Literal(DataTypes.TIME(digits).not_null(), read_time(text, digits))
        except ValueError:
            raise wrong(f"'{text}' is not a TIME", node, self.scope.text) from None

    def _is(self, node: exp.Is) -> Expr:
        made = self.bind(node.this)
        what = node.expression
        if isinstance(what, exp.Null):
            return self.call("IS NULL", [made])
        if isinstance(what, exp.Boolean):
            return self.call("IS TRUE" if what.this else "IS FALSE", [made])
        if isinstance(what, exp.JSON):
            return self.call(f"IS JSON {what.this or 'VALUE'}", [made])
        raise wrong(f"IS {what.sql()} is not known", node, self.scope.text)

    def _between(self, node: exp.Between) -> Expr:
        value, low, high = (self.bind(part) for part in (node.this, node.args["low"], node.args["high"]))
        within = self._within(value, low, high)
        if not node.args.get("symmetric"):
            return within
        return self.call("OR", [within, self._within(value, high, low)])

    def _within(self, value: Expr, low: Expr, high: Expr) -> Expr:
        return self.call("AND", [self.call(">=", [value, low]), self.call("<=", [value, high])])

    def _in(self, node: exp.In) -> Expr:
        if node.args.get("query") is not None:
            raise NotYetError("IN (SELECT …) can be run only in WHERE, joined to other conditions by AND")
        return self.call("IN", [self.bind(node.this), *(self.bind(part) for part in node.expressions)])

    def _case(self, node: exp.Case) -> Expr:
        subject = None if node.this is None else self.bind(node.this)
        parts: list[Expr] = []
        for branch in node.args["ifs"]:
            condition = self.bind(branch.this)
            parts += [condition if subject is None else self.call("=", [subject, condition])]
            parts.append(self.bind(branch.args["true"]))
        default = node.args.get("default")
        return self.call("CASE", [*parts, Literal(DataTypes.NULL(), None) if default is None else self.bind(default)])

    def _extract(self, node: exp.Extract) -> Expr:
        name = part_function(node.this.name.upper())
        if name is None:
            problem = f"EXTRACT({node.this.name} FROM …): this part is not known{did_you_mean(node.this.name, PARTS)}"
            raise wrong(problem, node, self.scope.text)
        return self.call(name, [self.bind(node.expression)])

    def _round_to(self, node: exp.Expr) -> Expr:
        name = "FLOOR" if isinstance(node, exp.Floor) else "CEIL"
        unit = node.args.get("to")
        if unit is None:
            return self.call(name, [self.bind(node.this)])
        return self.call(f"{name} TO", [self.bind(node.this), Literal(TEXT, unit.name.upper())])

    def _trim(self, node: exp.Trim) -> Expr:
        characters = node.expression
        what = Literal(TEXT, " ") if characters is None else self.bind(characters)
        where = Literal(TEXT, (node.args.get("position") or "BOTH").upper())
        return self.call("TRIM", [self.bind(node.this), what, where])

    # Functions by name

    def _function(self, node: exp.Anonymous) -> Expr:
        name = str(node.this).upper()
        if name in UNIT_FIRST and node.expressions:
            return self._with_unit(name, node)
        user = node.meta.get("user") or self.users.get(name)
        known = functions()
        if user is None and name not in known:
            if name in AGGREGATES:
                raise wrong(f"{name}(…) is an aggregate, and can't stand here", node, self.scope.text)
            hint = did_you_mean(name, [*known, *self.users, *AGGREGATES])
            raise wrong(f"there is no function '{node.this}'{hint}", node, self.scope.text)
        args = [self.bind(arg) for arg in node.expressions]
        if "names" in node.meta:
            fields = zip(node.meta["names"], args, strict=True)
            kind = DataTypes.ROW([DataTypes.FIELD(title, arg.type) for title, arg in fields])
            return Call(kind.not_null(), name, tuple(args))
        return self.call(name, args) if user is None else self.user_call(str(node.this), user, args, node)

    def _with_unit(self, name: str, node: exp.Anonymous) -> Expr:
        if len(node.expressions) != 3:  # noqa: PLR2004 - a unit and two arguments
            raise wrong(f"{name} takes a unit and two arguments, as in {name}(DAY, …, …)", node, self.scope.text)
        unit = "" if node.expressions[0] is None else node.expressions[0].name.upper()
        first, second = (self.bind(arg) for arg in node.expressions[1:])
        if name == "TIMESTAMPDIFF":
            return self.call(name, [Literal(TEXT, unit), first, second])
        digits, unit = ("0.001", "SECOND") if unit == "MILLISECOND" else ("1", unit)
        try:
            one = interval(exp.Interval(this=exp.Literal.string(digits), unit=exp.var(unit)))
        except ValueError as error:
            raise wrong(str(error), node, self.scope.text) from None
        if isinstance(second.type, DateType) and unit in OF_DAY:
            second = cast_to(second, DataTypes.TIMESTAMP(6))
        return self.call("+", [second, self.call("*", [one, first])])

    def user_call(self, name: str, user: Any, args: list[Expr], node: exp.Expr) -> Expr:
        """Return a call of a function of the user's."""
        kind = getattr(user, "kind", None)
        if kind != "scalar":
            raise wrong(f"'{name}' is no scalar function, so it can't stand here", node, self.scope.text)
        wanted = user.input_types
        if wanted is not None:
            if len(wanted) != len(args):
                raise wrong(f"{name} takes {len(wanted)} arguments, here are {len(args)}", node, self.scope.text)
            args = [cast_to(arg, one) for arg, one in zip(args, wanted, strict=True)]
        if user.result_type is None:
            raise TableError(f"function '{name}' has no result_type; declare it: @udf(result_type=DataTypes.BIGINT())")
        return UserCall(user.result_type, name, user, tuple(args))


def _affirmed(node: exp.Expr) -> exp.Expr:
    """Return NOT LIKE as LIKE."""
    made = node.copy()
    (made.this if isinstance(made, exp.Escape) else made).set("negate", None)
    return made


def _has_opposite(made: Literal) -> bool:
    return isinstance(made.value, (int, float, Decimal, dt.timedelta)) and not isinstance(made.value, bool)


def _is_word(node: exp.Expr, word: str) -> bool:
    """Say whether what looks like a column is a word of SQL."""
    return isinstance(node, exp.Column) and not node.table and not node.this.quoted and node.name.upper() == word
