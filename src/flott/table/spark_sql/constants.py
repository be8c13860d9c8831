"""Constants as Spark SQL writes them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from flott.table import types as t
from flott.table.spark_sql.spark_types import UntranslatableError, spark_type

if TYPE_CHECKING:
    from flott.table.expr import Literal


def constant(expr: Literal) -> str:  # noqa: PLR0911 - a case a line
    r"""Return a constant as Spark SQL writes it.

    >>> from flott.table.expr import Literal
    >>> from flott.table.types import DataTypes
    >>> constant(Literal(DataTypes.BIGINT(), 7)), constant(Literal(DataTypes.STRING(), "it's"))
    ('CAST(7 AS BIGINT)', "'it\\'s'")
    """
    kind, value = expr.type, expr.value
    name = spark_type(kind)
    if value is None:
        return f"CAST(NULL AS {name})"
    if t.is_text(kind):
        return text(str(value))
    if isinstance(kind, t.BooleanType):
        return "TRUE" if value else "FALSE"
    if isinstance(kind, t.IntegralType):
        return f"CAST({value} AS {name})"
    if isinstance(kind, t.NumericType):
        return f"CAST('{value}' AS {name})"
    if isinstance(kind, t.DateType) and isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(kind, t.TimestampType) and isinstance(value, dt.datetime):
        return f"TIMESTAMP_NTZ '{value.isoformat(' ')}'"
    raise UntranslatableError(f"constants of type {kind.nullable()!r}")


def text(value: str) -> str:
    """Return a text between quotes."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def span(expr: Literal) -> str:
    """Return an interval: seconds, or months."""
    if isinstance(expr.value, dt.timedelta):
        micros = expr.value // dt.timedelta(microseconds=1)
        sign, (seconds, rest) = "-" if micros < 0 else "", divmod(abs(micros), 1_000_000)
        return f"INTERVAL {sign}'{seconds}.{rest:06d}' SECOND"
    return f"INTERVAL '{expr.value}' MONTH"
