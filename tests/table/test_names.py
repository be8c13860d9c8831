"""The names of the package are there, and cost nothing to who does not ask for them."""

from __future__ import annotations

import subprocess
import sys

import flott.table


def test_every_name_has_a_home():
    assert set(flott.table.HOME_OF) == set(flott.table.__all__) == set(dir(flott.table))
    for name in flott.table.__all__:
        assert getattr(flott.table, name).__name__ == name


def test_workers_do_not_import_the_planner():
    program = "import sys\nimport flott.table.runtime.rank, flott.table.connectors.lines_source\nprint(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = set(found.stdout.split())
    assert "flott.table.runtime.rank" in modules
    assert not modules & {"sqlglot", "flott.table.planner", "flott.table.table_environment"}
