"""Plans have no more columns than it takes, and equal parts are one."""

from __future__ import annotations

import pytest

from flott.table.plan.nodes import Join, Scan
from flott.table.rules.optimise import optimise
from flott.table.sql.parse import parse_statement


@pytest.fixture
def plan(t_env):
    for name in ("one", "other"):
        t_env.execute_sql(
            f"CREATE TABLE {name} (id BIGINT, a BIGINT, b BIGINT, c STRING, at TIMESTAMP(3), "
            f"WATERMARK FOR at AS at - INTERVAL '1' SECOND) "
            f"WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{name}')"
        )
    return lambda query: optimise(t_env.planner.query(parse_statement(query)))[0]


def scanned(node):
    return [
        (one.path.split(".")[-1], [field.name for field in one.fields]) for one in node.walk() if isinstance(one, Scan)
    ]


def test_scans(plan):
    assert scanned(plan("SELECT a FROM one WHERE c = 'x'")) == [("one", ["a", "c", "at"])]
    assert scanned(plan("SELECT COUNT(*) FROM one")) == [("one", ["at"])]
    assert scanned(plan("SELECT * FROM one")) == [("one", ["id", "a", "b", "c", "at"])]


def test_joins_keep_only_what_is_used(plan):
    node = plan("SELECT one.a, other.c FROM one JOIN other ON one.id = other.id AND one.b > other.b")
    (join,) = [part for part in node.walk() if isinstance(part, Join)]
    assert [[field.name for field in side.fields] for side in join.inputs] == [["id", "a", "b"], ["id", "b", "c"]]


def test_ranks(plan):
    node = plan(
        "SELECT id, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY a DESC) AS rn FROM one) "
        "WHERE rn <= 3"
    )
    assert scanned(node) == [("one", ["id", "a", "at"])]


def test_equal_parts_run_once(plan):
    count = "SELECT id, COUNT(*) AS n FROM one GROUP BY id"
    node = plan(f"SELECT * FROM ({count}) JOIN (SELECT MAX(n) AS most FROM ({count})) ON n = most")  # noqa: S608 - our own words
    assert len({id(part) for part in node.walk() if isinstance(part, Scan)}) == 1
    both = plan("SELECT UNIX_TIMESTAMP() AS r FROM one UNION ALL SELECT UNIX_TIMESTAMP() AS r FROM one")
    first, second = both.inputs
    assert first is not second
