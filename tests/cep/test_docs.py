"""The pictures of the docs page are those that the patterns above them draw; the example does what it says."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

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


EXAMPLE = str(ROOT / "examples" / "fraud_detection.py")


def test_the_example_finds_all_thefts(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [EXAMPLE, "--in-process", "--payments", "2000"])
    runpy.run_path(EXAMPLE, run_name="__main__")
    assert capsys.readouterr().out.endswith("thefts, 0 missed\n")


@pytest.mark.spark
@pytest.mark.nightly
def test_the_example_finds_all_thefts_on_spark():
    command = [sys.executable, EXAMPLE, "--payments", "5000"]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    assert out.endswith("thefts, 0 missed\n")
