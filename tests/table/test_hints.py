"""Hints: how long the state of single tables lives, and options for one query."""

from __future__ import annotations

import pytest

from flott.table.errors import TableError
from flott.table.physical.translate import Translator
from flott.table.rules.optimise import optimise
from flott.table.sql.parse import parse_statement

HOUR, DAY = 3_600_000, 86_400_000


@pytest.fixture
def tables(t_env):
    for name in ("orders", "payments"):
        t_env.execute_sql(f"CREATE TABLE {name} (id BIGINT, v INT) WITH ('connector' = 'values', 'data' = '[[1, 2]]')")
    t_env.get_config().set("table.exec.state.ttl", "1 h")
    return t_env


def operator_of(t_env, query, name):
    def steps(step):
        yield step
        for below in step.inputs:
            yield from steps(below)

    [plan] = optimise(t_env.planner.query(parse_statement(query)))
    (found,) = [one for one in steps(Translator(t_env.planner.settings()).translate(plan)) if one.name == name]
    return found.operator()


def test_each_side_of_a_join_has_its_time(tables):
    hinted = "SELECT /*+ STATE_TTL('p' = '1 d') */ o.v FROM orders AS o JOIN payments AS p ON o.id = p.id"
    assert operator_of(tables, hinted, "Join").plan.ttls == (HOUR, DAY)
    assert "stateTtl=[default, 86400000 ms]" in tables.explain_sql(hinted)


def test_groups_have_a_time_of_their_own(tables):
    hinted = "SELECT /*+ STATE_TTL('orders' = '1 d') */ id, SUM(v) FROM orders GROUP BY id"
    assert operator_of(tables, hinted, "GroupAggregate").ttl == DAY
    assert operator_of(tables, "SELECT id, SUM(v) FROM orders GROUP BY id", "GroupAggregate").ttl == HOUR


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("STATE_TTL('order' = '1 d')", "line 1, column 8: STATE_TTL: there is no table 'order' in FROM; did you mean"),
        ("STATE_TTL('orders' = 'soon')", "STATE_TTL\\('orders' = …\\)"),
        ("STATE_TL('orders' = '1 d')", "the hint STATE_TL is not known; did you mean 'STATE_TTL'"),
    ],
)
def test_wrong_hints(hint, said, tables):
    with pytest.raises(TableError, match=said):
        tables.sql_query(f"SELECT /*+ {hint} */ id FROM orders")  # noqa: S608 - our own words


def test_options_for_one_query(tables):
    hinted = "SELECT a.id, b.id FROM orders /*+ OPTIONS('data' = '[[7, 8]]') */ AS a, orders AS b"
    with tables.execute_sql(hinted).collect() as rows:
        assert [tuple(row) for row in rows] == [(7, 1)]
    with pytest.raises(TableError, match="there is no option 'dta'; did you mean 'data'"):
        tables.execute_sql("SELECT * FROM orders /*+ OPTIONS('dta' = '[]') */")
