"""The examples of the page on connectors run, and print what it says; its source conforms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SourceCase, check_source

pytestmark = pytest.mark.job

PAGE = (Path(__file__).parents[2] / "docs" / "connectors.md").read_text(encoding="utf-8")
SOURCE = re.search(r"```python\n(from pathlib.*?)```\n\n```\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def example(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    make = StreamExecutionEnvironment.get_execution_environment
    monkeypatch.setattr(StreamExecutionEnvironment, "get_execution_environment", lambda: make(configuration))
    names = {"__name__": "example"}
    exec(SOURCE[1], names)  # noqa: S102 - our own page
    assert capsys.readouterr().out == SOURCE[2]
    return names


def test_the_source_of_the_page_conforms(example):
    lines = [f"{name}{number:06}" for name in "ab" for number in range(25)]
    for name in "ab":
        Path("journals", name).write_text("".join(f"{line}\n" for line in lines if line.startswith(name)))
    check_source(SourceCase(lambda: example["Journals"]("journals", bounded=True), expected=lines))

    def more():
        with Path("journals", "a").open("a") as journal:
            journal.write("a000025\n")
        return ["a000025"]

    check_source(SourceCase(lambda: example["Journals"]("journals"), expected=lines))
    SOURCE_CHECKS[5](SourceCase(lambda: example["Journals"]("journals"), expected=lines, more=more))


def test_the_page_names_every_check():
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert {check.__name__ for check in (*SOURCE_CHECKS, *SINK_CHECKS)} <= named
