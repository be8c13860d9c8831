"""The pictures of the docs page are those that the patterns above them draw; the example does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from flott.cep import Pattern

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cep.md").read_text(encoding="utf-8")
DRAWN = re.findall(r"```python\n(pattern = [^`]*?)```\n+```mermaid\n(.*?)\n```", PAGE, re.DOTALL)


def is_a(event):
    return event == "a"


def is_b(event):
    return event == "b"


def is_c(event):
    return event == "c"


@pytest.mark.parametrize(("code", "picture"), DRAWN)
def test_the_pictures_are_up_to_date(code, picture):
    names = {"Pattern": Pattern, "is_a": is_a, "is_b": is_b, "is_c": is_c}
    exec(code, names)  # noqa: S102 - our own page
    assert names["pattern"].explain("mermaid") == picture


def test_there_are_pictures():
    assert len(DRAWN) == 3


def run_example(*arguments):
    command = [sys.executable, str(ROOT / "examples" / "fraud_detection.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def test_the_example_finds_all_thefts():
    assert run_example("--in-process", "--payments", "5000").endswith("thefts, 0 missed\n")


@pytest.mark.spark
def test_the_example_finds_all_thefts_on_spark():
    assert run_example("--payments", "5000").endswith("thefts, 0 missed\n")
