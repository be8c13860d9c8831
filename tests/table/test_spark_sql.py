"""Batch mode on Spark: what can be one query of Spark SQL is one, and gives the same table."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.table import transcript
from tests.table.nexmark import events
from tests.table.nexmark.test_nexmark import comparable

from flott.common.types import RowKind
from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope
from flott.table.rules.optimise import optimise
from flott.table.spark_sql.expressions import spark_expression
from flott.table.spark_sql.run import query_frame, whole_query
from flott.table.spark_sql.spark_types import UntranslatableError
from flott.table.sql.dialect import parse_expression
from flott.table.sql.parse import parse_statement

pytestmark = pytest.mark.spark

HERE = Path(__file__).parent
NEXMARK = yaml.safe_load((HERE / "nexmark" / "queries.yaml").read_text(encoding="utf-8"))
EXPRESSIONS = yaml.safe_load((HERE / "expressions.yaml").read_text(encoding="utf-8"))
CASES = {name: case for name, case in transcript.cases() if "error" not in case and not case.get("in_order")}
OPERATORS = {"q13": "LookupJoin", "q14": "count_char"}
"""Queries of Nexmark that Spark SQL can't say, and why."""


@pytest.fixture
def batch(environment):
    def make(**options):
        options |= {"execution__runtime_mode": "BATCH", "flott__spark__master": "local[2]"}
        return environment(parallelism=2, target="spark", **options)

    return make


def query_of(t_env, text):
    """The query of Spark SQL, or why there is none."""
    [plan] = optimise(t_env.planner.query(parse_statement(text)))
    return whole_query(plan, t_env.planner.settings(), t_env.get_config().get_configuration())


def rows_of(t_env, query):
    frame = query_frame(query, t_env.planner.settings(), t_env.get_config().get_configuration())
    return [tuple(column.as_py() for column in row) for row in zip(*frame.toArrow().columns, strict=True)]


def test_expressions_give_the_same(batch):
    written = {}
    for text, wanted in EXPRESSIONS:
        try:
            written[text] = (
                spark_expression(ExpressionBinder(Scope((), text), {}).bind(parse_expression(text)), []),
                wanted,
            )
        except UntranslatableError:
            continue
    t_env = batch()
    query = query_of(t_env, "SELECT 1")
    both = {text: made for text, (made, _) in written.items()}
    chosen = ", ".join(f"{made} AS c{place}" for place, made in enumerate(both.values()))
    [row] = rows_of(t_env, type(query)(f"SELECT {chosen}", {}))
    found = {text: transcript.plain(value) for text, value in zip(both, row, strict=True)}
    assert found == {text: wanted for text, (_, wanted) in written.items()}
    assert len(found) > 50


@pytest.mark.slow
def test_transcripts_end_in_the_same_table(batch):
    wrong, run = {}, 0
    for name, case in CASES.items():
        t_env = batch(**case.get("options", {}))
        transcript.create_tables(t_env, case)
        query = query_of(t_env, case["query"])
        if isinstance(query, str):
            continue
        run += 1
        final = case["rows"] if "rows" in case else transcript.final_of(case["changes"])
        wanted = transcript.sorted_rows(case.get("in_batch_mode", final))
        found = transcript.sorted_rows(rows_of(t_env, query))
        if found != wanted:
            wrong[name] = (found, wanted)
    assert not wrong
    assert run > 70


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("nexmark")
    events.write(path, 2000)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NEXMARK if name not in OPERATORS])
def test_nexmark_ends_in_the_same_table(name, folder, batch):
    duckdb = pytest.importorskip("duckdb")
    t_env = batch()
    events.create_tables(t_env, folder)
    query = query_of(t_env, NEXMARK[name]["flott"])
    assert not isinstance(query, str), query
    with duckdb.connect() as duck:
        for table in events.TABLES:
            duck.read_parquet(str(folder / f"{table}.parquet")).create_view(table)
        wanted = comparable(duck.execute(NEXMARK[name]["duck"]).fetchall())
    assert len(wanted) > 0
    assert comparable(rows_of(t_env, query)) == wanted


def rows_of_pandas(t_env):
    t_env.create_temporary_view("frame", t_env.from_pandas(pd.DataFrame({"k": ["a", "b"], "n": [1, 2]})))
    query = query_of(t_env, "SELECT * FROM frame WHERE n > 1")
    return rows_of(t_env, query)


def test_a_whole_job(batch, folder, tmp_path):
    t_env = batch()
    events.create_tables(t_env, folder)
    (tmp_path / "in.csv").write_text("1,one\n2,\n")
    for name in ("in", "out"):
        t_env.execute_sql(
            f"CREATE TABLE `{name}` (n BIGINT, word STRING) WITH ('connector' = 'filesystem', 'format' = 'csv', "
            f"'path' = '{tmp_path / name}.csv')"
        )
    with t_env.execute_sql(
        "SELECT channel, COUNT(*) AS n, MAX(dateTime) AS last FROM bid GROUP BY channel"
    ).collect() as rows:
        changes = list(rows)
    assert {change.get_row_kind() for change in changes} == {RowKind.INSERT}
    assert sum(row.n for row in changes) == 1840
    assert all(isinstance(row.last, dt.datetime) for row in changes)
    assert rows_of_pandas(t_env) == [("b", 2)]
    t_env.execute_sql("INSERT INTO `out` SELECT n + 1, UPPER(word) FROM `in`").wait()
    with t_env.execute_sql("SELECT * FROM `out`").collect() as rows:
        assert sorted(map(tuple, rows)) == [(2, "ONE"), (3, "")]


def test_explain_says_which_way(batch):
    t_env = batch()
    assert "One query of Spark SQL:\nWITH" in t_env.explain_sql("SELECT 1 + 1")
    t_env.execute_sql("CREATE TABLE made (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')")
    told = t_env.explain_sql("SELECT * FROM made")
    assert (
        "Operators of Flott, not one query of Spark SQL: table 'default_catalog.default_database.made' of the" in told
    )
