"""Examples as users run them, on embedded Spark: they print what the page says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import examples_page

pytestmark = pytest.mark.spark

COMMANDS = {
    "late_data": [sys.executable, "-m", "flott.cli.main", "run", "-q"],
    "dynamic_rules": [sys.executable],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_prints_on_spark_what_the_page_says(name):
    program = str(examples_page.EXAMPLES / f"{name}.py")
    ran = subprocess.run([*COMMANDS[name], program], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    page = Path(examples_page.PAGE).read_text(encoding="utf-8")
    assert examples_page.section(name, ran.stdout) in page
