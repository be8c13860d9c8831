"""Benchmarks take hours and are run by hand; what they use of Flott must be there all the same."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FILES = sorted([*BENCHMARKS.glob("*.py"), *BENCHMARKS.glob("programs/*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_imported_is_there(path):
    for statement in ast.walk(ast.parse(path.read_text())):
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").split(".")[0] == "flott":
            module = importlib.import_module(statement.module)
            for name in statement.names:
                is_module = hasattr(module, "__path__") and importlib.util.find_spec(f"{statement.module}.{name.name}")
                assert hasattr(module, name.name) or is_module, f"{statement.module} has no {name.name}"
