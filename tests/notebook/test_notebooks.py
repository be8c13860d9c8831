"""The notebooks of the examples show what is kept in them: without Spark, and with it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import notebook_outputs

pytestmark = pytest.mark.job

BY_NAME = {path.name: path for path in notebook_outputs.NOTEBOOKS}


@pytest.fixture(autouse=True)
def _find_flott(monkeypatch):
    """Let kernels import what the tests import, from wherever they start."""
    source = str(Path(__file__).parents[2] / "src")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))


SET_UP = """
from flott.datastream import StreamExecutionEnvironment
from flott.table import StreamTableEnvironment
"""
USED = """
t_env = StreamTableEnvironment.create(env)
orders = t_env.from_elements([("Rome",), ("Oslo",), ("Rome",)], ["city"])
t_env.create_temporary_view("orders", orders)
counts = env.from_collection([("to", 1), ("be", 1), ("to", 2)])
"""


def test_the_code_of_the_page_runs():
    page = (Path(__file__).parents[2] / "docs" / "notebooks.md").read_text(encoding="utf-8")
    live, without_spark = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    cells = [nbformat.v4.new_code_cell(code) for code in (SET_UP, without_spark, USED, live)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=notebook_outputs.LONGEST, kernel_name="python3").execute()
    *_, (query, stream) = notebook_outputs.shown(notebook)
    assert {"| Oslo |      1 |", "| Rome |      2 |", "2 rows"} <= set(query)
    assert {"|   be |     1 |", "|   to |     2 |", "2 rows"} <= set(stream)


def test_there_is_one():
    assert list(BY_NAME) == ["first_stream.ipynb"]


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("in_process", [True, pytest.param(False, marks=[pytest.mark.spark, pytest.mark.slow])])
def test_a_notebook_shows_what_is_kept_in_it(name, in_process):
    kept = notebook_outputs.shown(nbformat.read(BY_NAME[name], as_version=4))
    assert sum("finished · epoch" in line for outputs in kept for lines in outputs for line in lines) == 2
    assert notebook_outputs.shown(notebook_outputs.executed(BY_NAME[name], in_process=in_process)) == kept
