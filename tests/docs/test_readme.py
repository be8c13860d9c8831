"""The first program that a visitor sees prints what the page says, in this process and on Spark."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from doc_blocks import read_page

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
LONGEST = 120


def printed(tmp_path, *options):
    [program] = [block for block in read_page(README).blocks if block.saved_as == "revenue.py"]
    (tmp_path / "revenue.py").write_text(program.code)
    command = [sys.executable, "-m", "flott.cli.main", "run", "-q", "-p", "1", *options, "revenue.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout


def promised():
    text = README.read_text(encoding="utf-8")
    return re.search(r"\n\$ flott run -q -p 1 --local revenue\.py\n(.*?)```", text, re.DOTALL)[1]


def test_the_program_runs_in_this_process(tmp_path):
    assert printed(tmp_path, "--local") == promised()


@pytest.mark.spark
@pytest.mark.slow
def test_the_program_runs_on_spark_without_the_flag(tmp_path):
    assert printed(tmp_path) == promised()


def test_the_page_has_no_long_lines_and_the_two_commands():
    lines = README.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST] == []
    assert {line.split("#")[0].strip() for line in lines} >= {"make demo", "make test"}


def test_its_pictures_are_there():
    text = README.read_text(encoding="utf-8")
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)', text)
    names = [one or other for one, other in pictures]
    assert len(names) == 4
    assert [name for name in names if not (ROOT / name).is_file()] == []
