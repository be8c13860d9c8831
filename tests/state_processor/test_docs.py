"""The page about the state processor is right: its code runs, and prints what the page says."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

pytestmark = pytest.mark.job

PAGE = (Path(__file__).parents[2] / "docs" / "state-processor.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(python)?\n(.*?)```", PAGE, re.DOTALL)


def test_every_block_runs_and_prints_what_it_says(tmp_path):
    names = {"directory": str(tmp_path), "__name__": "page"}
    printed = ""
    checked = 0
    for kind, text in BLOCKS:
        if kind:
            output = io.StringIO()
            with redirect_stdout(output):
                exec(text, names)  # noqa: S102 - our own page
            printed = output.getvalue()
        else:
            assert [line.rstrip() for line in printed.splitlines()] == [line.rstrip() for line in text.splitlines()]
            checked += 1
    assert checked == 4
