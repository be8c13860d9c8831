"""Batch mode: tables that end, nothing late, only the last rows."""

from __future__ import annotations

import pytest

from flott.common import Configuration
from flott.errors import FlottError
from flott.table import EnvironmentSettings, TableEnvironment

pytestmark = pytest.mark.job


@pytest.fixture
def t_env():
    config = Configuration().set_string("flott.execution.target", "in-process")
    return TableEnvironment.create(
        EnvironmentSettings.new_instance().with_configuration(config).in_batch_mode().build()
    )


def changes(t_env, query):
    with t_env.execute_sql(query).collect() as rows:
        return sorted((str(row.get_row_kind()), *row) for row in rows)


def create(t_env, rows, columns="city STRING, amount INT, at TIMESTAMP(3), WATERMARK FOR at AS at"):
    t_env.execute_sql(
        f"CREATE TABLE t ({columns}) WITH ('connector' = 'values', 'batch-size' = '1', 'data' = '{rows}')"
    )


ROWS = '[["Bonn", 1, "2020-01-01 00:00:05"], ["Bonn", 2, "2020-01-01 00:01:00"], ["Kiel", 4, "2020-01-01 00:00:01"]]'


def test_only_the_last_rows(t_env):
    create(t_env, ROWS)
    assert changes(t_env, "SELECT city, SUM(amount) FROM t GROUP BY city") == [("+I", "Bonn", 3), ("+I", "Kiel", 4)]
    same = "SELECT 'x' FROM t UNION ALL SELECT city FROM (SELECT city, COUNT(*) AS n FROM t GROUP BY city) WHERE n > 1"
    assert changes(t_env, same) == [("+I", "Bonn"), ("+I", "x"), ("+I", "x"), ("+I", "x")]


def test_nothing_is_late(t_env):
    create(t_env, ROWS)
    window = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(at), INTERVAL '10' SECOND))"
    query = f"SELECT SUM(amount) FROM {window} GROUP BY window_start, window_end"  # noqa: S608 - our own words
    assert changes(t_env, query) == [("+I", 2), ("+I", 5)]


def test_sinks_that_only_take_new_rows(t_env, tmp_path):
    create(t_env, ROWS)
    t_env.execute_sql(
        f"CREATE TABLE out (city STRING, n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', "
        f"'path' = '{tmp_path}/out')"
    )
    insert = "INSERT INTO out SELECT city, COUNT(*) FROM t GROUP BY city"
    assert "FinalRows" in t_env.explain_sql(insert)
    t_env.execute_sql(insert).wait()
    lines = [line for path in (tmp_path / "out").glob("part-*") for line in path.read_text().splitlines()]
    assert sorted(lines) == ["Bonn,2", "Kiel,1"]


def test_a_table_without_end_is_refused(t_env):
    t_env.execute_sql("CREATE TABLE endless (a INT) WITH ('connector' = 'datagen')")
    with pytest.raises(FlottError, match="never ends, so the program can't run in BATCH mode"):
        t_env.execute_sql("SELECT * FROM endless").collect()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT COUNT(*), SUM(x), MAX(x) FROM (VALUES (1), (2)) AS t(x) WHERE x > 5", [("+I", 0, None, None)]),
        ("SELECT COUNT(DISTINCT x), COUNT(*) FILTER (WHERE x > 1) FROM (VALUES (1), (2)) AS t(x)", [("+I", 2, 1)]),
        ("SELECT k, (SELECT COUNT(*) FROM (VALUES (1)) AS u(x) WHERE x > 5) FROM (VALUES (1)) AS a(k)", [("+I", 1, 0)]),
        ("SELECT k, (SELECT x FROM (VALUES (1)) AS u(x) WHERE x > 5) FROM (VALUES (1)) AS a(k)", [("+I", 1, None)]),
        ("SELECT COALESCE(SUM(x), 7) FROM (VALUES (1)) AS u(x) WHERE x > 5", [("+I", 7)]),
        ("SELECT k FROM (VALUES (1)) AS a(k) WHERE 0 = (SELECT COUNT(*) FROM (VALUES (1)) AS u(x) WHERE x > 5)",
         [("+I", 1)]),
        ("SELECT COUNT(*) FROM (VALUES (1)) AS t(x) WHERE x > 5 GROUP BY x", []),
    ],
)  # fmt: skip
def test_totals_of_no_rows(t_env, query, wanted):
    assert changes(t_env, query) == wanted


def test_last_rows_with_arrays_and_maps(t_env):
    create(
        t_env,
        '[[[1, 2], {"k": 1}, 1], [[1, 2], {"k": 1}, 2], [null, null, 3]]',
        "a ARRAY<INT>, m MAP<STRING, INT>, v INT",
    )
    with t_env.execute_sql("SELECT a, m, SUM(v) FROM t GROUP BY a, m").collect() as rows:
        assert sorted(map(list, rows), key=repr) == [[None, None, 3], [[1, 2], {"k": 1}, 3]]
    with t_env.execute_sql("SELECT DISTINCT a FROM t").collect() as rows:
        assert sorted((row[0] for row in rows), key=repr) == [None, [1, 2]]
