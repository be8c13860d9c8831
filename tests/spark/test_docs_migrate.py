"""The programs of the guide from Structured Streaming run, both of them, and print the same."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from tests.test_docs_pages import DOCS, PROGRAM

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.spark.session import embedded_session

pytestmark = pytest.mark.spark

CLICKS = [("ann", 1, 3), ("bob", 2, 4), ("ann", 3, 5), ("ann", 7, 6)]
PAGE = (DOCS / "migrate-from-structured-streaming.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("match", list(PROGRAM.finditer(PAGE)), ids=["structured-streaming", "flott"])
def test_a_program_prints_what_the_guide_says(match, monkeypatch, tmp_path, capsys):
    target = Configuration().set_string("flott.spark.master", "local[2]")
    if SparkSession.getActiveSession() is None:
        embedded_session(target)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clicks").mkdir()
    lines = (f'{{"user": "{user}", "at": {at}, "amount": {amount}}}\n' for user, at, amount in CLICKS)
    (tmp_path / "clicks" / "a.json").write_text("".join(lines))
    monkeypatch.setattr(StreamExecutionEnvironment, "context_configuration", target)
    # Spark takes a path as it stands in its own directory, not in ours.
    program = match["program"].replace('json("clicks")', f'json("{tmp_path}/clicks")')
    exec(program, {"__name__": "example"})  # noqa: S102 - our own page
    assert capsys.readouterr().out == match["output"]
