from __future__ import annotations

import pytest

from flott.table.plan.nodes import Join
from flott.table.rules.optimise import optimise
from flott.table.sql.parse import parse_statement


@pytest.fixture
def join(t_env):
    for name in ("l", "r"):
        t_env.execute_sql(f"CREATE TABLE {name} (id INT, v BIGINT, w INT) WITH ('connector' = 'datagen')")

    def made(query):
        (found,) = [
            one for one in optimise(t_env.planner.query(parse_statement(query)))[0].walk() if isinstance(one, Join)
        ]
        return found

    return made


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT l.v FROM l LEFT JOIN r ON l.id = r.id WHERE r.v > 3", "INNER"),
        ("SELECT l.v FROM l LEFT JOIN r ON l.id = r.id WHERE l.v + r.v = 3", "INNER"),
        ("SELECT l.v FROM l LEFT JOIN r ON l.id = r.id WHERE r.v IS NULL", "LEFT"),
        ("SELECT l.v FROM l LEFT JOIN r ON l.id = r.id WHERE COALESCE(r.v, 1) = 1", "LEFT"),
    ],
)
def test_a_left_join_becomes_an_inner_one_if_rows_without_partners_go_anyway(join, query, kind):
    assert join(query).kind == kind


def test_both_sides_of_an_equality_become_columns(join):
    found = join("SELECT l.v, r.w FROM l JOIN r ON l.id + 1 = r.w * 2 AND l.v < r.v")
    assert found.detail == "joinType=[INNER], where=[(($key0 = $key0) AND (v < v))]"


def test_keys_of_different_types_are_cast_before(join):
    found = join("SELECT l.w FROM l WHERE l.id IN (SELECT v FROM r)")
    assert (found.kind, found.detail) == ("SEMI", "joinType=[SEMI], where=[($key0 = v)]")
    assert [field.name for field in found.fields][-1] == "$key0"
