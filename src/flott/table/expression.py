"""Expression: a scalar expression of the Table API. It is the same tree that SQL text is parsed to."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.errors import TableError
from flott.table.json_options import (
    JsonExistsOnError,
    JsonOnNull,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
)
from flott.table.sql.dialect import parse_tokens, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.types import DataType

__all__ = [
    "Expression", "JsonExistsOnError", "JsonOnNull", "JsonQueryOnEmptyOrError", "JsonQueryWrapper", "JsonType",
    "JsonValueOnEmptyOrError",
]  # fmt: skip

WINDOW_PROPERTY = "window property"
"""What marks the columns that stand for a window's bounds."""


class Expression:
    """A value computed from columns.

    >>> from flott.table.expressions import col
    >>> (col("price") * 2 > col("reserve")).alias("sold")
    price * 2 > reserve AS sold
    """

    __hash__ = None  # type: ignore[assignment]  # == makes an expression

    def __init__(self, tree: exp.Expr) -> None:
        self.tree = tree

    def __repr__(self) -> str:
        return str(self.tree.sql())

    # Arithmetic

    def __add__(self, other: Any) -> Expression:
        return _binary(exp.Add, self, other)

    def __radd__(self, other: Any) -> Expression:
        return _binary(exp.Add, other, self)

    def __sub__(self, other: Any) -> Expression:
        return _binary(exp.Sub, self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _binary(exp.Sub, other, self)

    def __mul__(self, other: Any) -> Expression:
        return _binary(exp.Mul, self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _binary(exp.Mul, other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _binary(exp.Div, self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _binary(exp.Div, other, self)

    def __mod__(self, other: Any) -> Expression:
        return _binary(exp.Mod, self, other)

    def __neg__(self) -> Expression:
        return Expression(exp.Neg(this=exp.Paren(this=self.tree)))

    # Comparison and logic

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _binary(exp.EQ, self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return _binary(exp.NEQ, self, other)

    def __lt__(self, other: Any) -> Expression:
        return _binary(exp.LT, self, other)

    def __le__(self, other: Any) -> Expression:
        return _binary(exp.LTE, self, other)

    def __gt__(self, other: Any) -> Expression:
        return _binary(exp.GT, self, other)

    def __ge__(self, other: Any) -> Expression:
        return _binary(exp.GTE, self, other)

    def __and__(self, other: Any) -> Expression:
        return _binary(exp.And, self, other)

    def __or__(self, other: Any) -> Expression:
        return _binary(exp.Or, self, other)

    def __invert__(self) -> Expression:
        return Expression(exp.Not(this=exp.Paren(this=self.tree)))

    def __bool__(self) -> bool:
        raise TableError("an Expression is no truth value; combine conditions with &, | and ~ instead of and, or, not")

    @property
    def is_null(self) -> Expression:
        """Says whether the value is NULL."""
        return Expression(exp.Is(this=self.tree, expression=exp.Null()))

    @property
    def is_not_null(self) -> Expression:
        """Says whether the value is not NULL."""
        return ~self.is_null

    def between(self, lower_bound: Any, upper_bound: Any) -> Expression:
        """Says whether the value lies between two others, both included."""
        return Expression(exp.Between(this=self.tree, low=tree_of(lower_bound), high=tree_of(upper_bound)))

    def in_(self, *values: Any) -> Expression:
        """Says whether the value is one of some others, or one of a table's only column."""
        plan = getattr(values[0], "plan", None) if len(values) == 1 else None
        if plan is not None:
            query = exp.Select()
            query.meta["plan"] = plan
            return Expression(exp.In(this=self.tree, query=query))
        return Expression(exp.In(this=self.tree, expressions=[tree_of(value) for value in values]))

    def like(self, pattern: Any) -> Expression:
        """Says whether a text matches a pattern, in which % stands for anything and _ for one character."""
        return Expression(exp.Like(this=self.tree, expression=tree_of(pattern)))

    def then(self, if_true: Any, if_false: Any) -> Expression:
        """Returns one of two values, as this condition holds or not."""
        branch = exp.If(this=self.tree, true=tree_of(if_true))
        return Expression(exp.Case(ifs=[branch], default=tree_of(if_false)))

    # Names and types

    def alias(self, name: str, *extra_names: str) -> Expression:
        """Gives the value a name; the columns of a table function several."""
        if extra_names:
            return Expression(
                exp.Aliases(this=self.tree, expressions=[exp.to_identifier(one) for one in (name, *extra_names)])
            )
        return Expression(exp.Alias(this=self.tree, alias=exp.to_identifier(name, quoted=not name.isidentifier())))

    def cast(self, data_type: DataType) -> Expression:
        """Returns the value as one of another type."""
        parsed = parse_tokens(tokenize(data_type.text()), "", exp.DataType)
        return Expression(exp.Cast(this=self.tree, to=parsed))

    # Aggregates

    @property
    def count(self) -> Expression:
        """How many rows have a value here."""
        return function("COUNT", self)

    @property
    def sum(self) -> Expression:
        """The sum over the rows."""
        return function("SUM", self)

    @property
    def sum0(self) -> Expression:
        """The sum over the rows; 0 if there is nothing to add."""
        return function("SUM0", self)

    @property
    def avg(self) -> Expression:
        """The average over the rows."""
        return function("AVG", self)

    @property
    def min(self) -> Expression:
        """The smallest value of the rows."""
        return function("MIN", self)

    @property
    def max(self) -> Expression:
        """The largest value of the rows."""
        return function("MAX", self)

    @property
    def distinct(self) -> Expression:
        """Lets an aggregate count equal values once: ``col("user").count.distinct``."""
        call = self.tree
        if not isinstance(call, exp.Anonymous):
            raise TableError("distinct stands behind an aggregate, as in col('user').count.distinct")
        return Expression(exp.Anonymous(this=call.this, expressions=[exp.Distinct(expressions=call.expressions)]))

    def over(self, alias: Any) -> Expression:
        """Computes an aggregate of the rows that an OVER window has: ``col("price").sum.over(col("w"))``."""
        return Expression(exp.Window(this=self.tree, alias=exp.to_identifier(tree_of(alias).name), over="OVER"))

    # Order

    @property
    def asc(self) -> Expression:
        """Sorts by this value, the smallest first."""
        return Expression(exp.Ordered(this=self.tree, desc=False, nulls_first=True))

    @property
    def desc(self) -> Expression:
        """Sorts by this value, the largest first."""
        return Expression(exp.Ordered(this=self.tree, desc=True, nulls_first=False))

    # Windows and intervals

    @property
    def start(self) -> Expression:
        """Where a window starts: ``col("w").start``."""
        return _window_property("window_start")

    @property
    def end(self) -> Expression:
        """Where a window ends: ``col("w").end``."""
        return _window_property("window_end")

    @property
    def rowtime(self) -> Expression:
        """The event time of a window's results: ``col("w").rowtime``."""
        return _window_property("window_time")

    def _span(self, unit: str) -> Expression:
        if not isinstance(self.tree, exp.Literal):
            raise TableError(f"lit(10).{unit.lower()}s: only a number that stands in the program can be an interval")
        return Expression(exp.Interval(this=exp.Literal.string(self.tree.this), unit=exp.var(unit)))

    @property
    def days(self) -> Expression:
        """An interval of so many days."""
        return self._span("DAY")

    @property
    def hours(self) -> Expression:
        """An interval of so many hours."""
        return self._span("HOUR")

    @property
    def minutes(self) -> Expression:
        """An interval of so many minutes."""
        return self._span("MINUTE")

    @property
    def seconds(self) -> Expression:
        """An interval of so many seconds."""
        return self._span("SECOND")

    # Texts

    @property
    def upper_case(self) -> Expression:
        """The text in capital letters."""
        return function("UPPER", self)

    @property
    def lower_case(self) -> Expression:
        """The text in small letters."""
        return function("LOWER", self)

    @property
    def char_length(self) -> Expression:
        """How many characters the text has."""
        return function("CHAR_LENGTH", self)

    # JSON

    def is_json(self, json_type: JsonType | None = None) -> Expression:
        """Says whether a text is JSON, or JSON of a certain kind."""
        kind = exp.JSON(this=(json_type or JsonType.VALUE).name)
        return Expression(exp.Is(this=self.tree, expression=kind))

    def json_exists(self, path: str, on_error: JsonExistsOnError | None = None) -> Expression:
        """Says whether a document has something at a path."""
        return function("JSON_EXISTS", self, path, (on_error or JsonExistsOnError.FALSE).name)

    def json_value(
        self,
        path: str,
        returning_type: DataType | None = None,
        on_empty: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_empty: Any = None,
        on_error: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_error: Any = None,
    ) -> Expression:
        """Returns the single value at a path of a document, as text or as returning_type says.

        >>> from flott.table.expressions import col
        >>> col("data").json_value("$.name")
        JSON_VALUE(data, '$.name', 'STRING', 'NULL', NULL, 'NULL', NULL)
        """
        kind = "STRING" if returning_type is None else returning_type.text()
        return function(
            "JSON_VALUE", self, path, kind, on_empty.name, default_on_empty, on_error.name, default_on_error
        )

    def json_query(
        self,
        path: str,
        wrapping_behavior: JsonQueryWrapper = JsonQueryWrapper.WITHOUT_ARRAY,
        on_empty: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
        on_error: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
    ) -> Expression:
        """Returns the array or object at a path of a document, as text."""
        return function("JSON_QUERY", self, path, wrapping_behavior.name, on_empty.name, on_error.name)

    def json_quote(self) -> Expression:
        """Returns a text as JSON writes it, in quotes."""
        return function("JSON_QUOTE", self)

    def json_unquote(self) -> Expression:
        """Returns the text that JSON has in quotes."""
        return function("JSON_UNQUOTE", self)


def _window_property(name: str) -> Expression:
    made = Expression(exp.column(name))
    made.tree.meta[WINDOW_PROPERTY] = True
    return made


def tree_of(value: Any) -> exp.Expr:  # noqa: PLR0911 - a case a line
    """Return the tree of an expression, or of a Python value as a constant."""
    if isinstance(value, Expression):
        return value.tree
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        number = exp.Literal.number(str(abs(value)))
        return exp.Neg(this=number) if value < 0 else number
    if isinstance(value, Decimal) and value.is_finite():
        # All digits: abs() would round to 28. The point makes it a DECIMAL.
        digits = format(value.copy_abs(), "f")
        number = exp.Literal.number(digits if "." in digits else f"{digits}.")
        return exp.Neg(this=number) if value < 0 else number
    if isinstance(value, float) and not math.isfinite(value):
        text = str(value).replace("nan", "NaN").replace("inf", "Infinity")
        return exp.Cast(this=exp.Literal.string(text), to=exp.DataType(this=exp.DataType.Type.DOUBLE))
    if isinstance(value, float):
        return exp.Literal.number(f"{value!r}e0" if "e" not in repr(value) else repr(value))
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, dt.datetime):
        return exp.Cast(this=exp.Literal.string(str(value)), to=exp.DataType(this=exp.DataType.Type.TIMESTAMP))
    if isinstance(value, dt.date):
        return exp.Cast(this=exp.Literal.string(str(value)), to=exp.DataType(this=exp.DataType.Type.DATE))
    if isinstance(value, dt.timedelta):
        return exp.Interval(this=exp.Literal.string(str(value.total_seconds())), unit=exp.var("SECOND"))
    raise TableError(f"{value!r:.100} can't stand in an expression; give a number, a text, a date or col('…')")


def function(name: str, *args: Any) -> Expression:
    """Return a call of a function by name."""
    return Expression(exp.Anonymous(this=name, expressions=[tree_of(arg) for arg in args]))


def user_call(wrapper: Any, args: Sequence[Any]) -> Expression:
    """Return a call of a function of the user's."""
    made = function(wrapper.name, *args)
    made.tree.meta["user"] = wrapper
    return made


def _binary(kind: type[exp.Expr], left: Any, right: Any) -> Expression:
    return Expression(kind(this=_bracketed(left), expression=_bracketed(right)))


def _bracketed(value: Any) -> exp.Expr:
    tree = tree_of(value)
    return exp.Paren(this=tree) if isinstance(tree, exp.Connector) else tree
