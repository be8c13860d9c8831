"""The examples of the page on exactly-once sinks run, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

pytestmark = pytest.mark.job

PAGE = (Path(__file__).parents[3] / "docs" / "exactly-once.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", PAGE, re.DOTALL)


@pytest.fixture
def in_process(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    make = StreamExecutionEnvironment.get_execution_environment
    monkeypatch.setattr(StreamExecutionEnvironment, "get_execution_environment", lambda: make(configuration))


def run(code):
    exec(code, {"__name__": "example"})  # noqa: S102 - our own page


def test_there_are_three_examples():
    assert [bool(output) for _, output in EXAMPLES] == [True, True, False]


@pytest.mark.parametrize(("code", "output"), EXAMPLES[:2])
def test_an_example_prints_what_the_page_says(in_process, capsys, code, output):
    run(code)
    assert capsys.readouterr().out == output


def test_the_example_with_postgres_writes_its_rows(in_process, dsn, db):
    db.execute("CREATE TABLE orders (id int, amount int)")
    code = EXAMPLES[2][0]
    assert "postgresql://shop@localhost:5432/shop" in code
    run(code.replace("postgresql://shop@localhost:5432/shop", dsn))
    assert sorted(db.execute("SELECT * FROM orders").fetchall()) == [(1, 20), (2, 5)]


def test_the_query_for_what_is_left_behind_is_right(db):
    [query] = re.findall(r"```sql\n(SELECT .*?)\n```", PAGE)
    assert db.execute(query).fetchall() == []
