"""The programs on pages of the documentation run, and print what the pages say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from flott.common import Configuration
from flott.common.pyflink_imports import PyFlinkFinder
from flott.datastream import StreamExecutionEnvironment

pytestmark = pytest.mark.job

DOCS = Path(__file__).parents[1] / "docs"
PROGRAM = re.compile(r"```python\n(?P<program>(?:(?!```).)*?)```\n\n```\n(?P<output>.*?)```", re.DOTALL)
PAGES = ["files.md", "migrate-from-pyflink.md"]


def programs():
    for page in PAGES:
        for number, match in enumerate(PROGRAM.finditer((DOCS / page).read_text(encoding="utf-8")), 1):
            yield pytest.param(match["program"], match["output"], id=f"{page}-{number}")


@pytest.mark.parametrize(("program", "output"), list(programs()))
def test_a_program_prints_what_the_page_says(program, output, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    target = Configuration().set_string("flott.execution.target", "in-process")
    monkeypatch.setattr(StreamExecutionEnvironment, "context_configuration", target)
    if "pyflink" in program:
        monkeypatch.setattr(sys, "meta_path", [PyFlinkFinder(), *sys.meta_path])
    before = set(sys.modules)
    exec(program, {"__name__": "example"})  # noqa: S102 - our own page
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "pyflink":
            del sys.modules[name]
    assert capsys.readouterr().out == output
