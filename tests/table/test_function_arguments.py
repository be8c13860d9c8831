"""Every function with arguments of every type: refused when it is bound, or computed, from columns as from constants.

What fails in a row is an error of Flott's that is about a value, not about a type: a type that a function can't take
is refused before anything runs.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pyarrow as pa
import pytest

from flott.errors import FlottError
from flott.table.arrow_types import to_arrow_type
from flott.table.bind.expressions import UNIT_FIRST, ExpressionBinder
from flott.table.bind.scope import Relation, Scope
from flott.table.compile import ArrowCompiler, column_of
from flott.table.errors import PlannerError, SqlError
from flott.table.functions.registry import Session, functions
from flott.table.plan.nodes import Field
from flott.table.sql.dialect import parse_expression

SAMPLES, ROWS = 12, 2
SESSION = Session("Europe/Berlin", 1_600_000_000_000)
VALUES = [
    "NULL", "CAST(NULL AS INT)", "CAST(NULL AS STRING)", "CAST(NULL AS TIMESTAMP(3))", "CAST(NULL AS BOOLEAN)",
    "0", "1", "-1", "7", "-2147483648", "9223372036854775807", "CAST(127 AS TINYINT)", "CAST(-32768 AS SMALLINT)",
    "1.5", "-0.5", "0.000001", "99999999999999999999.999", "CAST(1.5 AS DOUBLE)", "CAST('NaN' AS DOUBLE)",
    "CAST('Infinity' AS DOUBLE)", "CAST(-0.0 AS DOUBLE)", "CAST(1.1 AS FLOAT)", "1e300",
    "''", "'a'", "' äöü '", "'1'", "'2020-02-29'", "'2020-02-29 12:34:56.789'", "'12:34:56'", "'%_'", "'a(b'",
    "'yyyy-MM-dd'", "'😀b'", "'{}'", "'$.a'", "TRUE", "FALSE",
    "DATE '2020-02-29'", "DATE '0001-01-01'", "DATE '9999-12-31'", "TIME '23:59:59.999'", "TIME '00:00:00'",
    "TIMESTAMP '2020-02-29 23:59:59.999'", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '0001-01-01 00:00:00'",
    "CAST(TIMESTAMP '2020-03-29 02:30:00' AS TIMESTAMP_LTZ(3))", "INTERVAL '1' DAY", "INTERVAL '-1' SECOND",
    "INTERVAL '1' MONTH", "INTERVAL '-13' MONTH", "CAST('abc' AS BYTES)", "CAST('' AS BYTES)", "ARRAY[1, NULL]",
    "ARRAY['a']", "MAP['a', 1]", "ROW(1, 'a')", "ROW(ROW(1))",
]  # fmt: skip
UNITS = ("MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
TYPES = (
    "BOOLEAN", "TINYINT", "INT", "BIGINT", "DECIMAL(5, 2)", "DECIMAL(38, 38)", "FLOAT", "DOUBLE", "STRING", "CHAR(3)",
    "VARCHAR(2)", "BINARY(2)", "BYTES", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP_LTZ(0)", "ARRAY<INT>",
    "MAP<STRING, INT>", "ROW<a INT, b STRING>",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "%", "=", "<>", "<", ">=", "||", "IS NOT DISTINCT FROM", "LIKE", "AND", "OR")
WRITTEN = frozenset(
    {"CASE", "CAST", "TRY_CAST", "ITEM", "FIELD", "IN", "NEGATE", "NOT", "AND", "OR", "JSON_ITEM", "JSON_PAIR"}
)
NAMES = sorted(
    name for name, one in functions().items()
    if name.replace("_", "").isalnum() and not one.changing and name not in WRITTEN | UNIT_FIRST
)  # fmt: skip
TYPE_ERRORS = (TypeError, AttributeError, IndexError, KeyError, pa.ArrowNotImplementedError)


def arguments(name):
    """Some arguments of a function, which need not fit."""
    draw = random.Random(name)
    return [[draw.choice(VALUES) for _ in range(1 + number % 4)] for number in range(4 * SAMPLES)]


def forms():
    """Forms of expressions that are no calls by name."""
    draw = random.Random(0)
    values = [*VALUES, *VALUES]
    draw.shuffle(values)
    for one, other in pairwise(values):
        yield from (f"{one} {operator} {other}" for operator in draw.sample(OPERATORS, 6))
        yield f"{one} IN ({other}, {draw.choice(VALUES)})"
        yield f"{one} BETWEEN {other} AND {draw.choice(VALUES)}"
        yield f"CASE WHEN {one} THEN {other} ELSE {draw.choice(VALUES)} END"
        yield f"CASE {one} WHEN {other} THEN 1 END"
        yield f"COALESCE({one}, {other})"
        yield f"TIMESTAMPDIFF({draw.choice(UNITS)}, {one}, {other})"
        yield f"TIMESTAMPADD({draw.choice(UNITS)}, {one}, {other})"
    for one in VALUES:
        yield from (f"CAST({one} AS {kind})" for kind in TYPES)
        yield from (f"TRY_CAST({one} AS {kind})" for kind in TYPES)
        for unit in draw.sample(UNITS, 4):
            yield from (f"EXTRACT({unit} FROM {one})", f"FLOOR({one} TO {unit})", f"CEIL({one} TO {unit})")
        yield from (f"-{one}", f"NOT {one}", f"{one} IS NULL", f"{one} IS TRUE", f"{one} IS JSON", f"({one})[1]")


def of_constants(text):
    bound = ExpressionBinder(Scope((), text), {}).bind(parse_expression(text))
    return bound.type, column_of(ArrowCompiler().compile(bound)([], ROWS, SESSION), ROWS)


def shown(value):
    try:
        return repr(value.as_py())
    except (OverflowError, ValueError):
        return "out of Python's range"


def problem(text):
    """What is wrong with how an expression is refused, or computed; None if nothing is."""
    try:
        kind, made = of_constants(text)
    except FlottError as error:
        unexpected = isinstance(error, PlannerError) or isinstance(error.__cause__, TYPE_ERRORS)
        return f"{text}: {error}" if unexpected else None
    if made.type != to_arrow_type(kind):
        return f"{text}: {made.type} in a column of {kind!r}"
    if made.null_count and not kind.is_nullable:
        return f"{text}: NULL in a column of {kind!r}"
    return None if [shown(made[0])] * ROWS == list(map(shown, made)) else f"{text}: {made}"


def problems(texts):
    return [found for found in map(problem, texts) if found is not None]


@pytest.mark.parametrize("name", NAMES)
def test_by_name(name):
    assert problems(f"{name}({', '.join(args)})" for args in arguments(name)) == []


def test_forms():
    assert problems(forms()) == []


@pytest.mark.parametrize("name", NAMES)
def test_columns_give_what_constants_give(name):
    for args in arguments(name):
        text = f"{name}({', '.join(args)})"
        try:
            _, wanted = of_constants(text)
        except FlottError:
            continue
        columns = [of_constants(arg) for arg in args]
        fields = tuple(Field(f"c{place}", kind) for place, (kind, _) in enumerate(columns))
        given = f"{name}({', '.join(field.name for field in fields)})"
        try:
            bound = ExpressionBinder(Scope((Relation(None, 0, fields),), given), {}).bind(parse_expression(given))
        except SqlError:
            continue  # Some arguments have to be constants.
        made = column_of(ArrowCompiler().compile(bound)([column for _, column in columns], ROWS, SESSION), ROWS)
        assert shown(made[0]) == shown(wanted[0]), text
