"""Examples as users run them, on embedded Spark: they print what the page says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

import examples_page

pytestmark = pytest.mark.spark

FLOTT, PYTHON = [sys.executable, "-m", "flott.cli.main", "run", "-q"], [sys.executable]
OFTEN = {"late_data": FLOTT}
BY_PYTHON = [pytest.param("dynamic_rules", PYTHON, marks=pytest.mark.slow)]
SELDOM = [
    pytest.param(name, FLOTT, marks=pytest.mark.nightly)
    for name in examples_page.NAMES
    if name not in {*OFTEN, "dynamic_rules"}
]


@pytest.mark.parametrize(("name", "command"), [*OFTEN.items(), *BY_PYTHON, *SELDOM])
def test_an_example_prints_on_spark_what_the_page_says(name, command):
    program = str(examples_page.EXAMPLES / f"{name}.py")
    ran = subprocess.run([*command, program], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    page = Path(examples_page.PAGE).read_text(encoding="utf-8")
    assert examples_page.section(name, ran.stdout) in page
