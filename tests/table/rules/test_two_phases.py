from __future__ import annotations

import pytest

from flott.table.errors import TableError

MINI_BATCH = {"table.exec.mini-batch.enabled": "true"}
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
ONE_PHASE = {**MINI_BATCH, "table.optimizer.agg-phase-strategy": "ONE_PHASE"}
QUERY = "SELECT k, COUNT(*), SUM(v), AVG(w), MAX(at) FROM t GROUP BY k"


@pytest.fixture
def steps(t_env):
    t_env.execute_sql("CREATE TABLE t (k STRING, v INT, w DOUBLE, at TIMESTAMP(3)) WITH ('connector' = 'datagen')")

    def made(query, options):
        for key, value in options.items():
            t_env.get_config().set(key, value)
        physical = t_env.explain_sql(query).split("== Physical Plan ==")[1]
        return [line.split("(")[0].strip(" +-") for line in physical.strip().splitlines()]

    return made


def test_groups_are_aggregated_before_the_exchange_if_they_report_once_per_batch(steps):
    assert "LocalGroupAggregate" not in steps(QUERY, {})
    assert steps(QUERY, MINI_BATCH)[:3] == ["Calc", "GlobalGroupAggregate", "LocalGroupAggregate"]
    assert "LocalGroupAggregate" not in steps(QUERY, ONE_PHASE)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, COUNT(DISTINCT v) FROM t GROUP BY k",
        "SELECT k, LISTAGG(k) FROM t GROUP BY k",
        "SELECT COUNT(*) FROM t",
        "SELECT n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k HAVING COUNT(DISTINCT v) > 1) GROUP BY n",
    ],
)
def test_what_has_no_parts_is_aggregated_in_one_place(steps, query):
    assert "LocalGroupAggregate" not in steps(query, MINI_BATCH)


def test_distinct_values_are_counted_in_parts(steps):
    query = "SELECT k, COUNT(DISTINCT v), COUNT(*), MAX(v) FROM t GROUP BY k"
    assert steps(query, {}).count("GroupAggregate") == 1
    assert steps(query, SPLIT).count("GroupAggregate") == 2
    assert steps("SELECT k, COUNT(DISTINCT v), COUNT(DISTINCT w) FROM t GROUP BY k", SPLIT).count("GroupAggregate") == 1


def test_a_strategy_that_is_not_there(steps):
    with pytest.raises(TableError, match="give AUTO, ONE_PHASE or TWO_PHASE"):
        steps(QUERY, {"table.optimizer.agg-phase-strategy": "THREE_PHASE"})
