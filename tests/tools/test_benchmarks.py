"""Benchmarks take hours and are run by hand; what they use of Flott must be there all the same."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FILES = sorted([*BENCHMARKS.glob("*.py"), *BENCHMARKS.glob("programs/*.py"), *BENCHMARKS.glob("compare/*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_imported_is_there(path):
    for statement in ast.walk(ast.parse(path.read_text())):
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] == "flott":
            module = importlib.import_module(statement.module)
            for name in statement.names:
                is_module = hasattr(module, "__path__") and importlib.util.find_spec(f"{statement.module}.{name.name}")
                assert hasattr(module, name.name) or is_module, f"{statement.module} has no {name.name}"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("bench")


def test_a_report_of_growth_whose_first_took_nothing_that_could_be_measured(bench):
    costs = {"all": [0.1], "all_cpu": [0.0], "stolen": [0.0], "kind": "exchanges"}
    rows = [
        costs | {"size": "0", "microseconds": 0.1, "cpu_microseconds": 0.0},
        costs | {"size": "1", "microseconds": 0.4, "cpu_microseconds": 0.8},
    ]
    assert "| exchanges | 1 | 0.40 | 0.1 | 4.00 x | 0.80 | 0.0 | - |" in bench.markdown([], rows)
