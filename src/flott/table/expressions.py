"""What expressions begin with: columns, constants and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.errors import TableError
from flott.table.expression import Expression, JsonOnNull, function, tree_of

if TYPE_CHECKING:
    from flott.table.types import DataType

__all__ = [
    "CURRENT_RANGE", "CURRENT_ROW", "UNBOUNDED_RANGE", "UNBOUNDED_ROW", "call", "coalesce", "col", "concat",
    "if_then_else", "json_array", "json_array_agg", "json_object",
    "json_object_agg", "json_string", "lit", "null_of", "row_interval",
]  # fmt: skip

ROW_INTERVAL = "ROW_INTERVAL"

UNBOUNDED_ROW = Expression(exp.var("UNBOUNDED_ROW"))
"""An OVER window has all rows before a row."""

UNBOUNDED_RANGE = Expression(exp.var("UNBOUNDED_RANGE"))
"""An OVER window has all rows before a row, and those of the same moment."""

CURRENT_ROW = Expression(exp.var("CURRENT_ROW"))
"""An OVER window ends with the row itself."""

CURRENT_RANGE = Expression(exp.var("CURRENT_RANGE"))
"""An OVER window ends with the rows of the same moment."""


def col(name: str) -> Expression:
    """Names a column; of a row, a field of it with a dot: ``col("address.city")``.

    >>> col("price") > 3
    price > 3
    """
    if not name:
        raise TableError(f"col({name!r}): give the name of a column")
    if name == "*":
        return Expression(exp.Star())
    *table, column = name.split(".")
    return Expression(exp.column(exp.to_identifier(column), *(exp.to_identifier(part) for part in reversed(table))))


def lit(v: Any, data_type: DataType | None = None) -> Expression:
    """Makes a constant.

    >>> lit("a")
    'a'
    """
    made = Expression(tree_of(v))
    return made if data_type is None else made.cast(data_type)


def call(f: Any, *args: Any) -> Expression:
    """Calls a function: one that udf or udaf made, or one by its name in SQL.

    >>> call("UPPER", col("name"))
    UPPER(name)
    """
    return f(*args) if not isinstance(f, str) else function(f, *args)


def concat(first: Any, *args: Any) -> Expression:
    """Puts texts together."""
    return function("CONCAT", first, *args)


def coalesce(*args: Any) -> Expression:
    """Returns the first value that is not NULL."""
    return function("COALESCE", *args)


def if_then_else(condition: Any, if_true: Any, if_false: Any) -> Expression:
    """Returns one of two values, as a condition holds or not."""
    return Expression(tree_of(condition)).then(if_true, if_false)


def json(value: Any) -> Expression:
    """Takes a text that is JSON already: json_object and json_array put it in as it is.

    ``from flott.table.expressions import *`` leaves it out, so that Python's own ``json`` is not hidden.
    """
    return function("JSON", value)


def json_string(value: Any) -> Expression:
    """Writes a value as JSON."""
    return function("JSON_STRING", value)


def json_object(on_null: JsonOnNull = JsonOnNull.NULL, *args: Any) -> Expression:
    """Writes names and values as an object of JSON.

    >>> json_object(JsonOnNull.NULL, "id", col("id"))
    JSON_OBJECT('NULL', 'id', id)
    """
    return function("JSON_OBJECT", on_null.name, *args)


def json_array(on_null: JsonOnNull = JsonOnNull.ABSENT, *args: Any) -> Expression:
    """Writes values as an array of JSON."""
    return function("JSON_ARRAY", on_null.name, *args)


def json_array_agg(on_null: JsonOnNull, item_expr: Any) -> Expression:
    """Writes the values of all rows as an array of JSON."""
    return function("JSON_ARRAYAGG", on_null.name, item_expr)


def json_object_agg(on_null: JsonOnNull, key_expr: Any, value_expr: Any) -> Expression:
    """Writes the names and values of all rows as an object of JSON."""
    return function("JSON_OBJECTAGG", on_null.name, key_expr, value_expr)


def null_of(data_type: DataType) -> Expression:
    """Makes a NULL of a type."""
    return lit(None, data_type)


def row_interval(rows: int) -> Expression:
    """Says how many rows an OVER window goes back: ``Over.order_by(…).preceding(row_interval(5))``."""
    return function(ROW_INTERVAL, rows)
