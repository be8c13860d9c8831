"""What the page on exactly-once sinks says about PostgreSQL runs on a server; the rest of it runs in tests/docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from doc_blocks import read_page
from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

pytestmark = pytest.mark.job

PAGE = read_page(Path(__file__).parents[3] / "docs" / "exactly-once.md")
[PROGRAM, QUERY] = [block.code for block in PAGE.blocks if block.tested_by]
DSN = "postgresql://shop@localhost:5432/shop"


def test_the_example_with_postgres_writes_its_rows(monkeypatch, dsn, db):
    target = Configuration().set_string("flott.execution.target", "in-process")
    monkeypatch.setattr(StreamExecutionEnvironment, "context_configuration", target)
    db.execute("CREATE TABLE orders (id int, amount int)")
    assert DSN in PROGRAM
    exec(PROGRAM.replace(DSN, dsn), {"__name__": "example"})  # noqa: S102 - our own page
    assert sorted(db.execute("SELECT * FROM orders").fetchall()) == [(1, 20), (2, 5)]


def test_the_query_for_what_is_left_behind_is_right(db):
    assert db.execute(QUERY).fetchall() == []
