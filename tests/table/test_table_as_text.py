"""A Table inside SQL text, and its columns as attributes, as in PyFlink."""

from __future__ import annotations

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.table import StreamTableEnvironment


@pytest.fixture
def table():
    target = Configuration().set_string("flott.execution.target", "in-process")
    t_env = StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment(target))
    return t_env.from_elements([(1, "tea"), (2, "rye")], ["id", "name"])


@pytest.mark.job
def test_a_table_has_a_name_inside_sql_text(table):
    assert [f"{table}", f"{table}"] == ["`UnnamedTable$0`"] * 2
    query = f"SELECT name FROM {table} WHERE id > 1"  # noqa: S608 - the table's own name
    with table.t_env.sql_query(query).execute().collect() as rows:
        assert [row[0] for row in rows] == ["rye"]


def test_a_column_is_an_attribute(table):
    assert str(table.name) == "name"
    with pytest.raises(AttributeError, match="no attribute 'price', and no column of that name"):
        _ = table.price
