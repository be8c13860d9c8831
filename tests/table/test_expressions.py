from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

from flott.errors import FlottError
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session
from flott.table.rules.fold_constants import folded
from flott.table.sql.dialect import parse_expression

HERE = Path(__file__).parent
DOC = """'{"a":1,"b":true,"s":"x","n":null,"o":{"k":[1,2.50]},"arr":[1,"2",null],"f":1.0,"big":12345678901234567890,\
"e":1e3}'"""
CASES = [
    (text.replace("DOC", DOC), wanted)
    for name in ("expressions.yaml", "json_expressions.yaml")
    for text, wanted in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
]
ZONED = "CAST(TIMESTAMP '2020-01-01 00:00:00' AS TIMESTAMP_LTZ(3))"
spec = importlib.util.spec_from_file_location("transcript", HERE / "transcript.py")
transcript = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transcript)


@pytest.mark.parametrize(("text", "wanted"), CASES, ids=[text for text, _ in CASES])
def test_gives(text, wanted):
    bound = ExpressionBinder(Scope((), text), {}).bind(parse_expression(text))
    computed = column_of(ArrowCompiler().compile(bound)([pa.array([0, 0])], 2, Session()), 2)
    assert [transcript.plain(value) for value in computed.to_pylist()] == [wanted, wanted]


@pytest.mark.parametrize(("text", "wanted"), CASES, ids=[text for text, _ in CASES])
def test_gives_the_same_when_constants_are_folded(text, wanted):
    bound = folded(ExpressionBinder(Scope((), text), {}).bind(parse_expression(text)))
    computed = column_of(ArrowCompiler().compile(bound)([], 1, Session()), 1)
    assert transcript.plain(computed[0].as_py()) == wanted


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("CAST('12345.6789' AS DECIMAL(8, 4))", "TRY_CAST gives NULL instead"),
        ("CAST('x' AS INT)", "TRY_CAST gives NULL instead"),
        ("'a' LIKE 'a' ESCAPE '&&'", "give one character"),
        ("'a' LIKE 'a&b' ESCAPE '&'", "behind the escape character"),
        ("'a' LIKE 'a&' ESCAPE '&'", "behind the escape character"),
        ("'a' SIMILAR TO 'a&b' ESCAPE '&'", "behind the escape character"),
        ("REGEXP('a', '(')", "is not a regular expression"),
        ("'a' SIMILAR TO '('", "is not a regular expression"),
        ("TO_TIMESTAMP_LTZ(1, 6)", "the precision is 0"),
        ("ROW(1) < ROW(2)", "have no order"),
        ("GREATEST(ARRAY[1], ARRAY[2])", "have no order"),
        ("ROW(1) = ROW(1, 2)", "can't take"),
        ("TIME '12:00:00' + INTERVAL '1' MONTH", "a TIME has no months"),
        (f"TIMESTAMPDIFF(DAY, {ZONED}, TIMESTAMP '2020-01-01 00:00:00')", "takes two times of one type"),
        ("TIME 'noon'", "is not a TIME"),
        ("MAP['a', 1][2]", "a key of MAP"),
        ("CAST(DATE '2020-01-01' AS TIME)", "can't be CAST"),
        ("CAST(TIME '12:00:00' AS DATE)", "can't be CAST"),
        ("1 / 0", "the divisor is 0"),
        ("CHR(1)", "there is no function"),
        ("'a' SIMILAR TO '[[:LETTER:]]'", "a class such as [:ALPHA:]"),
        ("'a' SIMILAR TO '[[a]'", "a class such as [:ALPHA:]"),
        ("TO_TIMESTAMP('x', 'yyyy-MM-dd''T')", "a quote is not closed"),
        ("TO_DATE('x', 'yyyy w')", "'w' is not supported"),
        ("UNIX_TIMESTAMP('x', 'yyyy yyyy')", "stands there twice"),
        ("LPAD('7', 2147483647, '0')", "2147483647 characters is too long"),
        ("RPAD('7', 2147483647, '0')", "2147483647 characters is too long"),
        ("REPEAT('ab', 2147483647)", "4294967294 characters is too long"),
        ("CAST('a' AS CHAR(2147483646))", "2147483646 characters is too long"),
        ("CAST(CAST('a' AS BYTES) AS BINARY(2147483646))", "2147483646 characters is too long"),
    ],
)
def test_is_refused(text, problem):
    with pytest.raises(FlottError, match=re.escape(problem)):
        value_of(text)


def value_of(text):
    bound = ExpressionBinder(Scope((), text), {}).bind(parse_expression(text))
    return ArrowCompiler().compile(bound)([], 1, Session())
