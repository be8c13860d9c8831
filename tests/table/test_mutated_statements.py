"""Statements with random mistakes: either the plan is made, or the error is one of Flott's own."""

from __future__ import annotations

import importlib.util
import random
import re
from pathlib import Path

import pytest

from flott.errors import FlottError
from flott.table.errors import PlannerError, SqlParserError, TableError
from flott.table.sql.parse import parse_statement
from flott.table.sql.statements import Query

HERE = Path(__file__).parent
spec = importlib.util.spec_from_file_location("transcript", HERE / "transcript.py")
transcript = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transcript)
CASES = [(name, case) for name, case in transcript.cases() if "error" not in case]
TOKEN = re.compile(r"'(?:[^']|'')*'|`[^`]*`|\w+|[^\s\w]")
EVERY_TOKEN = sorted({token for _, case in CASES for token in TOKEN.findall(case["query"])})
SEEDS = range(3)


def mutated(text, random_):
    """The statement with one to three of its tokens left out, doubled, exchanged or put in from elsewhere."""
    tokens = TOKEN.findall(text)
    for _ in range(random_.randint(1, 3)):
        if not tokens:
            break
        place, other = random_.randrange(len(tokens)), random_.randrange(len(tokens))
        kind = random_.randrange(5)
        if kind == 0:
            del tokens[place]
        elif kind == 1:
            tokens.insert(place, tokens[other])
        elif kind == 2:
            tokens[place], tokens[other] = tokens[other], tokens[place]
        elif kind == 3:
            tokens[place] = random_.choice(EVERY_TOKEN)
        else:
            tokens.insert(place, random_.choice(EVERY_TOKEN))
    return " ".join(tokens)


def planned(t_env, text):
    """Plan a statement as far as it goes without running it."""
    statement = parse_statement(text)
    if isinstance(statement, Query):
        t_env.explain_sql(text)


@pytest.mark.parametrize(("name", "case"), CASES, ids=[name for name, _ in CASES])
def test_mistakes_are_reported(name, case, environment):
    t_env = environment(**case.get("options", {}))
    transcript.create_tables(t_env, case)
    for seed in SEEDS:
        text = mutated(case["query"], random.Random(f"{name} {seed}"))
        try:
            planned(t_env, text)
        except PlannerError as error:
            pytest.fail(f"{text}\n{error}")
        except FlottError:
            pass


WRONG = """
SELECT
SELECT FROM t
VALUES (-'b')
SELECT INTERVAL l MINUTES
SELECT INTERVAL '1' MINUTES + INTERVAL x DAY
SELECT INTERVAL '1e999999999' DAY
SELECT JSON_VALUE(name, ) FROM t
SELECT TIMESTAMPDIFF(DAY, ts, ) FROM t
SELECT TIMESTAMPADD(DAY) FROM t
SELECT TIMESTAMPADD(FORTNIGHT, 1, ts) FROM t
SELECT (SELECT * FROM t)
SELECT a FROM t WHERE a = (SELECT * FROM t AS u WHERE u.a = t.a)
SELECT -TRUE
SELECT (SELECT * FROM t LIMIT 1)
SELECT CAST(a AS DECIMAL(99, 3)) FROM t
SELECT CAST(a AS VARCHAR(0)) FROM t
SELECT CAST(a AS TIMESTAMP(12)) FROM t
SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), ))
SELECT * FROM TABLE(TUMBLE())
SELECT COUNT() OVER () FROM t
SELECT ROW() FROM t
SELECT ARRAY[] FROM t
SELECT MAP[] FROM t
SELECT SUM() FROM t
SELECT a[] FROM t
SELECT EXTRACT(DAY FROM ) FROM t
SELECT SUBSTRING(name FROM ) FROM t
SELECT TRIM(BOTH FROM ) FROM t
SELECT POSITION( IN name) FROM t
SELECT CASE END FROM t
SELECT CEIL(ts TO ) FROM t
SELECT a FROM t LIMIT 'x'
SELECT 1e99999
SELECT 999999999999999999999999999999999999999
SELECT 1.99999999999999999999999999999999999999
SELECT TIMESTAMP '2020-13-45 00:00:00'
SELECT DATE ''
SELECT * FROM t AS u(a, b, c, d, e, f, g)
SELECT a FROM t GROUP BY GROUPING SETS ()
SELECT a FROM t UNION SELECT a, ts FROM t
SELECT IF(a) FROM t
SELECT * FROM t JOIN t AS u USING a(b)
SELECT * FROM t JOIN t AS u USING (13)
SELECT INTERVAL a '1' YEAR FROM t
SELECT *
SELECT 1, *
SELECT t.*
SELECT INTERVAL '99999999999' YEAR
SELECT INTERVAL '200000000-1' YEAR TO MONTH
SELECT ts + INTERVAL '999999999' DAY FROM t
SELECT INTERVAL '999999999 1' DAY TO HOUR
""".strip().split("\n")


@pytest.fixture
def small(t_env):
    t_env.execute_sql(
        "CREATE TABLE t (a INT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')"
    )
    return t_env


@pytest.mark.parametrize("text", WRONG)
def test_is_refused_in_our_words(small, text):
    with pytest.raises(TableError) as caught:
        small.explain_sql(text)
    assert not isinstance(caught.value, PlannerError), caught.value


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT {'(' * 5000}1{')' * 5000}",
        f"SELECT {'NOT ' * 5000}TRUE",
        f"SELECT {'(SELECT ' * 1500}1{')' * 1500}",
        f"SELECT {'CASE WHEN TRUE THEN ' * 2000}1{' END' * 2000}",
        f"SELECT {'- ' * 5000}1",
    ],
    ids=["brackets", "not", "queries", "case", "minus"],
)
def test_deep_nesting_is_reported(t_env, text):
    with pytest.raises(SqlParserError, match="nested too deeply"):
        t_env.explain_sql(text)


def test_an_unexpected_error_points_at_the_statement_and_is_logged(small, monkeypatch, caplog):
    def broken(*_args, **_options):
        raise KeyError("lost")

    monkeypatch.setattr("flott.table.bind.query.QueryBinder.from_clause", broken)
    with pytest.raises(PlannerError, match=r"line 2, column 3: this can't be planned \(KeyError: 'lost'\)") as caught:
        small.sql_query("\n  SELECT a FROM t")
    assert isinstance(caught.value.__cause__, KeyError)
    assert "planning failed: error=KeyError" in caplog.text


def test_an_unexpected_error_of_an_expression_points_at_it(small, monkeypatch):
    monkeypatch.setattr("flott.table.bind.expressions.ExpressionBinder._is", None)
    with pytest.raises(PlannerError, match="line 1, column 13: this can't be planned"):
        small.sql_query("SELECT a + (name IS NULL) FROM t")
