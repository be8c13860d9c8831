"""The quickstart is followed word for word."""

from __future__ import annotations

import pytest

from doc_blocks import read_page
from follow_quickstart import PAGE, as_said, follow, steps_of


@pytest.mark.spark
@pytest.mark.nightly
def test_everything_happens_as_the_page_says(tmp_path):
    assert follow(tmp_path) >= 15


def test_the_page_has_what_a_first_hour_needs():
    page = read_page(PAGE)
    commands = "\n".join(
        step.command for block in page.blocks if block.language == "console" for step in steps_of(block)
    )
    for needed in (
        "pip install",
        "flott run",
        "kill -9",
        "flott stop",
        "flott run -d -p 2 -s",
        "flott sql",
        "--master",
    ):
        assert needed in commands
    assert [block.saved_as for block in page.blocks if block.saved_as] == [
        "words.py", "clicks.py", "orders.py", "check.py", "count.sql",
    ]  # fmt: skip


def test_dots_stand_for_anything_and_nothing_else_does():
    assert as_said(["Job 'orders' (…) runs: …"], "Job 'orders' (5f2c) runs: http://127.0.0.1:8081\n")
    assert as_said(["a", "…"], "a\n")
    assert as_said([], "")
    assert not as_said([], "unexpected\n")
    assert not as_said(["a.b"], "acb\n")
    assert not as_said(["a", "b"], "a\n")
