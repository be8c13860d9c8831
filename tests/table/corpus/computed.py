"""What Flott answers to the questions of the corpus, without a job: an expression is bound to columns and computed."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

import pyarrow as pa
from tests.table.corpus.answers import ZONE
from tests.table.corpus.edge_values import COLUMNS, rows_of

from flott.errors import FlottError
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Relation, Scope
from flott.table.compile import ArrowCompiler, column_of
from flott.table.errors import PlannerError
from flott.table.functions.casts import bind_cast
from flott.table.functions.registry import Session
from flott.table.plan.nodes import Field
from flott.table.sql.dialect import parse_expression
from flott.table.sql.type_text import parse_type
from flott.table.types import DataTypes

SESSION = Session(ZONE, 1_600_000_000_000)
PLAIN = (t.NumericType, t.BooleanType, t.CharType, t.VarCharType)
NESTED = (t.ArrayType, t.MapType, t.RowType)
"""Types whose values are compared as they are, or as strings that are made here; others as the strings that CAST makes of them."""


def answer(question):
    """The type and the values, or None and what is wrong with it, as Flink's answers are kept."""
    fields, columns = table_of(question.columns)
    try:
        bound = ExpressionBinder(Scope((Relation(None, 0, fields),), question.text), {}).bind(
            parse_expression(question.text)
        )
        kind = bound.type
        shown = bound if isinstance(kind, PLAIN + NESTED) else bind_cast(bound, DataTypes.STRING(), lenient=False)
        compute = ArrowCompiler().compile(shown)
    except FlottError as error:
        if isinstance(error, PlannerError):
            raise
        return None, str(error)
    return repr(kind), values_of(compute, columns, kind)


@cache
def table_of(names):
    """The fields and columns of a question."""
    kinds = [parse_type(COLUMNS[name].kind) for name in names]
    fields = tuple(Field(letter, kind) for letter, kind in zip("ab", kinds, strict=False))
    values = zip(*rows_of(names), strict=True)
    return fields, [
        pa.array([list(one.items()) if isinstance(one, dict) and isinstance(kind, t.MapType) else one for one in column],
                 to_arrow_type(kind))
        for kind, column in zip(kinds, values, strict=True)
    ]  # fmt: skip


def values_of(compute, columns, kind):
    """A value a row; an error in the place of those that fail."""
    count = len(columns[0])
    try:
        return [plain(value) for value in column_of(compute(columns, count, SESSION), count).to_pylist()]
    except FlottError as error:
        if count == 1:
            return [{"error": str(error)}]
    middle = count // 2
    halves = ([column[:middle] for column in columns], [column[middle:] for column in columns])
    return [value for half in halves for value in values_of(compute, half, kind)]


def plain(value: Any) -> Any:
    """Return a value as JSON has it, and nested values as Flink casts them to STRING."""
    if isinstance(value, Decimal):
        return format(value, "f")
    return part(value) if isinstance(value, (list, dict)) else value


def part(value: Any) -> str:
    """Return how Flink writes what stands in an array, a map or a row."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return f"{{{', '.join(f'{part(key)}={part(one)}' for key, one in value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(part, value))}]"
    if isinstance(value, dict):
        return f"({', '.join(map(part, value.values()))})"
    return "NULL" if value is None else str(value).upper() if isinstance(value, bool) else str(value)


def from_string(kind: str, text: Any) -> Any:
    """Return a value of Flink's, which is kept as a string, as `plain` gives it."""
    if not isinstance(text, str):
        return text
    name = kind.removesuffix(" NOT NULL").partition("(")[0]
    if name in {"TINYINT", "SMALLINT", "INT", "BIGINT"}:
        return int(text)
    if name == "DOUBLE":
        return float(text)
    if name == "FLOAT":
        return pa.scalar(float(text), pa.float32()).as_py()
    return text == "TRUE" if name == "BOOLEAN" else text
